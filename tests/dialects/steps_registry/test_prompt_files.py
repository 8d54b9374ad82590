"""Prompt files and answer schemas of a step: links, and creation of missing files."""

from __future__ import annotations

import json
from typing import Any

from tests.dialects.steps_registry.packs import (
    MAIN,
    SCHEMA,
    Change,
    findings,
    loud,
    pack,
    put,
    setting,
)
from tests.dialects.steps_registry.test_generation_b import next_tree
from tests.support.checks import each_row
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import RenameState, SetField, UnsetField
from workflows.core.pack.findings import Finding

S = "registry/steps"
STEPS = ".agent/t/prompts/steps"
PROMPT = f"{STEPS}/initial/a/f_default.md"
CLOSURE = f"{STEPS}/closure/a/f_default"
FIRST = "state:initial.a"


def note(source: RegistrySource, element: str = FIRST) -> str:
    form = DIALECT.fields(source, element, "documented")
    properties: Any = form.schema["properties"]
    text: str = properties["prompt"]["description"]
    return text


def links(source: RegistrySource, element: str = FIRST) -> dict[str, str]:
    return {
        link: label
        for link, label in DIALECT.fields(source, element, "documented").links
        if link.startswith("file:")
    }


def told(source: RegistrySource, code: str) -> list[Finding]:
    return [found for found in findings(source, "climpt") if found.code == code]


def repaired(source: RegistrySource, code: str) -> RegistrySource:
    (first, *_) = told(source, code)
    assert first.fix is not None
    for edit in first.fix.edits:
        source = DIALECT.apply(source, edit)
    return source


def without(path: str) -> Change:
    return lambda whole: whole["files"].pop(path)


def adapted(whole: dict[str, Any]) -> None:
    put(whole, f"{S}/initial.a/adaptation", "short")


def _github(whole: dict[str, Any]) -> None:
    github = {"enabled": True, "defaultClosureAction": "label-only"}
    put(whole, "agent/runner/integrations", {"github": github})


def _chained(whole: dict[str, Any]) -> None:
    next_tree(whole)
    put(whole, f"{S}/initial.a/adaptationChain", ["short"])


NOTES: list[tuple[str, Change | None, str, str]] = [
    ("the file itself", None, FIRST, PROMPT),
    ("no file", without(PROMPT), FIRST, f"{PROMPT} is missing. Enter a prompt to create it."),
    (
        "an adaptation without a file",
        adapted,
        FIRST,
        f"{STEPS}/initial/a/f_default_short.md is missing; {PROMPT} is sent.",
    ),
    (
        "the closure action's adaptation",
        _github,
        "state:closure.a",
        f"{CLOSURE}.md\nWith the closure action label-only: {CLOSURE}_label-only.md is missing; "
        f"{CLOSURE}.md is sent.",
    ),
    (
        "a chain",
        _chained,
        FIRST,
        f"{PROMPT}\nRepeat 1: {STEPS}/initial/a/f_default_short.md is missing; {PROMPT} is sent.",
    ),
    (
        "another path by template",
        lambda whole: (
            put(whole, "registry/pathTemplateNoAdaptation", "{c2}-{c3}.md"),
            whole["files"].update({".agent/t/prompts/initial-a.md": "x"}),
        ),
        FIRST,
        f"{PROMPT}\nThe profile documented sends .agent/t/prompts/initial-a.md, the path of the "
        "path template.",
    ),
    (
        "no address",
        setting((f"{S}/initial.a/c3", "")),
        FIRST,
        "The step has no c2 or no c3, so its prompt has no path yet.",
    ),
]


@each_row([row[1:] for row in NOTES])
def test_the_prompts_path_is_shown_as_it_resolves(
    change: Change | None, element: str, said: str
) -> None:
    assert note(pack(change), element) == said


def test_files_next_to_a_prompt_are_linked() -> None:
    def change(whole: dict[str, Any]) -> None:
        whole["files"][f"{STEPS}/initial/a/f_default_short.md"] = "x"
        whole["files"][".agent/t/schemas/common.json"] = json.dumps({"n": {"type": "string"}})
        whole["schema"]["initial.a"]["properties"]["note"] = {"$ref": "common.json#/n"}

    assert links(pack(change)) == {
        f"file:{PROMPT}": "Prompt file",
        f"file:{STEPS}/initial/a/f_default_short.md": "Prompt f_default_short.md",
        f"file:{SCHEMA}": "Schema file",
        "file:.agent/t/schemas/common.json": "Schema common.json",
    }


MISSING: list[tuple[str, Change, str, str]] = [
    ("SR401 a prompt", without(PROMPT), "SR401", PROMPT),
    ("SR402 an adaptation", adapted, "SR402", f"{STEPS}/initial/a/f_default_short.md"),
    ("SR419 the system prompt", without(".agent/t/prompts/system.md"), "SR419",
     ".agent/t/prompts/system.md"),
    ("SR416 the path config", without(".agent/climpt/config/t-steps-user.yml"), "SR416",
     ".agent/climpt/config/t-steps-user.yml"),
    ("SR301 a schema file", setting((f"{S}/initial.a/outputSchemaRef/file", "deep/new.json")),
     "SR301", ".agent/t/schemas/deep/new.json"),
    ("SR715 the closure action's prompt", _github, "SR715", f"{CLOSURE}_label-only.md"),
    ("SR424 a prompt of a chain", _chained, "SR424", f"{STEPS}/initial/a/f_default_short.md"),
]  # fmt: skip


@each_row([row[1:] for row in MISSING])
def test_a_missing_file_is_made_by_one_click(change: Change, code: str, path: str) -> None:
    source = pack(change)
    after = repaired(source, code)
    assert set(source.files.difference(after.files)) == {path}
    assert after.files[path]
    assert told(after, code) == told(source, code)[1:]


def test_a_first_prompt_has_the_variables_that_the_step_declares() -> None:
    def change(whole: dict[str, Any]) -> None:
        without(PROMPT)(whole)
        put(whole, f"{S}/initial.a/uvVariables", ["issue", "iteration"])
        put(whole, f"{S}/continuation.a/uvVariables", ["issue", "iteration"])

    after = repaired(pack(change), "SR401")
    text = after.files[PROMPT].decode()
    assert "{uv-issue}" in text
    assert "{uv-iteration}" in text
    assert not {found.code for found in findings(after)} & {"SR401", "SR408", "SR805"}


def test_a_first_schema_serves_every_step_that_names_it() -> None:
    change = setting(
        (f"{S}/initial.a/outputSchemaRef", {"file": "n.json", "schema": "initial.a"}),
        (f"{S}/closure.a/outputSchemaRef", {"file": "n.json", "schema": "#/definitions/end"}),
    )
    after = repaired(pack(change), "SR301")
    assert loud(after) == []
    schema = after.json(".agent/t/schemas/n.json")
    assert schema is not None
    assert list(schema.value) == ["$schema", "initial.a", "definitions"]


def test_a_missing_definition_is_written_into_its_file() -> None:
    source = pack(setting((f"{S}/initial.a/outputSchemaRef/schema", "#/definitions/begin")))
    after = repaired(source, "SR302")
    assert set(source.files.difference(after.files)) == {SCHEMA}
    assert loud(after) == []


def test_an_id_takes_its_prompt_along() -> None:
    renamed = DIALECT.apply(pack(), RenameState(id="initial.a", new_id="initial.issue"))
    moved = f"{STEPS}/initial/issue/f_default.md"
    assert PROMPT not in renamed.files
    assert renamed.files[moved] == pack().files[PROMPT]
    assert [found.code for found in findings(renamed) if found.code in ("SR401", "SR414")] == []

    # A pack whose author renamed the step by hand has the prompt at its old place.
    files = renamed.files.changed({moved: None, PROMPT: renamed.files[moved]})
    main = files[renamed.main].replace(b'"c3": "issue"', b'"c3": "a"', 1)
    source = DIALECT.read(files.changed({renamed.main: main}))
    after = repaired(source, "SR414")
    assert after.value["steps"]["initial.issue"]["c3"] == "issue"
    assert PROMPT not in after.files
    assert after.files[f"{STEPS}/initial/issue/f_default.md"] == source.files[PROMPT]
    assert [found.code for found in findings(after) if found.code in ("SR401", "SR414")] == []


def test_a_prompt_that_two_steps_share_stays_where_it_is() -> None:
    change = setting((f"{S}/continuation.a/c2", "initial"))
    assert [found.fix for found in told(pack(change), "SR414")] == [None]


@each_row(["new {uv-issue}\n", "Ünïcode\r\nlines", ""])
def test_a_prompt_is_edited_as_the_file_it_is(text: str) -> None:
    head = "---\nname: x\n---\n"
    source = pack(lambda whole: whole["files"].update({PROMPT: f"{head}old"}))
    form = DIALECT.fields(source, f"file:{PROMPT}", "documented")
    assert form.values == {"text": f"{head}old"}
    whole = DIALECT.apply(source, SetField(element=f"file:{PROMPT}", field="/text", value=text))
    assert whole.files[PROMPT] == text.encode()
    beside = DIALECT.apply(source, SetField(element=FIRST, field="/prompt/text", value=text))
    assert beside.files[PROMPT] == (head + text).encode()
    for after in (whole, beside):
        assert set(source.files.difference(after.files)) == {PROMPT}


def test_a_schema_edit_changes_its_own_bytes_only() -> None:
    source = pack()
    form = DIALECT.fields(source, FIRST, "documented")
    assert form.values["schema"] == source.json(SCHEMA).value["initial.a"]  # type: ignore[union-attr,index,call-overload]
    edit = SetField(element=FIRST, field="/schema/properties/note", value={"type": "string"})
    after = DIALECT.apply(source, edit)
    assert set(source.files.difference(after.files)) == {SCHEMA}
    undo = UnsetField(element=FIRST, field="/schema/properties/note")
    assert DIALECT.apply(after, undo).files == source.files
    assert MAIN in source.files
