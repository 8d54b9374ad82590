"""The form of an answer's schema for each provider."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.support.answer_schemas import FITS, OUTSIDE, TEXT, WRAPPED, having
from tests.support.checks import each_row
from workflows.core.conversation.answer_form import answer_form
from workflows.core.conversation.providers import PROVIDERS


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_schema_inside_the_subset_is_sent_as_it_is(name: str, provider: Any) -> None:
    form = answer_form(FITS[name], provider)
    assert (form.unsupported, form.wrapped) == ((), False)


@each_row(OUTSIDE)
def test_a_schema_outside_the_subset_has_a_reason(name: str) -> None:
    schema, expected, reason = OUTSIDE[name]
    outside = [one for one in PROVIDERS if answer_form(schema, one).unsupported]
    assert outside == expected.split()
    for provider in outside:
        assert reason in map(str, answer_form(schema, provider).unsupported)


@pytest.mark.parametrize("name", WRAPPED)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_schema_at_the_top_is_of_an_object(name: str, provider: Any) -> None:
    form = answer_form(WRAPPED[name], provider)
    assert form.wrapped
    assert form.schema["type"] == "object"
    assert form.schema["required"] == ["value"]
    assert form.unwrap({"value": ["a"]}) == ["a"]
    assert form.unwrap({"a": "b"}) == {"a": "b"}


def test_properties_without_a_type_are_those_of_an_object() -> None:
    form = answer_form({"properties": {"a": {"properties": {"b": TEXT}}}}, "openai")
    assert not form.wrapped
    assert form.schema["type"] == form.schema["properties"]["a"]["type"] == "object"


def test_references_follow_what_they_refer_to() -> None:
    schema = {
        "type": "array",
        "items": {"anyOf": [TEXT, {"$ref": "#"}, {"$ref": "#/items"}, {"$ref": "#/$defs/t"}]},
        "$defs": {"t": TEXT},
        "definitions": {"t": {"$ref": "#/definitions/u"}, "u": {"enum": [{"$ref": "#"}]}},
    }
    sent = answer_form(schema, "compatible").schema
    choices = sent["properties"]["value"]["items"]["anyOf"]
    assert [one.get("$ref") for one in choices] == [
        None,
        "#/properties/value",
        "#/properties/value/items",
        "#/$defs/t",
    ]
    assert sent["$defs"] == {
        "t": TEXT,
        "older.t": {"$ref": "#/$defs/u"},
        "u": {"enum": [{"$ref": "#"}]},
    }


def test_a_list_of_types_becomes_a_choice_where_a_library_needs_one() -> None:
    schema = having(a={"type": ["integer", "null"], "minimum": 1, "description": "How many."})
    sent = answer_form(schema, "anthropic").schema["properties"]["a"]
    assert sent == {
        "description": "How many.",
        "anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}],
    }
    assert answer_form(schema, "openai").schema == schema


def test_a_reference_is_alone_for_google() -> None:
    schema = {**having(a={"$ref": "#/$defs/t", "minLength": 2}), "$defs": {"t": TEXT}}
    assert answer_form(schema, "google").schema["properties"]["a"] == {"$ref": "#/$defs/t"}
    assert answer_form(schema, "openai").schema == schema


@each_row(PROVIDERS)
def test_the_packs_schema_is_not_changed(provider: Any) -> None:
    for schema in (*FITS.values(), *WRAPPED.values(), *(row[0] for row in OUTSIDE.values())):
        before = copy.deepcopy(schema)
        answer_form(schema, provider)
        assert schema == before


def test_a_property_may_have_the_name_of_a_keyword() -> None:
    schema = having(enum={"type": ["string", "null"]}, properties=TEXT, not_=TEXT)
    schema["properties"]["not"] = schema["properties"].pop("not_")
    sent = answer_form(schema, "anthropic")
    assert sent.unsupported == ()
    assert sent.schema["properties"]["enum"] == {"anyOf": [TEXT, {"type": "null"}]}
