"""SR310: schemas of answers to which a provider cannot hold a model."""

from __future__ import annotations

from typing import Any

from tests.dialects.steps_registry.packs import findings, pack
from tests.support.checks import each_row
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import SetField

MAP = {"type": "object", "additionalProperties": {"type": "string"}}
TEXT = {"type": "string"}


def with_property(schema: dict[str, Any], *steps: str) -> RegistrySource:
    """The right agent, whose answers of these steps have another property."""

    def change(whole: dict[str, Any]) -> None:
        for step in steps:
            whole["schema"][step]["properties"]["more"] = schema

    return pack(change)


def messages(source: RegistrySource, profile: str = "documented") -> list[str]:
    return [found.message for found in findings(source, profile) if found.code == "SR310"]


@each_row(DIALECT.profiles)
def test_steps_with_one_reason_share_a_finding(profile: str) -> None:
    source = with_property(MAP, "initial.a", "closure.a")
    assert messages(source, profile) == [
        "OpenAI and Anthropic do not enforce the schema of 'initial.a' and 1 more step: "
        "'properties/more' takes properties of any name."
    ]


def test_another_reason_is_another_finding() -> None:
    def change(whole: dict[str, Any]) -> None:
        whole["schema"]["initial.a"]["properties"]["more"] = {"not": TEXT}
        whole["schema"]["closure.a"]["properties"] |= {f"p{number}": TEXT for number in range(25)}

    assert messages(pack(change)) == [
        "OpenAI and Anthropic do not enforce the schema of 'initial.a': 'properties/more' uses "
        "not.",
        "Anthropic does not enforce the schema of 'closure.a': it has 27 optional properties; 24 "
        "are the limit.",
    ]


@each_row(
    [
        TEXT,
        {"type": ["string", "null"]},
        {"type": ["object", "null"], "properties": {"a": TEXT}},
        {"type": "array", "items": TEXT, "minItems": 3},
        {"anyOf": [TEXT, {"type": "number", "minimum": 1}]},
        {"type": "object", "properties": {"a": TEXT}},
    ]
)
def test_a_schema_that_providers_enforce_has_no_finding(schema: dict[str, Any]) -> None:
    assert messages(with_property(schema, "initial.a", "continuation.a", "closure.a")) == []


def test_an_edit_of_one_schema_changes_the_finding() -> None:
    source = with_property(MAP, "initial.a")
    assert len(messages(source)) == 1
    reference = {"file": "s.json", "schema": "continuation.a"}
    edit = SetField(element="state:initial.a", field="/outputSchemaRef", value=reference)
    assert messages(DIALECT.apply(source, edit)) == []
