"""The OpenAPI document is served, complete and the one that is committed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from tests.support.checks import quick_or_slow
from tests.support.openapi import COMMITTED, document, parsed
from workflows.api.openapi import edit_shape
from workflows.api.property_descriptions import WORDS, properties_of
from workflows.core.pack.edits import TYPES, edit_from_json
from workflows.rights.scopes import SCOPES


@pytest.mark.parametrize("validate", quick_or_slow(False, True))
def test_the_committed_document_is_the_present_one(tmp_path: Path, validate: bool) -> None:
    """A document is validated when it is made, with `make openapi`."""
    made = tmp_path / "openapi.yaml"
    call_command("spectacular", file=str(made), validate=validate, fail_on_warn=True)
    assert made.read_text() == COMMITTED.read_text(), "run `make openapi`"


def test_the_document_is_served(site: Client) -> None:
    served = parsed(site.get("/api/v1/schema/").content)
    assert served == document()
    assert served["components"]["securitySchemes"]["bearerToken"]["scheme"] == "bearer"


def test_every_operation_has_a_name_and_words_of_its_own() -> None:
    operations = [one for methods in document()["paths"].values() for one in methods.values()]
    for field in ("operationId", "summary", "description"):
        counts = Counter(operation[field] for operation in operations)
        assert len(counts) > 100
        assert [words for words, count in counts.items() if count > 1 or not words] == [], field


def test_every_parameter_is_described() -> None:
    missing = [
        f"{operation['operationId']}: {parameter['name']}"
        for methods in document()["paths"].values()
        for operation in methods.values()
        for parameter in operation.get("parameters", ())
        if not parameter.get("description")
    ]
    assert missing == []


def test_every_property_is_described_and_every_description_used() -> None:
    names = set()
    for name, schema in document()["components"]["schemas"].items():
        for properties in properties_of(schema):
            assert [key for key, shape in properties.items() if not shape["description"]] == []
            names |= set(properties) | {f"{name}.{key}" for key in properties}
    assert not set(WORDS) - names, "for no property"


def test_every_refusal_has_the_one_shape_of_errors() -> None:
    shape = document()["components"]["schemas"]["Error"]
    assert set(shape["required"]) == {"code", "message", "hint", "where"}
    for methods in document()["paths"].values():
        for operation in methods.values():
            body = operation["responses"]["default"]["content"]["application/json"]
            assert body["schema"]["$ref"].endswith("/Error")


def test_both_ways_of_signing_in_are_described() -> None:
    assert set(document()["components"]["securitySchemes"]) == {"bearerToken", "cookieAuth"}
    for path, methods in document()["paths"].items():
        for operation in methods.values():
            if path.startswith("/api/v1/hooks/") or path.endswith("/hook/"):
                assert "security" not in operation, "a webhook's secret is its own"
            else:
                bearer, cookie = operation["security"]
                assert bearer["bearerToken"][0] in SCOPES
                assert cookie == {"cookieAuth": []}


@pytest.mark.parametrize("kind", TYPES.values(), ids=TYPES)
def test_an_edit_written_as_described_is_read(kind: type[Any]) -> None:
    shape = edit_shape(kind)
    example = {"string": "x", "number": 1.0, "object": {"x": [0.0, 0.0]}}
    body = {
        name: field.get("enum", [example.get(field.get("type"))])[0]
        for name, field in shape["properties"].items()
        if name in shape["required"]
    }
    assert isinstance(edit_from_json(body), kind)
