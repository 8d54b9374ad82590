"""The declared fields of run events, against recorded runs and the OpenAPI document."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from jsonschema_rs import Draft202012Validator

from workflows.api.event_schemas import event_schemas
from workflows.core.engine.event_types import CoreEvent
from workflows.core.engine.events import EVENT_TYPES

VECTORS = sorted((Path(__file__).parents[1] / "vectors" / "fold").rglob("*.json"))


def recorded(path: Path) -> Iterator[dict[str, Any]]:
    """Every event in a vector."""

    def walk(value: Any) -> Iterator[dict[str, Any]]:
        if isinstance(value, dict) and {"n", "at", "type"} <= value.keys():
            yield value
        elif isinstance(value, dict | list):
            for item in value.values() if isinstance(value, dict) else value:
                yield from walk(item)

    return walk(json.loads(path.read_text(encoding="utf-8")))


def test_every_shared_event_type_has_one_declaration():
    declared = [get_args(get_type_hints(kind)["type"])[0] for kind in get_args(CoreEvent)]
    assert sorted(declared) == sorted(EVENT_TYPES)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_recorded_events_have_their_declared_fields(path):
    schemas = event_schemas()
    mapping = schemas["CoreEvent"]["discriminator"]["mapping"]
    events = list(recorded(path))
    assert events
    for event in events:
        reference = mapping.get(event["type"], "#/components/schemas/DialectEvent")
        schema = schemas[reference.rpartition("/")[2]]
        problems = [error.message for error in Draft202012Validator(schema).iter_errors(event)]
        assert problems == [], (event, problems)
