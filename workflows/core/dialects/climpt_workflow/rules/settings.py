"""CW3xx: limits, closing of issues, and the keys of 1.14."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.climpt_workflow.format.parts import Parts
from workflows.core.dialects.climpt_workflow.rules.kit import workflow_rule
from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import did_you_mean
from workflows.core.rules.kit import Note, Notes
from workflows.core.text.tolerant import as_object, as_str, as_str_map, is_number

LEAST = {"maxCycles": (1, "WF-RULE-001"), "cycleDelayMs": (0, "WF-RULE-002")}
SOURCES = {"ghProject": "project", "ghRepoIssues": "", "explicit": "issueIds"}
"""Kind of `issueSource` → the key that it needs."""
BOUND = {
    "donePhase": ("terminal", ("001", "002", "", "007")),
    "evalPhase": ("actionable", ("003", "004", "005", "006")),
    "planPhase": ("actionable", ("010", "011", "012", "013")),
}
"""Key of `projectBinding` → the type of its phase, and Climpt's codes (WF-PROJECT-…) for an unknown
phase, another type, no agent and no label."""
KNOWN = (
    "$schema", "version", "phases", "labelMapping", "labels", "agents", "rules", "handoff",
    "subjectStore", "prioritizer", "labelPrefix", "handoffs", "payloadSchema", "projectBinding",
    "issueSource",
)  # fmt: skip


@workflow_rule("CW301", "error", "Invalid limit", profiles=EVERY)
def limits(source: WorkflowSource) -> Notes:
    """`maxCycles` is at least 1 (WF-RULE-001), `cycleDelayMs` at least 0 (WF-RULE-002)."""
    for key, (least, code) in LEAST.items():
        value = source.parts.rules.get(key, least)
        if not is_number(value) or value < least:
            yield Note(
                message=f"{key} is {value!r} and must be at least {least} ({code}).",
                pointer=("rules", key),
                hint="Write a number, without quotes.",
            )


@workflow_rule("CW302", "error", "Invalid condition for closing an issue", profiles=EVERY)
def closing_conditions(source: WorkflowSource) -> Notes:
    """The condition under which an agent's issue is closed: `closeCondition` needs
    `closeOnComplete`; since 1.14, `closeBinding.condition` needs a `primary.kind` other than none
    (WF-REF-005). The condition of a validator is one of its outcomes (WF-REF-006)."""
    for id, agent in source.parts.agents.items():
        binding = as_object(agent.value.get("closeBinding"))
        kind = as_object(binding.get("primary")).get("kind", "none")
        for pointer, condition, closes in (
            (("closeCondition",), agent.value.get("closeCondition"),
             bool(agent.value.get("closeOnComplete"))),
            (("closeBinding", "condition"), binding.get("condition"), kind != "none"),
        ):  # fmt: skip
            if condition is None:
                continue
            problem = ""
            if not closes:
                problem = "and never closes its issue (WF-REF-005)"
            elif agent.role == "validator" and condition not in as_str_map(
                agent.value.get("outputPhases")
            ):
                problem = "and has no such outcome (WF-REF-006)"
            if problem:
                yield Note(
                    message=f"Agent {id!r} has the closing condition {condition!r}, {problem}.",
                    pointer=("agents", id, *pointer),
                    element=f"agent:{id}",
                )


@workflow_rule("CW303", "error", "Invalid issue source", profiles=EVERY)
def issue_source(source: WorkflowSource) -> Notes:
    """1.14 requires `issueSource`: its `kind` is `ghProject` (with `project`), `ghRepoIssues` or
    `explicit` (with `issueIds`). Files without a key of 1.14 need none
    (WF-ISSUE-SOURCE-001 to 005)."""
    if not source.parts.is_1_14:
        return
    setting = source.parts.value.get("issueSource")
    kind = as_object(setting).get("kind")
    problem = ""
    if not isinstance(kind, str):
        problem = "1.14 requires issueSource with a kind (WF-ISSUE-SOURCE-001)"
    elif kind not in SOURCES:
        problem = f"{kind!r} is not a kind of issueSource (WF-ISSUE-SOURCE-002)"
    elif SOURCES[kind] and not (isinstance(setting, dict) and setting.get(SOURCES[kind])):
        code = "003" if kind == "ghProject" else "004"
        problem = f"issueSource {kind!r} needs {SOURCES[kind]!r} (WF-ISSUE-SOURCE-{code})"
    elif isinstance(setting, dict) and setting.get("projectMembership", "any") not in (
        "any",
        "unbound",
    ):
        problem = "projectMembership is any or unbound (WF-ISSUE-SOURCE-005)"
    if problem:
        here = ("issueSource",) if "issueSource" in source.parts.value else ()
        yield Note(message=f"{problem}.", pointer=here, hint=f"The kinds are {', '.join(SOURCES)}.")


@workflow_rule("CW304", "error", "Invalid project binding", profiles=EVERY)
def project_binding(source: WorkflowSource) -> Notes:
    """The phases of `projectBinding` exist, have a label, and have the right type: `donePhase` is
    terminal, `evalPhase` and `planPhase` are actionable with an agent. `sentinelLabel` is a
    declared label with the role marker (WF-PROJECT-001 to 013)."""
    binding = source.parts.value.get("projectBinding")
    if not isinstance(binding, dict):
        return
    for key, (kind, codes) in BOUND.items():
        if problem := _bound_problem(source.parts, binding.get(key), kind, codes):
            yield Note(
                message=f"projectBinding.{key}: {problem}.",
                pointer=("projectBinding", *((key,) if key in binding else ())),
            )
    declared = source.parts.value.get("labels")
    if isinstance(declared, dict):
        label = as_str(binding.get("sentinelLabel"))
        spec = declared.get(label)
        code = "009" if isinstance(spec, dict) else "008"
        if not isinstance(spec, dict) or spec.get("role") != "marker":
            yield Note(
                message=f"projectBinding.sentinelLabel: {label!r} is not a declared label with the "
                f"role marker (WF-PROJECT-{code}).",
                pointer=("projectBinding",),
            )


def _bound_problem(parts: Parts, id: Any, kind: str, codes: tuple[str, ...]) -> str:
    phase = parts.phases.get(id) if isinstance(id, str) else None
    if phase is None:
        return f"there is no phase {id!r} (WF-PROJECT-{codes[0]})"
    if phase.type != kind:
        return f"phase {id!r} is not {kind} (WF-PROJECT-{codes[1]})"
    if kind == "actionable" and not phase.agent:
        return f"phase {id!r} has no agent (WF-PROJECT-{codes[2]})"
    return (
        "" if id in parts.labels.values() else f"phase {id!r} has no label (WF-PROJECT-{codes[3]})"
    )


@workflow_rule("CW305", "hint", "Unknown key", profiles=EVERY)
def unknown_keys(source: WorkflowSource) -> Notes:
    """The published schema accepts no other keys at the top level. The orchestrator ignores
    them."""
    for key in source.parts.value:
        if key not in KNOWN:
            yield Note(
                message=f"The orchestrator ignores the key {key!r}.",
                pointer=(key,),
                hint=did_you_mean(key, KNOWN),
            )
