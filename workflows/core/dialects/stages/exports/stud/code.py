"""TypeScript of an exported state machine: definitions as data, with a fixed runtime."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from workflows.core.dialects.stages.exports.stud.typescript import literal, quoted
from workflows.core.dialects.stages.format.parts import Plan, routes
from workflows.core.dialects.stages.format.paths import read_path
from workflows.core.dialects.stages.format.predicates import problems
from workflows.core.dialects.stages.format.templates import convert_references
from workflows.core.dialects.stages.source import StageFile, StagesSource
from workflows.core.pack.edits import EditRefused
from workflows.core.text.tolerant import as_list, as_object

_HEADER = """\
// Generated from pipeline.json and the stage files in this folder. Generate it again after changes.
"""


def definitions(source: StagesSource) -> tuple[dict[str, Any], ...]:
    """Every stage as a `Definition` of runtime.ts. Raises EditRefused for an incomplete one."""
    if not source.stages:
        raise EditRefused("This pipeline has no stages. Add one.")
    entry = source.whole().get("entryStage")
    if not isinstance(entry, str) or entry not in source.stages:
        raise EditRefused(
            "The pipeline's entryStage is not one of its stages.", hint="Set the entry."
        )
    return tuple(_definition(source, stage, file) for stage, file in source.stages.items())


def _definition(source: StagesSource, stage: str, file: StageFile) -> dict[str, Any]:
    values, entry = _need_values(stage, file), source.entry(stage)
    cases, otherwise = _cases(source, stage)
    definition: dict[str, Any] = {
        "id": stage,
        "name": values.get("name", stage),
        "body": convert_references(file.body) if file.form == "object" else file.body,
        "allowedTools": values.get("allowedTools"),
        "turnCap": values["turnCap"],
        "completionTool": values["completionTool"],
        "completionSchema": values["completionSchema"],
        "resolutionPolicy": values.get("resolutionPolicy", "retry-later"),
        "setup": _setup(stage, entry),
        "gate": _gate(stage, entry.get("gate")),
        "assert": _asserts(stage, entry.get("assert")),
        "slot": _exit_values(stage, entry, "slot"),
        "output": _exit_values(stage, entry, "output"),
        "maxVisits": entry.get("maxVisits"),
        "cases": cases,
        "otherwise": otherwise,
    }
    return {key: item for key, item in definition.items() if item is not None or key == "otherwise"}


def _need_values(stage: str, file: StageFile) -> Mapping[str, Any]:
    """The front matter of a stage. Raises EditRefused if a value for the code is missing or has the
    wrong type."""
    values: Mapping[str, Any] = file.values
    wanted = {
        "id": isinstance(values.get("id"), str),
        "turnCap": isinstance(values.get("turnCap"), int),
        "completionTool": isinstance(values.get("completionTool"), str),
        "completionSchema": isinstance(values.get("completionSchema"), dict),
        "allowedTools": _texts(values.get("allowedTools")),
        "name": isinstance(values.get("name", ""), str),
        "resolutionPolicy": isinstance(values.get("resolutionPolicy", ""), str),
    }
    unusable = [key for key, fits in wanted.items() if not fits]
    if file.missing or unusable or values["id"] != stage:
        why = "has no file" if file.missing else f"has no usable {' and '.join(unusable) or 'id'}"
        raise EditRefused(
            f"Stage {stage!r} {why}.",
            where=f"state:{stage}",
            hint="Correct the findings of the pack first.",
        )
    return values


def _texts(value: Any) -> bool:
    return value is None or (
        isinstance(value, list) and all(isinstance(item, str) for item in value)
    )


def _refusal(stage: str, what: str) -> EditRefused:
    return EditRefused(
        f"{what} of {stage!r} is not valid.",
        where=f"state:{stage}",
        hint="Correct the findings of the pack first.",
    )


def _setup(stage: str, entry: Mapping[str, Any]) -> list[list[Any]]:
    fields = entry.get("setup", {})
    rows = []
    for name, item in as_object(fields).items():
        if not isinstance(item, dict) or read_path(item.get("from")) is None:
            raise _refusal(stage, f"setup.{name}")
        keys = ("from", "default", "optional")
        rows.append([name, {key: item[key] for key in keys if key in item}])
    return rows


def _gate(stage: str, gate: Any) -> dict[str, Any] | None:
    if gate is None:
        return None
    if not isinstance(gate, dict) or problems(gate.get("when")):
        raise _refusal(stage, "The gate")
    return {"when": gate["when"], "else": str(gate.get("else", "block"))}


def _asserts(stage: str, checks: Any) -> list[dict[str, Any]]:
    rows = []
    for item in as_list(checks):
        verdict = as_object(item).get("verdict")
        if verdict not in ("retry", "fail", "skip") or problems(item.get("unless")):
            raise _refusal(stage, "An assert")
        rows.append({"unless": item["unless"], "verdict": verdict})
    return rows


def _exit_values(stage: str, entry: Mapping[str, Any], part: str) -> list[list[str]]:
    names = as_object(entry.get("exit")).get(part, {})
    rows = []
    for name, path in as_object(names).items():
        if read_path(path) is None:
            raise _refusal(stage, f"exit.{part}.{name}")
        rows.append([name, path])
    return rows


def _cases(source: StagesSource, stage: str) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """The cases, and the step if none of them is true."""
    cases, otherwise = [], None
    stage_routes = routes(source, stage)
    for route in stage_routes:
        if route.when is None:
            otherwise = _next_result(route.plan)
        elif problems(route.when):
            raise _refusal(stage, "A case")
        else:
            cases.append({"when": dict(route.when), "then": _next_result(route.plan)})
    return cases, otherwise if stage_routes else _next_result(Plan())


def _next_result(plan: Plan) -> dict[str, Any]:
    """A plan in its written form: a listed join stays listed."""
    result: dict[str, Any] = {
        "nextStages": [] if plan.terminate else list(plan.stages),
        "execution": "parallel" if plan.parallel else "sequential",
    }
    return {**result, "join": plan.join} if plan.parallel and plan.join else result


def runtime() -> str:
    """The fixed part of the code."""
    return files(__package__).joinpath("runtime.ts").read_text(encoding="utf-8")


def stages_text(source: StagesSource, id: str, stages: tuple[dict[str, Any], ...]) -> str:
    """stages.generated.ts."""
    entry = str(source.whole()["entryStage"])
    return (
        f"{_HEADER}\n{runtime()}\n"
        f"const machine = {quoted(id)};\n\n"
        f"const definitions: readonly Definition[] = {literal(stages)};\n\n"
        f"export const entryStage = {quoted(entry)};\n\n"
        "export const stages: readonly Stage[] = definitions.map((each) =>"
        " stageOf(each, machine));\n"
    )


def index_text(source: StagesSource, id: str) -> str:
    """index.ts."""
    return (
        f'{_HEADER}\nimport {{ begin, entryStage, stages }} from "./stages.generated.js";\n\n'
        'import type { Host, Values } from "./stages.generated.js";\n\n'
        f"{_CONFIG}\n"
        f"const grants: readonly Grant[] = {literal(_grants(source))};\n\n"
        f"{_GRANTING}\n{_CONTRACT.replace('MACHINE', quoted(id))}"
    )


def _grants(source: StagesSource) -> list[dict[str, Any]]:
    grants = source.whole().get("grants")
    rows = []
    for item in as_list(grants):
        if isinstance(item, dict) and isinstance(item.get("tool"), str):
            stages, most = item.get("stages"), item.get("max")
            grant: dict[str, Any] = {"tool": item["tool"]}
            if isinstance(stages, list):
                grant["stages"] = [stage for stage in stages if isinstance(stage, str)]
            if isinstance(most, int) and not isinstance(most, bool):
                grant["max"] = most
            rows.append(grant)
    return rows


_CONFIG = """\
export interface Config {
  readonly entry: string;
  readonly enabled?: boolean;
  readonly autoAttach?: boolean;
  /** The inputs of a run: `run.input` of the pipeline. */
  readonly input?: Values;
}

interface Grant {
  readonly tool: string;
  readonly stages?: readonly string[];
  readonly max?: number;
}

interface Proposal {
  readonly stageExecutionId: string;
  readonly tool: string;
}
"""

_GRANTING = """\
const used = new Map<Grant, number>();

/** Approve calls with a grant of the pipeline; defer all others to the session. */
function grantStageTool(proposal: Proposal): Promise<"approve" | "deny" | "defer"> {
  const names = proposal.stageExecutionId.split("::");
  for (const grant of grants) {
    const times = used.get(grant) ?? 0;
    const here = grant.stages === undefined || grant.stages.some((each) => names.includes(each));
    if (grant.tool === proposal.tool && here && times < (grant.max ?? Infinity)) {
      used.set(grant, times + 1);
      return Promise.resolve("approve");
    }
  }
  return Promise.resolve("defer");
}

function init(_host: Host, config: Config): Promise<void> {
  used.clear();
  begin(config.input ?? {});
  return Promise.resolve();
}

function dispose(): Promise<void> {
  used.clear();
  begin({});
  return Promise.resolve();
}
"""

_CONTRACT = """\
export const contract = {
  kind: "StateMachine",
  contractVersion: "1.0.0",
  requiredCoreVersion: ">=1.0.0 <2.0.0",
  lifecycle: { init, dispose },
  configSchema: {
    type: "object",
    additionalProperties: false,
    required: ["entry"],
    properties: {
      entry: { type: "string", minLength: 1 },
      enabled: { type: "boolean" },
      autoAttach: { type: "boolean" },
      input: { type: "object" },
    },
  },
  loadedCardinality: "unlimited",
  activeCardinality: "one-attached",
  stateSlot: { slotVersion: "1.0.0", schema: { type: "object" } },
  discoveryRules: { folder: "state-machines", manifestKey: MACHINE },
  reloadBehavior: "between-turns",
  stages,
  entryStage,
  grantStageTool,
} as const;

export { entryStage, stages };
"""
