"""Forms of the inspector, and the outline."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.stages.packs import files, folder, read, source, stage, to, when
from tests.support.checks import each_row
from workflows.core.dialects.stages import DIALECT
from workflows.core.dialects.stages.format.stage_file import OPTIONAL, REQUIRED
from workflows.core.pack.edits import EditRefused

PACK: dict[str, Any] = {
    "plan": {
        "next": {"cases": [when(True, to("a", "b", join="c"))], "else": to("plan")},
        "setup": {"task": {"from": "run.input.task"}},
        "exit": {"slot": {"plan": "result.parsed"}},
    },
    "a": to(), "b": to(), "c": to(),
}  # fmt: skip
MORE = {
    "grants": [{"tool": "bash", "stages": ["a"], "max": 1}],
    "runInputSchema": {"properties": {"task": {"type": "string"}}},
}


def form(element: str, pack: Any = None) -> Any:
    return DIALECT.fields(pack or source(PACK, **MORE), element, "documented")


def test_a_stage_shows_every_key_of_the_format_with_help() -> None:
    found = form("state:plan")
    properties = found.schema["properties"]
    assert set(REQUIRED) | set(OPTIONAL) | {"body", "setup", "gate", "assert", "exit"} <= set(
        properties
    )
    for name, schema in properties.items():
        assert schema["title"], name
        assert "x-group" in schema, name
        assert schema.get("description") or name in ("name", "tags"), name
    assert properties["body"]["x-widget"] == "prompt"
    assert properties["completionSchema"]["x-widget"] == "json"
    assert "read" in properties["allowedTools"]["x-choices"]


def test_a_stage_shows_only_what_its_files_have() -> None:
    found = form("state:plan")
    assert found.values["owner"] == "us"
    assert found.schema["properties"]["owner"]["x-group"] == "Other keys"
    assert found.values["setup"] == {"task": {"from": "run.input.task"}}
    assert found.values["body"] == "Do it: {{ctx.task}}\n"
    assert "description" not in found.values
    assert ("file:stages/plan.md", "Stage file") in found.links


def test_the_worst_case_is_shown_at_its_fields() -> None:
    properties = form("state:plan").schema["properties"]
    assert "12 replies" in properties["turnCap"]["description"]
    text = stage("plan").replace("turnCap: 6", "turnCap: many")
    pack = read({**files({"plan": to()}), "stages/plan.md": text.encode()})
    assert "At most" not in form("state:plan", pack).schema["properties"]["turnCap"]["description"]


def test_setup_fields_offer_readable_sources() -> None:
    setup = form("state:plan").schema["properties"]["setup"]["additionalProperties"]
    choices = setup["properties"]["from"]["x-choices"]
    assert choices == ["run.input.task", "slot.plan", "upstream[0].parsed"]


def test_an_arrow_shows_its_condition_and_where_branches_meet() -> None:
    found = form("transition:plan|approved = true|a")
    assert found.values["when"]["path"] == "result.parsed.approved"
    assert found.values["join"] == "c"
    assert found.values["label"] == "approved = true"
    assert "when" not in form("transition:plan|else|plan").values
    assert form("transition:a|join|c").schema["properties"]["label"]["readOnly"]


def test_a_stage_object_shows_the_keys_that_it_has() -> None:
    pack = read({"a.json": b'{"id": "a", "body": "", "completionTool": "x", "turnCap": 1}'})
    found = form("state:a", pack)
    assert "resolutionPolicy" not in found.schema["properties"]
    assert found.values["body"] == ""


def test_the_outline_lists_all_elements_that_are_not_states() -> None:
    pack = source(PACK, **MORE)
    sections = {section.kind: section for section in DIALECT.outline(pack)}
    assert [element for element, _ in sections["grant"].items] == ["grant:bash"]
    assert [element for element, _ in sections["setup"].items] == ["setup:plan/task"]
    assert len(sections["file"].items) == 5
    for section in sections.values():
        for element, label in section.items:
            assert label
            assert form(element, pack).element == element


def test_a_pack_without_a_pipeline_has_a_form_too() -> None:
    assert form("pack", folder("a")).values == {}
    assert form("state:a", folder("a")).place.path == "stages/a.md"


@each_row(["state:x", "grant:x", "file:x", "robot:x", "x", "setup:a/b"])
def test_a_missing_element_has_no_form(element: str) -> None:
    with pytest.raises(EditRefused):
        form(element)


def test_a_broken_pipeline_shows_its_files_alone() -> None:
    pack = read({**files({"a": to()}), "pipeline.json": b'{"format": "signalbox.stud-pipeline/1"'})
    assert form("file:pipeline.json", pack).values["text"].startswith("{")
    with pytest.raises(EditRefused, match="cannot be read"):
        form("state:a", pack)


@each_row(sorted(DIALECT.samples()))
def test_samples_are_read_drawn_and_shown(name: str) -> None:
    files_ = DIALECT.samples()[name]
    (found,) = DIALECT.recognises(files_)
    assert set(found.paths) == set(files_)
    pack = read(files_)
    assert not pack.findings
    graph = DIALECT.graph(pack, "strict")
    assert graph.entries
    for state in graph.states:
        assert form(state.element, pack).removable
    for arrow in graph.transitions:
        assert form(arrow.element, pack).values["target"] == arrow.target
