"""The extension folder for stud-cli: its manifest, sources and code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.stages.rules.packs import GONE, case, cases, fork, source, to
from tests.dialects.stages.rules.rows_files import stage_object
from tests.dialects.stages.rules.rows_prompts import FINE as FINE_PROMPTS
from tests.dialects.stages.typescript_tools import problems, ran, written
from tests.support.checks import each_row
from workflows.core.dialects.stages import DIALECT
from workflows.core.dialects.stages.exports.stud import extension
from workflows.core.dialects.stages.exports.stud.typescript import literal, quoted
from workflows.core.dialects.stages.format import predicates
from workflows.core.dialects.stages.format.templates import render
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.edits import EditRefused
from workflows.core.pack.files import Files

ROOT = "extensions/state-machines/good"
HOSTILE = "`${process.exit()}` \u2028\u2029 */ // </script> \\ \" ' \x00 😀 {{ctx.x}}\r\n"


def sample(name: str) -> StagesSource:
    found: StagesSource = DIALECT.read(DIALECT.samples()[name])  # type: ignore[assignment]
    return found


def test_the_folder_is_where_stud_cli_looks() -> None:
    made = extension(source())
    assert set(made.files) == {
        f"{ROOT}/{name}"
        for name in (
            "manifest.json", "pipeline.json", "stages.generated.ts", "index.ts",
            *(f"stages/{id}.md" for id in ("plan", "look", "test", "verdict", "done", "again")),
        )
    }  # fmt: skip


def test_the_manifest_is_one_that_discovery_accepts() -> None:
    manifest = json.loads(extension(source()).files[f"{ROOT}/manifest.json"])
    for key in ("id", "category", "contractVersion", "requiredCoreVersion"):
        assert isinstance(manifest[key], str)
        assert manifest[key]
    assert manifest["category"] == "state-machines"
    assert manifest["contractVersion"] == "1.0.0"
    for part in manifest["requiredCoreVersion"].split():
        assert re.fullmatch(r"(>=|<=|>|<|=?)\d+\.\d+\.\d+", part)
    schema = manifest["configSchema"]
    assert set(manifest["config"]) <= set(schema["properties"])
    assert set(schema["required"]) <= set(manifest["config"])
    assert manifest["config"]["entry"] == "plan"


def test_the_sources_are_unchanged_to_the_byte(corpus: Path) -> None:
    folder = corpus / "stages/own/feature-delivery"
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "pipeline.spec-form.json"
    }
    made = extension(DIALECT.read(Files.of(files)))  # type: ignore[arg-type]
    root = "extensions/state-machines/feature-delivery"
    assert {path: made.files[f"{root}/{path}"] for path in files} == files


def test_a_pipeline_of_another_name_is_exported_as_pipeline_json() -> None:
    pack = source()
    moved = {f"flow/{path}": data for path, data in pack.files.items()}
    moved["flow/tried.json"] = moved.pop("flow/pipeline.json")
    made = extension(DIALECT.read(Files.of(moved)))  # type: ignore[arg-type]
    assert made.files[f"{ROOT}/pipeline.json"] == pack.files["pipeline.json"]
    assert made.files[f"{ROOT}/stages/plan.md"] == pack.files["stages/plan.md"]


@each_row(
    [
        ({"file pipeline.json": GONE}, "can't be exported"),
        ({"file stages/done.md": GONE}, "has no file"),
        ({"done.turnCap": "8"}, "no usable turnCap"),
        ({"done.completionSchema": None}, "no usable completionSchema"),
        ({"done.id": "other"}, "no usable id"),
        ({"/entryStage": "gone"}, "not one of its stages"),
        ({"done/assert": [{"unless": {}, "verdict": "retry"}]}, "An assert of 'done' is not valid"),
        ({"done/gate": {"when": 3}}, "The gate of 'done' is not valid"),
        ({"plan/setup/task": "x"}, "setup.task of 'plan' is not valid"),
        ({"plan/exit/slot/plan": 3}, "exit.slot.plan of 'plan' is not valid"),
        ({"verdict/next/cases/0/when": {}}, "A case of 'verdict' is not valid"),
        (
            {"done/file": "../done.md", "file stages/done.md": GONE},
            "has no file",
        ),
    ]
)
def test_an_incomplete_stage_is_not_exported(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(EditRefused, match=message):
        extension(source(changes))


def test_files_outside_the_pipelines_folder_are_not_exported() -> None:
    moved = {f"flow/{path}": data for path, data in source().files.items()}
    moved["own/done.md"] = moved.pop("flow/stages/done.md")
    moved["flow/pipeline.json"] = moved["flow/pipeline.json"].replace(
        b'"stages/done.md"', b'"../own/done.md"'
    )
    with pytest.raises(EditRefused, match="outside the folder"):
        extension(DIALECT.read(Files.of(moved)))  # type: ignore[arg-type]


def test_limits_are_reported_for_used_features() -> None:
    plain = {"plan/exit": GONE, "look/setup": GONE, "test/setup": GONE, "look:": "", "test:": ""}
    thin: dict[str, Any] = {
        **plain,
        "plan/setup": GONE,
        "plan:": "",
        "verdict:": "",
        "done:": "",
        "again:": "",
        "verdict/next": to("done"),
        "again": GONE,
        **{
            f"{id}.retryPolicy/maxAttempts": 1 for id in ("plan", "look", "test", "verdict", "done")
        },
    }
    assert [item.code for item in extension(source(thin)).findings] == ["ST601"]
    used = {
        "plan/next": fork("look", "test", join="verdict"),
        "plan/onParallelFailure": to("again"),
        "done.allowedTools": ["Read"],
        "done.inputsSchema": {},
        "done/gate": {"when": {"path": "slot.plan", "op": "exists"}, "else": "block"},
    }
    said = extension(source(used)).findings
    codes = ["ST601", "ST602", "ST603", *["ST605"] * 4, "ST606"]
    assert [item.code for item in said] == codes
    known = {rule.code for rule in DIALECT.rules()}
    assert {item.code for item in said} <= known


def test_the_dialect_offers_the_extension() -> None:
    (export,) = DIALECT.exports()
    assert export.name == "stud-cli"
    assert export.make(source()).files == extension(source()).files


@each_row(
    [
        (None, "null"),
        (1.0, "1"),
        (True, "true"),
        ([], "[]"),
        ({}, "{}"),
        ({"a": [1, "x"], "b-c": None}, '{ a: [1, "x"], "b-c": null }'),
        ({"__proto__": 1}, '{ ["__proto__"]: 1 }'),
        ("\u2028\ud800", '"\\u2028\\ud800"'),
    ]
)
def test_values_are_written_as_typescript(value: Any, text: str) -> None:
    assert literal(value) == text


def test_long_values_are_broken_into_lines() -> None:
    text = literal({"list": ["x" * 60, "y" * 60], "one": 1})
    assert text.splitlines()[1] == "  list: ["
    assert text.splitlines()[-2:] == ["  one: 1,", "}"]


def test_the_code_of_every_kind_of_pack_is_typescript(tmp_path: Path) -> None:
    packs: dict[str, StagesSource] = {
        "good": source(),
        "hostile": source({"done:": HOSTILE, "done.name": HOSTILE, "/id": "a */ b"}),
        "object": source(stage_object()),
        "grants": source({"/grants": [{"tool": "bash", "stages": ["done"], "max": 1}]}),
        "odd": source({"done.completionSchema/properties/__proto__": {"const": [1, HOSTILE]}}),
        **{f"sample-{name}": sample(name) for name in DIALECT.samples()},
    }
    for name, pack in packs.items():
        written(extension(pack).files, tmp_path / name)
    index = written(extension(source()).files, tmp_path / "invalid") / "index.ts"
    index.write_text(index.read_text().replace('required: ["entry"]', "required: entry"))
    told = problems(tmp_path)
    assert "Cannot find name 'entry'" in told
    assert all("/invalid/" in line for line in told.splitlines() if not line.startswith(" "))


_WALK = """
import { contract } from "./index.js";
const answers = JSON.parse(process.argv[2] ?? "ANSWERS");
const kept = {};
const host = {
  session: {
    id: "s1",
    stateSlot: () => ({ read: async () => kept.v ?? null, write: async (v) => { kept.v = v; } }),
  },
};
const told = [];
await contract.lifecycle.init(host, { entry: contract.entryStage, input: { task: "add {{x}}" } });
async function run(id) {
  const stage = contract.stages.find((each) => each.id === id);
  const ctx = {};
  await stage.setup(ctx, host);
  const prompt = stage.init(ctx);
  const gate = stage.checkGate(ctx);
  const parsed = answers[id].shift();
  const verdict = gate === "proceed" ? stage.assert(ctx, { capHit: false, parsed }) : gate;
  const next = await stage.next(ctx);
  await stage.exit(ctx, { assertOutcome: verdict }, host);
  told.push([id, prompt, verdict]);
  return next;
}
let pending = [contract.entryStage];
while (pending.length > 0) {
  const next = await run(pending.shift());
  if (next.execution === "parallel") {
    for (const each of next.nextStages.filter((name) => name !== next.join)) await run(each);
    pending = next.join === undefined ? [] : [next.join];
  } else {
    pending = [...next.nextStages];
  }
}
const asked = { stageExecutionId: "s1::done::1", tool: "bash" };
const grants = [await contract.grantStageTool(asked), await contract.grantStageTool(asked)];
console.log(JSON.stringify({ told, slot: kept.v, grants }));
"""


def test_the_code_walks_the_pipeline_as_it_is_written(tmp_path: Path) -> None:
    pack = source(
        {
            "verdict/next/else": to("again"),
            "again/next": to("verdict"),
            "verdict/maxVisits": 3,
            "again/exit": {"output": {"more": "result.parsed.summary"}},
            "verdict:": "{{ctx.upstream[0].parsed.approved}} {{ctx.upstream[1].parsed.summary}}",
            "/grants": [{"tool": "bash", "stages": ["done"], "max": 1}],
            "done/assert": [
                {"unless": {"path": "slot.plan", "op": "equals", "value": "S"}, "verdict": "fail"}
            ],
        }
    )
    answers = {
        "plan": [{"summary": "S"}],
        "look": [{"approved": True, "summary": "L"}],
        "test": [{"approved": False, "summary": "T"}],
        "verdict": [{"approved": False, "summary": "no"}, {"approved": True, "summary": "yes"}],
        "again": [{"summary": "A"}],
        "done": [{"summary": "D"}],
    }
    folder = written(extension(pack).files, tmp_path)
    script = _WALK.replace('process.argv[2] ?? "ANSWERS"', json.dumps(json.dumps(answers)))
    found = ran(folder, script)
    assert found["told"] == [
        ["plan", "Plan add {{x}} as Plan of run s1.\n", "ok"],
        ["look", "Look at S.\n", "ok"],
        ["test", "Test S.\n", "ok"],
        ["verdict", "true T", "ok"],
        ["again", "Why not? ok \n", "ok"],
        ["verdict", " ", "ok"],
        ["done", "Write yes down.\n", "ok"],
    ]
    assert found["slot"] == {"slotVersion": "1.0.0", "data": {"plan": "S"}}
    assert found["grants"] == ["approve", "defer"]


SCOPE: dict[str, Any] = {
    "parsed": {"n": 2, "s": "m", "t": True, "z": None, "l": [1, {"a": 1}], "o": {"b": 1, "a": [2]}},
    "capHit": False,
}
PATHS = ["n", "s", "t", "z", "l", "l[1].a", "l[5]", "o", "o.a[0]", "gone", "n.x", "toString"]
VALUES: list[Any] = [1, 2, 2.0, "m", "n", True, 1.0, None, [1, {"a": 1}], {"a": [2], "b": 1}, []]
OPS = ["equals", "notEquals", "lt", "lte", "gt", "gte", "in", "exists"]


def conditions() -> list[dict[str, Any]]:
    simple = [
        {"path": f"result.parsed.{path}", "op": op, "value": value}
        for path in PATHS
        for op in OPS
        for value in ([VALUES, [2], []] if op == "in" else VALUES)
    ]
    several = [
        {"all": simple[:2]}, {"any": simple[:9]}, {"not": simple[0]}, {"all": []}, {"any": []},
        {"all": [simple[1]], "not": simple[0]}, {"not": {"any": []}},
    ]  # fmt: skip
    return [each for each in (*simple, *several) if predicates.problems(each) == ()]


def test_the_code_decides_every_condition_as_runs_here_do(tmp_path: Path) -> None:
    asked = conditions()
    steps = [case("run.input.x", 1, to("done")) | {"when": each} for each in asked]
    pack = source({"done/next": cases(*steps, otherwise=to())})
    folder = written(extension(pack).files, tmp_path)
    generated = folder / "stages.generated.ts"
    generated.write_text(generated.read_text() + "\nexport { holds, definitions };\n")
    script = (
        'import { definitions, holds } from "./stages.generated.js";\n'
        f"const scope = {{ result: {json.dumps(SCOPE)} }};\n"
        'const asked = definitions.find((each) => each.id === "done").cases;\n'
        "console.log(JSON.stringify(asked.map((each) => holds(each.when, scope))));\n"
    )
    assert ran(folder, script) == [predicates.holds(each, {"result": SCOPE}) for each in asked]


def test_the_code_fills_prompts_in_as_runs_here_do(tmp_path: Path) -> None:
    bodies = [row["done:"] for row in FINE_PROMPTS if "done:" in row]
    bodies += [
        "{{ctx.v}}|{{ctx.n}}|{{ctx.e}}|{{ctx.b}}|{{ctx.o}}|{{ctx.gone}}|{{{ctx.s}}}",
        HOSTILE,
    ]
    ctx = {
        "v": None, "n": 7, "e": 1e21, "b": False, "o": {"é": [1, None]}, "s": "{{stage.id}}",
        "upstream": [{"verdict": "ok", "parsed": {"summary": "$& $1 {{ctx.s}}"}}],
    }  # fmt: skip
    folder = written(extension(source()).files, tmp_path)
    generated = folder / "stages.generated.ts"
    generated.write_text(generated.read_text() + "\nexport { render };\n")
    script = (
        'import { render } from "./stages.generated.js";\n'
        f"const ctx = {json.dumps(ctx)};\n"
        f"const bodies = [{', '.join(quoted(body) for body in bodies)}];\n"
        'const made = bodies.map((body) => render({ id: "done", name: "Done", body }, ctx));\n'
        "console.log(JSON.stringify(made));\n"
    )
    stage = {"id": "done", "name": "Done"}
    assert ran(folder, script) == [render(body, ctx, stage)[0] for body in bodies]
