"""Recognition and reading of packs."""

from __future__ import annotations

import json

from tests.dialects.stages.packs import (
    corpus_trees,
    files,
    folder,
    read,
    source,
    stage,
    to,
)
from tests.support.checks import each_row
from workflows.core.dialects import dialects, recognise
from workflows.core.dialects.stages import DIALECT
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Place

PROSE = b"---\ntitle: A page\nname: x\n---\nWords.\n"
OBJECT = {
    "id": "plan",
    "body": "Plan ${ctx.task}.",
    "turnCap": 5,
    "completionTool": "submit_plan",
    "completionSchema": {"type": "object"},
}
NOT_OURS = [
    ("a page with front matter", {"README.md": PROSE}),
    ("a page without", {"README.md": b"# Stages\n\ncompletionTool: x\n"}),
    ("a prompt pack", {"a.pack.json": b'{"prompts": {"a": {}}, "template_engine": {}}'}),
    ("a registry", {"steps_registry.json": b'{"agentId": "a", "steps": {"x": {"stepId": "x"}}}'}),
    ("the schema of stage objects", {"s.json": json.dumps({"properties": OBJECT}).encode()}),
    ("a JSON file that names the format", {"n.json": b'{"about": "signalbox.stud-pipeline/1"}'}),
    ("a list", {"l.json": b'["completionTool", "body"]'}),
]


@each_row(NOT_OURS)
def test_other_files_are_ignored(name: str, tree: dict[str, bytes]) -> None:
    assert DIALECT.recognises(Files.of(tree)) == []


def test_a_pipeline_includes_its_files_and_the_stages_in_their_folders() -> None:
    pack = files({"plan": to("build"), "build": to()})
    tree = Files.of({
        **{f"x/{path}": data for path, data in pack.items()},
        "x/stages/spare.md": stage("spare").encode(),
        "x/README.md": PROSE,
        "other/stages/alone.md": stage("alone").encode(),
    })  # fmt: skip
    found = {one.main: one for one in DIALECT.recognises(tree)}
    assert sorted(found) == ["other/stages/alone.md", "x/pipeline.json"]
    assert sorted(found["x/pipeline.json"].paths) == [
        "x/pipeline.json", "x/stages/build.md", "x/stages/plan.md", "x/stages/spare.md",
    ]  # fmt: skip
    assert found["x/pipeline.json"].name == "Tried"
    assert found["other/stages/alone.md"].name == "alone"


def test_two_pipelines_may_share_their_stages() -> None:
    pack = files({"plan": to()})
    again = {**pack, "pipeline.second.json": pack["pipeline.json"]}
    found = DIALECT.recognises(Files.of(again))
    assert [one.main for one in found] == ["pipeline.json", "pipeline.second.json"]
    assert all("stages/plan.md" in one.paths for one in found)


def test_a_stage_object_is_a_pack_of_its_own() -> None:
    tree = Files.of({"plan.stage.json": json.dumps(OBJECT, indent=2).encode()})
    assert [one.name for one in DIALECT.recognises(tree)] == ["plan"]
    found = read(tree)
    assert found.readable
    assert found.stages["plan"].form == "object"
    assert found.stages["plan"].body == "Plan ${ctx.task}."
    assert "body" not in found.stages["plan"].values


def test_stages_without_a_pipeline_go_by_their_id_else_by_their_file() -> None:
    found = read({
        "a.md": stage("plan").encode(),
        "b.md": stage("plan").encode(),
        "c.md": stage("x").replace("id: x\n", "").encode(),
    })  # fmt: skip
    assert list(found.stages) == ["plan", "b", "c"]
    assert found.pipeline is None


def test_a_stage_whose_file_is_not_there_is_still_a_stage() -> None:
    pack = dict(files({"plan": to("build"), "build": to()}))
    del pack["stages/build.md"]
    found = read(pack)
    assert found.stages["build"].missing
    assert found.place_in("build", "turnCap").path == "pipeline.json"
    assert [state.id for state in DIALECT.graph(found, "documented").states] == ["plan", "build"]


def test_a_stage_file_that_no_pipeline_names_is_unused() -> None:
    pack = {**files({"plan": to()}), "stages/spare.md": stage("spare").encode()}
    assert [file.path for file in read(pack).unused] == ["stages/spare.md"]


UNREADABLE = [
    ("ST101", {"pipeline.json": b'{"format": "signalbox.stud-pipeline/1", "stages": {'}, 1),
    ("ST102", {"pipeline.json": b'["signalbox.stud-pipeline/1"]'}, 1),
    ("ST104", {"a.md": stage("a").replace("turnCap: 6", "turnCap: [6").encode()}, 12),
    ("ST104", {"a.md": b"---\nid: a\nname: b\nturnCap: 1\n"}, 1),
    ("ST105", {"a.md": b"Words alone.\n"}, 1),
    ("ST106", {"a.md": stage("a").replace("owner: us", "turnCap: 7").encode()}, 14),
    ("ST107", {"a.md": stage("a").encode() + b"\xff\xfe"}, 16),
    ("ST108", {"a.md": stage("a").replace("name: A", 'name: "\\ud83d"').encode()}, 2),
    ("ST108", {"a.json": json.dumps({**OBJECT, "id": "\ud83d"}).encode()}, 1),
]


@each_row(UNREADABLE)
def test_an_unreadable_file_becomes_a_finding_with_its_line(
    code: str, pack: dict[str, bytes], line: int
) -> None:
    found = read(pack)
    assert [finding.code for finding in found.findings] == [code]
    assert found.locate(found.findings[0].place).line == line
    assert dict(found.files) == pack


def test_a_duplicate_pipeline_key_is_reported_with_its_line() -> None:
    text = files({"plan": to()})["pipeline.json"].decode()
    text = text.replace('"name": "Tried",', '"name": "Tried",\n  "name": "Again",')
    found = read({**files({"plan": to()}), "pipeline.json": text.encode()})
    assert [(finding.code, finding.place.line) for finding in found.findings] == [("ST103", 5)]


def test_numbers_without_an_end_are_texts() -> None:
    pack = {"a.md": stage("a").replace("turnCap: 6", "turnCap: -.inf").encode()}
    assert read(pack).stages["a"].values["turnCap"] == "-.inf"


@each_row([("/turnCap", 12), ("/completionSchema/properties/level", 10), ("/body", 16),
     ("/body#task", 16), ("/nothing", 2), ("no pointer", 1)])  # fmt: skip
def test_places_in_a_stage_file_have_their_line(pointer: str, line: int) -> None:
    found = source({"plan": to()})
    assert found.locate(Place(path="stages/plan.md", pointer=pointer)).line == line


def test_places_in_the_pipeline_have_their_line() -> None:
    found = source({"plan": to("build"), "build": to()})
    place = found.place("stages", "plan", "next", "nextStages", 0)
    text = found.files["pipeline.json"].decode().split("\n")
    assert '"build"' in text[found.locate(place).line - 1]


def test_no_other_dialect_takes_what_holds_stages() -> None:
    for _, tree in corpus_trees():
        assert {pack.dialect for pack in recognise(tree)} == {"stages"}


@each_row(sorted(set(dialects()) - {"stages"}))
def test_packs_of_other_dialects_are_left_to_them(name: str) -> None:
    for files_ in dialects()[name].samples().values():
        assert DIALECT.recognises(files_) == []


def test_lone_stages_are_named_after_their_file_and_folders_after_themselves() -> None:
    tree = {f"flows/review/stages/{id}.md": stage(id).encode() for id in ("a", "b")}
    assert [pack.name for pack in DIALECT.recognises(Files.of(tree))] == ["review"]
    assert list(folder("a", "b").stages) == ["a", "b"]
