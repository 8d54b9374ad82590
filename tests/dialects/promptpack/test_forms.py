"""Forms: every field of every object has a form and a help text, and setting it changes only it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.dialects.promptpack.full_pack import at, full_pack, places
from tests.dialects.promptpack.packs import DIALECT, GONE, applied, pack, source
from tests.support.checks import each_row, quick_or_slow
from workflows.core.dialects.promptpack.format.elements import element_at, locate_element
from workflows.core.dialects.promptpack.format.parts import Pointer
from workflows.core.dialects.promptpack.schemas import definitions, kinds, resolve, shape
from workflows.core.dialects.promptpack.schemas.versions import FORMAT
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import EditRefused, SetField, UnsetField
from workflows.core.text.json.document import pointer_text

NO_FIELD = {
    (), ("prompts",), ("tools",), ("fragments",), ("evals",), ("workflow",), ("agents",),
    ("skills",), ("compositions",), ("requires",), ("requires", "providers"),
    ("workflow", "states"), ("workflow", "engine"), ("agents", "members"),
}  # fmt: skip
"""Containers of objects that have forms of their own."""


def whole() -> PackSource:
    return source(full_pack())


def fields_of(found: PackSource) -> Iterator[tuple[Pointer, Any, str, Pointer]]:
    """Every value of a pack: its pointer, the value, its element, and the pointer inside the
    element."""
    for pointer, value in places(full_pack()):
        element = element_at(found.parts, pointer)
        if element.startswith("transition:"):
            yield pointer, value, element, ("target",)
            continue
        base = locate_element(found.parts, element)
        assert base is not None, pointer
        inner = pointer[len(base.pointer) :]
        if base.definition == "Fragment":
            inner = ("text",)
        renamed = base.definition == "Step" and inner == ("id",)
        if renamed or pointer in NO_FIELD or pointer[-1] == "branches":
            continue
        if inner or base.definition.endswith(("Path", "Need")):
            yield pointer, value, element, inner


def drawn_at(schema: Any, inner: Pointer, value: Any) -> Any:
    """The form's schema at a place; None if the form has no field there."""
    for key in inner:
        schema = variant(schema, value)
        if schema.get("x-widget") == "json":
            return schema
        schema = (
            schema.get("items")
            if isinstance(key, int)
            else schema.get("properties", {}).get(key, schema.get("additionalProperties"))
        )
        if schema is None:
            return None
        value = value[key]
    return schema


def variant(schema: Any, value: Any) -> Any:
    """The alternative of a value, chosen like in the inspector: by its keys and constants."""
    fitting = [
        item
        for item in schema.get("oneOf", ())
        if set(item.get("required", ())) <= set(value)
        and all(
            value.get(name, fixed["enum"][0]) in fixed["enum"]
            for name, fixed in item["properties"].items()
            if "enum" in fixed
        )
    ]
    return max(fitting, key=lambda item: len(set(item["properties"]) & set(value)), default=schema)


def test_a_pack_with_everything_has_every_field_of_the_schema() -> None:
    """The other tests depend on this: they test only fields of this pack."""
    seen: set[int] = set()
    for pointer, value in places(full_pack()):
        _mark(schema_at(pointer), value, seen)
    missing = [
        (name, field)
        for name, definition in definitions().items()
        for field, schema in _fields(definition)
        if id(schema) not in seen and name not in ("Fragment", "Transition", "Redirect")
    ]
    assert missing == []


def schema_at(pointer: Pointer) -> Any:
    schema: Any = resolve({"$ref": "#/$defs/Pack"})
    value: Any = full_pack()
    for key in pointer:
        schema = shape(schema, value)
        inner = schema.get("items") if isinstance(key, int) else None
        if inner is None:
            inner = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
        schema = inner if isinstance(inner, dict) else {}
        value = value[key]
    return shape(schema, value)


def _mark(schema: Any, value: Any, seen: set[int]) -> None:
    if isinstance(value, dict):
        known = schema.get("properties", {})
        seen.update(id(known[key]) for key in value if key in known)


def _fields(schema: Any) -> Iterator[tuple[str, Any]]:
    """The fields of one definition, including those of nested anonymous objects."""
    for name, field in schema.get("properties", {}).items():
        yield name, field
        yield from _fields(field)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from _fields(schema[key])
    for item in schema.get("oneOf", ()):
        yield from _fields(item)


def test_every_field_is_in_the_form_of_an_element() -> None:
    found = whole()
    forms: dict[str, Any] = {}
    looked = 0
    for pointer, _, element, inner in fields_of(found):
        if element not in forms:
            forms[element] = DIALECT.fields(found, element, "documented")
        form = forms[element]
        known = schema_at(pointer)
        free = "title" not in known and "type" not in known and not known
        drawn = drawn_at(form.schema, inner, form.values)
        assert drawn is not None or free, (pointer, element)
        looked += 1
    assert looked > 390
    assert {kind.partition(":")[0] for kind in forms} >= {
        "pack", "prompt", "tool", "fragment", "eval", "state", "transition", "budget", "agent",
        "composition", "skill", "provider",
    }  # fmt: skip


def test_setting_any_field_changes_its_own_bytes_and_no_others() -> None:
    found = whole()
    text = found.json
    tried = 0
    for pointer, value, element, inner in fields_of(found):
        field = pointer_text(inner)
        if isinstance(value, (dict, list)) or element.startswith("transition:"):
            continue
        other = (
            not value
            if isinstance(value, bool)
            else f"{value}x"
            if isinstance(value, str)
            else value + 1
        )
        after = applied(found, SetField(element=element, field=field, value=other)).json
        span = text.span(pointer)
        kept = len(text.data) - span.end
        assert after.data[: span.start] == text.data[: span.start], pointer
        assert after.data[len(after.data) - kept :] == text.data[span.end :], pointer
        assert at(after.value, pointer) == other, pointer
        tried += 1
    assert tried > 250


@pytest.mark.parametrize("every", quick_or_slow(28, 7))
def test_a_missing_field_is_added_without_changing_another_line(every: int) -> None:
    for pointer, value, element, inner in list(fields_of(whole()))[::every]:
        if not isinstance(inner[-1:][0] if inner else 0, str) or element.startswith("transition:"):
            continue
        tree = full_pack()
        del at(tree, pointer[:-1])[pointer[-1]]
        found = source(tree)
        if locate_element(found.parts, element) is None or (
            found.json.get(pointer[:-1]) in ({}, None)
        ):
            continue
        after = applied(found, SetField(element=element, field=pointer_text(inner), value=value))
        before, now = found.json.data.split(b"\n"), after.json.data.split(b"\n")
        lost = [
            line for line in before if line.rstrip(b",") not in {one.rstrip(b",") for one in now}
        ]
        assert lost == [], pointer
        assert at(after.json.value, pointer) == value, pointer


def test_unknown_keys_stay_unchanged() -> None:
    tree = full_pack()
    odd = [pointer for pointer, value in places(tree) if isinstance(value, dict)]
    for pointer in odd:
        at(tree, pointer)["x-mine"] = {"of": [1.50, "é"]}
    found = source(tree)
    after = applied(
        found,
        SetField(element="prompt:a", field="/name", value="Other"),
        SetField(element="state:k/t", field="/tool", value="other"),
        UnsetField(element="pack", field="/metadata/governance/reviews/0/owner"),
    )
    assert after.json.data.count(b'"x-mine"') == found.json.data.count(b'"x-mine"') == len(odd)


def test_every_field_has_a_title_and_its_help() -> None:
    for name, definition in definitions().items():
        for field, schema in _fields(definition):
            known = resolve(schema)
            assert known.get("title"), (name, field)
            assert known.get("description"), (name, field)


def test_the_form_of_a_step_depends_on_its_kind() -> None:
    found = whole()
    for kind in kinds(definitions()["Step"]):
        step = next(s for s in full_pack()["compositions"]["k"]["steps"] if s["kind"] == kind)
        form = DIALECT.fields(found, f"state:k/{step['id']}", "documented")
        assert set(form.values) - {"odd"} <= set(form.schema["properties"]), kind  # type: ignore[call-overload]
    vendor = DIALECT.fields(found, "state:k/x", "documented")
    assert vendor.values == {"kind": "vendor.kind", "z": 1}


def test_the_form_of_a_predicate_has_five_alternatives() -> None:
    form = DIALECT.fields(whole(), "state:k/b", "documented")
    predicate = form.schema["properties"]["predicate"]  # type: ignore[index]
    assert [item["title"] for item in predicate["oneOf"]] == [
        "Compare", "Exists", "All of these", "Any of these", "Not",
    ]  # fmt: skip


@each_row(
    [
        ({}, "1.4 or newer"),
        ({"name": 7}, "no version accepts it"),
        ({"prompts/draft/provider": "p"}, "1.9"),
        ({"metadata": {"governance": {}}}, "1.4 or newer; governance is defined since 1.6"),
    ]
)
def test_the_packs_form_shows_the_versions_that_accept_it(
    changes: dict[str, Any], versions: str
) -> None:
    form = DIALECT.fields(source(pack(changes)), "pack", "documented")
    assert form.values[FORMAT] == versions
    assert form.schema["properties"][FORMAT]["readOnly"] is True  # type: ignore[index]


def test_the_computed_version_cannot_be_set() -> None:
    with pytest.raises(EditRefused, match="is computed"):
        applied(whole(), SetField(element="pack", field=f"/{FORMAT}", value="1.0"))


def test_a_middle_version_can_refuse_a_pack_that_others_accept() -> None:
    checked = [{"type": "own", "enabled": True}]
    tree = pack({"workflow": GONE, "prompts/draft/validators": checked})
    form = DIALECT.fields(source(tree), "pack", "documented")
    assert form.values[FORMAT] == "1.1 or newer, but not 1.2"


def test_a_skill_path_becomes_an_object_if_another_field_is_set() -> None:
    after = applied(whole(), SetField(element="skill:./a", field="/preload", value=True))
    assert after.json.value["skills"][0] == {"path": "./a", "preload": True}
    again = applied(whole(), SetField(element="skill:./a", field="/path", value="./b"))
    assert again.json.value["skills"][0] == "./b"
