"""Vectors of stud-cli's checks of definitions and machines.

Static vectors become packs here and are compared with the findings; those of a run are executed by
`run/vectors.py`. The core set of the format's page that has no vector in the file is at the end.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.dialects.stages.rules.packs import ENDS, findings, head, read, written
from tests.dialects.stages.run.vectors import DIFFERS, PLAYED
from tests.support.checks import each_row
from workflows.core.dialects.stages.format.templates import (
    convert_references,
    render,
    source_references,
)
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding

DEFINITION = {
    "ST205": ("Validation", "StageTurnCapTooLow", "/turnCap"),
    "ST306": ("Validation", "StageCtxUnresolved", "/body#"),
    "ST230": ("Validation", "StageCompletionSchemaInvalid", "/completionSchema"),
    "ST404": ("Validation", "StageJoinDangling", "/next#join"),
    "ST405": ("Validation", "StageJoinDangling", "/next#join"),
}
"""Checks of one definition, with the rule for each."""
MACHINE = {"ST401", "ST402", "ST204", "ST205"}
"""Checks of a whole machine: all are StageDefinitionInvalid."""

OBJECT = {
    "id": "s",
    "body": "",
    "turnCap": 3,
    "completionTool": "submit",
    "completionSchema": {"type": "object"},
}
CORE: list[dict[str, Any]] = [
    {
        "id": "V04",
        "given": {
            "stage": {**OBJECT, "body": "${ctx.other}", "next": ENDS},
            "contextSchema": {"required": ["goal"], "optional": []},
        },
        "expect": {
            "ok": False,
            "error": {"class": "Validation", "code": "StageCtxUnresolved", "path": "/body#other"},
        },
    },
    {
        "id": "V08",
        "given": {"stage": {**OBJECT, "completionSchema": {"type": "notARealType"}, "next": ENDS}},
        "expect": {
            "ok": False,
            "error": {
                "class": "Validation",
                "code": "StageCompletionSchemaInvalid",
                "path": "/completionSchema",
            },
        },
    },
]


def vectors(corpus: Path, *groups: str) -> list[dict[str, Any]]:
    text = (corpus / "stages/vectors.json").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)["vectors"]
    return [vector for vector in found if not groups or vector["group"] in groups]


def of_definition(given: dict[str, Any], profile: str = "strict") -> list[Finding]:
    """The findings about a stage object with its `next` and context schema, in a pipeline that
    declares the successors."""
    stage = dict(given["stage"])
    after = stage.pop("next")
    schema = given.get("contextSchema", {"required": [], "optional": []})
    setup = {name: {"from": f"run.input.{name}"} for name in schema["required"]}
    setup |= {name: {"from": f"run.input.{name}", "optional": True} for name in schema["optional"]}
    entries = {stage["id"]: {"file": "s.json", "setup": setup, "next": after}}
    files = {"s.json": json.dumps(stage)}
    for name in after["nextStages"]:
        entries[name] = {"file": f"{name}.md", "next": ENDS}
        files[f"{name}.md"] = written(head(name), "Work.\n")
    tree = {"format": "signalbox.stud-pipeline/1", "entryStage": stage["id"], "stages": entries}
    files["pipeline.json"] = json.dumps(tree)
    pack = read(Files.of({path: text.encode() for path, text in files.items()}))
    return findings(pack, profile)


def of_machine(given: dict[str, Any]) -> list[Finding]:
    """The findings about stages with these ids. One id twice: two keys for one file."""
    entries: dict[str, Any] = {}
    files: dict[str, bytes] = {}
    for name in given["stages"]:
        key = name if name not in entries else f"{name}-again"
        entries[key] = {"file": f"{name}.md", "next": ENDS}
        files[f"{name}.md"] = written(head(name), "Work.\n").encode()
    tree = {
        "format": "signalbox.stud-pipeline/1",
        "entryStage": given["entryStage"],
        "stages": entries,
    }
    return findings(read(Files.of({**files, "pipeline.json": json.dumps(tree).encode()})))


def check_definition(vector: dict[str, Any]) -> None:
    """stud-cli stops at the first fault; here it must be among all findings."""
    expect, found = vector["expect"], of_definition(vector["given"])
    said = [item for item in found if item.code in DEFINITION]
    if expect["ok"]:
        assert said == [], vector["id"]
        return
    error = expect["error"]
    (item,) = [item for item in said if DEFINITION[item.code][1] == error["code"]]
    kind, code, path = DEFINITION[item.code]
    assert item.level == "error"
    assert error.get("class", kind) == kind
    assert error.get("path", path).startswith(path)
    assert f"{kind}/{code} at {error.get('path', path)}" in item.hint


def test_a_definition_is_judged_as_stud_cli_judges_it(corpus: Path) -> None:
    played = [each for each in vectors(corpus, "definition") if "ok" in each["expect"]]
    assert len(played) >= 8
    for vector in played:
        check_definition(vector)


@each_row(CORE)
def test_the_core_set_has_the_same_findings(vector: dict[str, Any]) -> None:
    check_definition(vector)


def test_references_of_the_source_dialect_are_found_once_each(corpus: Path) -> None:
    played = [each for each in vectors(corpus, "definition") if "ok" not in each["expect"]]
    assert [vector["id"] for vector in played] == ["V01"]
    for vector in played:
        found = source_references(vector["given"]["stage"]["body"])
        names = list(dict.fromkeys(each.name for each in found))
        assert names == vector["expect"]["sourceDialectRefs"]


def test_a_machine_is_judged_as_stud_cli_judges_it(corpus: Path) -> None:
    played = vectors(corpus, "machine")
    assert len(played) >= 3
    for vector in played:
        error = vector["expect"]["error"]
        assert error["code"] == "StageDefinitionInvalid"
        (item,) = [item for item in of_machine(vector["given"]) if item.code in MACHINE]
        assert item.level == "error"
        assert "Validation/StageDefinitionInvalid" in item.hint
        for value in error.get("context", {}).values():
            assert repr(value) in item.message + item.hint


def test_a_stage_object_may_have_no_other_key_and_a_markdown_stage_may() -> None:
    """V12 of the core set."""
    stage = {**OBJECT, "body": "Work.", "name": "S", "next": ENDS}
    assert "ST120" in [item.code for item in of_definition({"stage": stage})]
    text = written({**head("s"), "extra": 1}, "Work.\n")
    assert [item.level for item in findings(read(Files.of({"s.md": text.encode()})))] == ["hint"]


def test_values_are_rendered_as_stud_cli_renders_them() -> None:
    """V20 of the core set."""
    body = "v=${ctx.v}|n=${ctx.n}|b=${ctx.b}|o=${ctx.o}|s=${ctx.s}"
    ctx = {"v": None, "n": 7, "b": False, "o": {"nested": True}, "s": "hello"}
    text, warnings = render(convert_references(body), ctx, {})
    assert text == 'v=|n=7|b=false|o={"nested":true}|s=hello'
    assert warnings == ()


def test_every_vector_is_tested_or_excluded_with_a_reason(corpus: Path) -> None:
    static = {vector["id"] for vector in vectors(corpus, "definition", "machine")}
    known = {vector["id"] for vector in vectors(corpus)}
    assert static | set(PLAYED) == known
    assert static & set(PLAYED) == set()
    assert set(DIFFERS) <= set(PLAYED)
    assert all(len(reason) > 40 for reason in DIFFERS.values())
