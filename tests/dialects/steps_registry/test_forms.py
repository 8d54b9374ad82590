"""Every field that the format's page lists is in a form, and setting it changes its bytes alone."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.dialects.steps_registry.packs import (
    AGENT,
    MAIN,
    Change,
    corpus_packs,
    pack,
    put,
)
from tests.dialects.steps_registry.test_generation_b import next_tree
from tests.support.checks import each_row
from tests.support.corpus import at_least
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.dialects.steps_registry.edits.locations import place_of
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import SetField, UnsetField
from workflows.core.text.json.document import pointer_of

S = "registry/steps"


def rich(whole: dict[str, Any]) -> None:
    """An agent with one of everything."""
    first = f"{S}/initial.a"
    branching = {
        "condition": "status",
        "targets": {"ready": "continuation.a", "default": "initial.a"},
    }
    put(whole, f"{first}/transitions/next", branching)
    put(whole, f"{first}/uvVariables", ["iteration", "issue"])
    put(whole, f"{first}/structuredGate/handoffFields", ["x"])
    put(whole, f"{first}/transitions/jump", {"target": "continuation.a", "fallback": "initial.a"})
    put(whole, f"{first}/inputs", {"s": {"from": "closure.a.x", "required": False}})
    put(whole, f"{S}/closure.a/runner", {"command": "make", "args": ["all"], "timeout": 5})
    whole["registry"] |= {
        "failurePatterns": {
            "dirty": {"description": "d", "edition": "failed", "params": ["files"]}
        },
        "validators": {
            "clean": {
                "type": "command",
                "command": "check",
                "successWhen": "empty",
                "failurePattern": "dirty",
                "extractParams": {"files": "stdout"},
            }
        },
        "validationSteps": {
            "closure.iteration": {
                "stepId": "closure.iteration",
                "name": "n",
                "c2": "retry",
                "c3": "a",
                "validationConditions": [{"validator": "clean"}],
                "onFailure": {"action": "retry"},
            }
        },
        "entryStepMapping": {"poll:state": "initial.a"},
    }


def rich_next(whole: dict[str, Any]) -> None:
    rich(whole)
    next_tree(whole)


GATE = "/structuredGate"
RUNNER = "/runner/verdict"
FIELDS: dict[str, list[tuple[str, Any]]] = {
    "pack": [
        ("/agentId", "u"), ("/version", "2.0.0"), ("/c1", "other"), ("/entryStep", "closure.a"),
        ("/entryStepMapping/poll:state", "closure.a"), ("/pathTemplate", "{c2}.md"),
        ("/pathTemplateNoAdaptation", "{c2}.md"), ("/userPromptsBase", "p"), ("/schemasBase", "s"),
    ],
    "state:initial.a": [
        ("/name", "Anfang"), ("/stepKind", "verification"), ("/description", "Über"),
        ("/c2", "verification"), ("/c3", "issue"), ("/edition", "long"), ("/adaptation", "x"),
        ("/type", "prompt"), ("/fallbackKey", "initial_issue"), ("/uvVariables", ["issue"]),
        ("/uvVariables/0", "check_count"), ("/usesStdin", True), ("/model", "haiku"),
        ("/permissionMode", "plan"), ("/outputSchemaRef/file", "t.json"),
        ("/outputSchemaRef/schema", "x"), ("/inputs/s/from", "continuation.a.y"),
        ("/inputs/s/required", True), ("/inputs/s/default", 3), ("/inputs/t", {"default": "d"}),
        (f"{GATE}/intentSchemaRef", "#/properties/x"), (f"{GATE}/intentField", "x"),
        (f"{GATE}/targetField", "next_action.target"), (f"{GATE}/handoffFields", ["a.b"]),
        (f"{GATE}/handoffFields/0", "status"), (f"{GATE}/targetMode", "dynamic"),
        (f"{GATE}/failFast", False), (f"{GATE}/fallbackIntent", "repeat"),
        ("/transitions/next/condition", "mood"), ("/transitions/next/targets/ready", "closure.a"),
        ("/transitions/next/targets/blocked", "initial.a"),
        ("/transitions/jump/target", "initial.a"), ("/transitions/jump/fallback", "closure.a"),
        ("/transitions/repeat/target", "continuation.a"),
    ],
    "state:closure.a": [
        ("/runner/command", "just"), ("/runner/args", ["x"]), ("/runner/args/0", "y"),
        ("/runner/timeout", 60000), ("/transitions/closing/target", "initial.a"),
    ],
    "transition:initial.a|next: ready|continuation.a": [("/condition", "mood")],
    "validator:clean": [
        ("/type", "file"), ("/command", "git status"), ("/successWhen", "exitCode:0"),
        ("/failurePattern", "other"), ("/extractParams/files", "parseChangedFiles"),
        ("/extractParams/more", "stderr"), ("/path", "README.md"), ("/recoverableByDefault", False),
        ("/semanticConfig", {"checkType": "commit-message"}), ("/phase", "preflight"),
    ],
    "failurePattern:dirty": [
        ("/description", "Dirty"), ("/edition", "again"), ("/adaptation", "git-dirty"),
        ("/params", ["lines"]), ("/params/0", "errors"), ("/semanticMatch", ["uncommitted"]),
    ],
    "validationStep:closure.iteration": [
        ("/stepId", "x"), ("/name", "Checks"), ("/description", "d"), ("/c2", "other"),
        ("/c3", "issue"), ("/validationConditions", [{"validator": "a"}, {"validator": "b"}]),
        ("/validationConditions/0/validator", "tests"),
        ("/validationConditions/0/params", {"branch": "main"}),
        ("/onFailure/action", "abort"), ("/onFailure/maxAttempts", 2),
        ("/outputSchema", {"type": "object"}), ("/outputSchemaRef", {"file": "f", "schema": "s"}),
        ("/preflightConditions", [{"validator": "clean"}]),
        ("/postLLMConditions", [{"validator": "clean"}]),
    ],
    "entry:": [("/step", "closure.a")],
    "entry:poll:state": [("/step", "closure.a")],
    "agent:": [
        ("/name", "u"), ("/description", "d"), ("/parameters/issue/required", False),
        ("/parameters/issue/default", 7), ("/parameters/issue/cli", "--number"),
        ("/parameters/more", {"type": "string"}), (f"{RUNNER}/type", "poll:state"),
        (f"{RUNNER}/config/maxIterations", 3), (f"{RUNNER}/config/maxChecks", 2),
        (f"{RUNNER}/config/verdictKeyword", "DONE"), (f"{RUNNER}/config/signalType", "s"),
        (f"{RUNNER}/config/handlerPath", "h.ts"), (f"{RUNNER}/config/operator", "and"),
        (f"{RUNNER}/config/conditions", []), (f"{RUNNER}/config/entryStep", "initial.a"),
        ("/runner/flow", {"defaultModel": "haiku"}),
        ("/runner/boundaries", {"permissionMode": "plan"}),
        ("/runner/integrations", {"github": {"enabled": True}}),
    ],
}  # fmt: skip
NEXT_FIELDS: dict[str, list[tuple[str, Any]]] = {
    "pack": [("/entryStepMapping/count:iteration/initial", "closure.a")],
    "state:initial.a": [
        ("/kind", "closure"), ("/address/c1", "x"), ("/address/c2", "x"), ("/address/c3", "x"),
        ("/address/edition", "x"), ("/address/adaptation", "x"), ("/adaptationChain", ["a", "b"]),
        ("/adaptationChain/0", "short"),
    ],
    "validationStep:closure.iteration": [("/address", {"c2": "retry"})],
    "entry:count:iteration": [("/initial", "closure.a"), ("/continuation", "initial.a")],
}  # fmt: skip


def _rows() -> Iterator[tuple[Change, str, str, Any]]:
    for change, table in ((rich, FIELDS), (rich_next, NEXT_FIELDS)):
        for element, pairs in table.items():
            for field, value in pairs:
                yield change, element, field, value


ROWS = list(_rows())


def field_schema(schema: Any, field: str) -> Any:
    """The part of a form's schema that draws this field, None where nothing does."""
    for part in pointer_of(field):
        if not isinstance(schema, dict):
            return None
        if part in schema.get("properties", {}):
            schema = schema["properties"][part]
        elif isinstance(part, int) or str(part).isdigit():
            schema = schema.get("items")
        else:
            schema = schema.get("additionalProperties")
    return schema


ABSENT = object()


def at(value: Any, field: str) -> Any:
    """The value at a field of a form; ABSENT without one."""
    for part in pointer_of(field):
        if isinstance(value, list):
            value = value[int(part)] if int(part) < len(value) else ABSENT
        else:
            value = value.get(part, ABSENT) if isinstance(value, dict) else ABSENT
    return value


def expected(source: RegistrySource, element: str, field: str, value: Any) -> tuple[str, Any]:
    """The file, and what it should hold once this one field is set."""
    path, base = place_of(source, element)
    text = source.json(path)
    assert text is not None
    root = copy.deepcopy(text.value)
    pointer = (*base, *(() if field == "/step" else pointer_of(field)))
    node: Any = root
    for key in pointer[:-1]:
        node = node[int(key)] if isinstance(node, list) else node[key]
    if isinstance(node, list):
        node[int(pointer[-1]) :] = [value, *node[int(pointer[-1]) + 1 :]]
    else:
        node[pointer[-1]] = value
    return path, root


def changed_lines(old: bytes, new: bytes) -> tuple[int, int]:
    """(count, count) of lines between the first and the last difference."""
    before, after = old.split(b"\n"), new.split(b"\n")
    start = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return len(before) - start - end, len(after) - start - end


def height(value: Any) -> int:
    return json.dumps(value, indent=2).count("\n") + 1


@each_row(ROWS)
def test_a_field_is_in_its_form_and_is_set_in_its_own_bytes(
    change: Change, element: str, field: str, value: Any
) -> None:
    source = pack(change)
    form = DIALECT.fields(source, element, "documented")
    drawn = field_schema(form.schema, field)
    assert drawn, "nothing in the form draws it"
    assert "type" in drawn or drawn.get("x-widget") == "json"
    after = DIALECT.apply(source, SetField(element=element, field=field, value=value))
    path, whole = expected(source, element, field, value)
    assert set(source.files.difference(after.files)) == {path}
    assert path in (MAIN, AGENT)
    text = after.json(path)
    assert text is not None
    assert text.value == whole
    held = ABSENT if field == "/step" else at(form.values, field)
    old, new = changed_lines(source.files[path], after.files[path])
    assert old <= (height(held) if held is not ABSENT else 1) + 1
    assert new <= height(value) + 2


def test_allowed_intents_take_the_enum_along_and_nothing_else() -> None:
    source = pack(rich)
    field = "/structuredGate/allowedIntents"
    intents: Any = ["next", "repeat", "jump"]
    after = DIALECT.apply(source, SetField(element="state:initial.a", field=field, value=intents))
    difference = source.files.difference(after.files)
    assert set(difference) == {MAIN, ".agent/t/schemas/s.json"}
    for path in difference:
        assert changed_lines(source.files[path], after.files[path])[0] <= 6


@each_row(FIELDS)
def test_an_unset_field_goes_and_comes_back(element: str) -> None:
    """Setting and unsetting a missing value restores the bytes."""
    source = pack(rich)
    form = DIALECT.fields(source, element, "documented")
    for field, value in FIELDS[element]:
        if field == "/step" or at(form.values, field) is not ABSENT:
            continue
        there = DIALECT.apply(source, SetField(element=element, field=field, value=value))
        back = DIALECT.apply(there, UnsetField(element=element, field=field))
        assert back.files == source.files, field


def test_every_object_of_the_corpus_has_a_form_that_draws_its_keys(corpus: Path) -> None:
    """Known keys have a widget of their own; what an author added is shown as JSON."""
    seen, raw = 0, set()
    for _, source in corpus_packs(corpus):
        elements = [element for part in DIALECT.outline(source) for element, _ in part.items]
        elements += [f"state:{id}" for id in source.steps]
        for element in elements:
            if element.startswith("file:"):
                continue
            form = DIALECT.fields(source, element, "documented")
            properties: Any = form.schema["properties"]
            assert set(form.values) <= set(properties)
            raw |= {key for key in form.values if properties[key].get("x-widget") == "json"}
            seen += 1
    assert seen >= at_least(301, 40)
    known = {field.split("/")[1] for pairs in FIELDS.values() for field, _ in pairs}
    assert raw.isdisjoint(known - {"outputSchema", "condition"})
