"""Rules over the front matter of a stage: the eight keys, their types and values (section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from workflows.core.dialects.stages.format.repair import KEBAB, default_values, kebab, title_of
from workflows.core.dialects.stages.format.stage_file import OPTIONAL, REQUIRED, StageFile
from workflows.core.dialects.stages.rules.kit import (
    set_in_stage,
    stage_rule,
    unset_in_stage,
    upstream,
)
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.edits import RenameState
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, make_fix
from workflows.core.text.tolerant import as_str, is_number

_OBJECT = ("id", "turnCap", "completionTool", "completionSchema")
"""Required keys of a stage object besides its body (section 3.5)."""
_WITHOUT_EFFECT = ("model", "provider", "temperature", "modelId", "providerId")


def _listed_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_SHAPES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "id": ("a string", lambda value: isinstance(value, str)),
    "name": ("a string", lambda value: isinstance(value, str)),
    "allowedTools": ("a list of tool names", _listed_texts),
    "completionTool": ("a string", lambda value: isinstance(value, str)),
    "completionSchema": ("a JSON Schema", lambda value: isinstance(value, dict)),
    "retryPolicy": (
        "a mapping with maxAttempts and backoff",
        lambda value: isinstance(value, dict),
    ),
    "turnCap": ("a whole number", is_number),
    "resolutionPolicy": ("a string", lambda value: isinstance(value, str)),
    "description": ("a string", lambda value: isinstance(value, str)),
    "inputsSchema": ("a JSON Schema", lambda value: isinstance(value, dict)),
    "tags": ("a list of strings", _listed_texts),
}


@stage_rule("ST201", "error", "Key is missing", profiles=EVERY)
def missing_key(facts: Facts) -> Iterable[Note]:
    """A stage in markdown has eight keys: id, name, allowedTools, completionTool, completionSchema,
    retryPolicy, turnCap and resolutionPolicy. If one is missing, the state machine of the stage
    does not start. Add the key. A stage without tools has `allowedTools: []`."""
    for stage, file in facts.heads:
        required = _OBJECT if file.form == "object" else REQUIRED
        for key in required:
            if key in file.values:
                continue
            near = closest_name(key, set(file.values) - set(_SHAPES))
            yield Note(
                message=f"Stage {stage!r} has no {key!r}. {'Rename' if near else 'Add'} the key.",
                place=facts.head(stage, near or key),
                hint=f"Rename {near!r} to {key!r}." if near else _expected_type(key),
                fix=None if near else _default_fix(stage, key),
            )


def _expected_type(key: str) -> str:
    return f"{key} is {_SHAPES[key][0]}."


def _default_fix(stage: str, key: str) -> Any:
    """A fix for keys whose default does not decide anything for the author."""
    values = {**default_values(stage), "completionTool": f"submit_{stage.replace('-', '_')}"}
    if key not in values:
        return None
    return make_fix(f"Add {key}", set_in_stage(stage, key, value=values[key]))


@stage_rule("ST202", "error", "Value has the wrong type", profiles=EVERY)
def wrong_type(facts: Facts) -> Iterable[Note]:
    """A key of the stage has a value of the wrong type, such as one string with commas instead of a
    list, or no value at all. Readers refuse the stage. The message names the expected type."""
    for stage, file in facts.heads:
        for key, (what, fits) in _SHAPES.items():
            if key not in file.values or fits(file.values[key]):
                continue
            value = file.values[key]
            actual = "is empty" if value is None else f"is {_type_name(value)}"
            yield Note(
                message=f"{key!r} of {stage!r} {actual}, not {what}.",
                place=facts.head(stage, key),
                hint=f"Write {what}.",
                fix=_type_fix(stage, key, value),
            )


def _type_name(value: Any) -> str:
    match value:
        case bool():
            return "true or false"
        case str():
            return "a string"
        case int() | float():
            return "a number"
        case list():
            return "a list with items that are not strings" if value else "a list"
        case _:
            return "a mapping"


def _type_fix(stage: str, key: str, value: Any) -> Any:
    """Convert a string with commas to a list, a quoted number to a number, and a number to a
    string."""
    if key in ("allowedTools", "tags") and isinstance(value, str):
        items = [item.strip() for item in value.split(",") if item.strip()]
        return make_fix("Make it a list", set_in_stage(stage, key, value=[*items]))
    if key == "turnCap" and isinstance(value, str) and value.isascii() and value.isdigit():
        return make_fix("Make it a number", set_in_stage(stage, key, value=int(value[:9])))
    texts = ("name", "description", "completionTool", "id", "resolutionPolicy")
    if key in texts and is_number(value):
        return make_fix("Make it a string", set_in_stage(stage, key, value=str(value)))
    return None


@stage_rule("ST203", "error", "Id is not in kebab-case", profiles=EVERY)
def id_form(facts: Facts) -> Iterable[Note]:
    """The id of a stage in markdown consists of lowercase letters and digits with hyphens between
    words, such as `review-tests`. The id identifies the stage in the pipeline, in the state slot
    and in logs. The fix renames the stage and every reference in this pack."""
    yield from _ids(facts, "markdown")


@stage_rule("ST204", "error", "Duplicate id", profiles=EVERY)
def repeated_id(facts: Facts) -> Iterable[Note]:
    """Two stages have the same id, often because the pipeline names one file twice. Successors are
    looked up by id, so one of the two is unreachable, and stud-cli refuses the whole state machine.
    Give one of them its own id and file."""
    owners: dict[str, str] = {}
    for stage, file in facts.source.stages.items():
        id = as_str(facts.values(stage).get("id"))
        keys = [key for key in (id, file.path and f"file {file.path}") if key]
        first = next((owners[key] for key in keys if key in owners), "")
        if first:
            yield Note(
                message=f"{first!r} and {stage!r} have the same id {id or first!r}. Change one.",
                place=facts.entry(stage, "file") if facts.has_pipeline else facts.head(stage, "id"),
                hint=upstream("StageDefinitionInvalid") + f" Its duplicateId is {id or first!r}.",
            )
        owners |= {key: stage for key in keys if key not in owners}


@stage_rule("ST210", "hint", "Stage cannot choose a model", profiles=EVERY)
def model_without_effect(facts: Facts) -> Iterable[Note]:
    """A stage runs with the model and provider of the session; it cannot choose its own in this
    version of the format. The key stays in the file but has no effect. Remove it, or bind a role to
    the stage."""
    for stage, file in facts.heads:
        for key in _WITHOUT_EFFECT:
            if key in file.values:
                yield Note(
                    message=f"{key!r} of {stage!r} has no effect: a stage cannot choose its model.",
                    place=facts.head(stage, key),
                    fix=make_fix(f"Remove {key}", unset_in_stage(stage, key)),
                )


@stage_rule("ST211", "error", "Text is empty", profiles=EVERY)
def empty_text(facts: Facts) -> Iterable[Note]:
    """The id, name or completion tool of this stage is an empty string. The id is the target of
    transitions, the name is the title, and the model calls the completion tool to finish. Write a
    value for each."""
    for stage, file in facts.heads:
        for key in ("id", "name", "completionTool"):
            value = file.values.get(key)
            if isinstance(value, str) and not value.strip():
                yield Note(
                    message=f"{key!r} of {stage!r} is empty. Write a value.",
                    place=facts.head(stage, key),
                    fix=_default_fix(stage, key),
                )


@stage_rule("ST212", "warning", "Id of a stage object is not in kebab-case", profiles=EVERY)
def object_id_form(facts: Facts) -> Iterable[Note]:
    """The source code of stud-cli accepts any string as an id, and its own state machine has ids
    such as `BuildA`. Markdown files require lowercase letters, digits and hyphens, so this stage
    cannot be converted to markdown with its id. The fix renames the stage and every reference in
    this pack."""
    yield from _ids(facts, "object")


def _ids(facts: Facts, form: str) -> Iterator[Note]:
    for stage, file in facts.heads:
        id = file.values.get("id")
        if file.form != form or not isinstance(id, str) or not id.strip() or KEBAB.match(id):
            continue
        new = kebab(id, facts.source.stages)
        yield Note(
            message=f"The id {id!r} is not in kebab-case. Rename the stage.",
            place=facts.head(stage, "id"),
            hint=f"For example {new!r}.",
            fix=make_fix(f"Rename it to {new}", RenameState(id=stage, new_id=new)),
        )


@stage_rule("ST213", "hint", "Key may be misspelt", profiles=EVERY)
def misspelt_key(facts: Facts) -> Iterable[Note]:
    """Stages may have custom keys, which the runtime ignores. This one is very similar to a key
    of the format, so it may be misspelt; as written it has no effect. Correct it, or ignore this
    hint."""
    keys = (*REQUIRED, *OPTIONAL)
    for stage, file in facts.heads:
        for key in file.values:
            near = _misspelt(key, file, keys)
            if near:
                yield Note(
                    message=f"{key!r} of {stage!r} has no effect. Did you mean {near!r}?",
                    place=facts.head(stage, key),
                )


@stage_rule("ST215", "hint", "Name and tool of an earlier id", profiles=EVERY)
def earlier_id(facts: Facts) -> Iterable[Note]:
    """New stages get a name and a completion tool from their id. After a rename, both still have
    the earlier one, so people and the model read another name than the canvas. The fix changes the
    name, the tool, and the tool's name in the prompt."""
    for stage, file in facts.heads:
        name, tool = file.values.get("name"), file.values.get("completionTool")
        if not isinstance(tool, str) or not tool.startswith("submit_"):
            continue
        earlier, new = tool.removeprefix("submit_").replace("_", "-"), stage.replace("-", "_")
        if earlier == stage or name != title_of(earlier):
            continue
        edits = [
            set_in_stage(stage, "name", value=title_of(stage)),
            set_in_stage(stage, "completionTool", value=f"submit_{new}"),
        ]
        if tool in file.body:
            edits.append(
                set_in_stage(stage, "body", value=file.body.replace(tool, f"submit_{new}"))
            )
        yield Note(
            message=f"Stage {stage!r} is still named {name!r}, with the tool {tool!r}.",
            place=facts.head(stage, "name"),
            fix=make_fix(f"Name both after {stage}", *edits),
        )


def _misspelt(key: str, file: StageFile, keys: tuple[str, ...]) -> str:
    if key in keys or len(key) < 4:
        return ""
    near = closest_name(key, keys)
    return near if near and near not in file.values else ""
