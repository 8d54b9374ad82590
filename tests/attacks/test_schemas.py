"""A schema from a pack costs milliseconds and little memory, even with many references."""

from __future__ import annotations

from typing import Any

import pytest

from tests.attacks.limited_process import limited
from tests.attacks.schema_attacks import SCHEMAS
from tests.support.doubling_schemas import doubling
from workflows.core.json_schemas.size import MAX_UNFOLDED, TooLarge
from workflows.core.json_schemas.validation import PackSchema, pack_schema
from workflows.core.tools.arguments import argument_problem

MODULE = "tests.attacks.schema_attacks"
SECONDS = 3.0
MEGABYTES = 250


def test_a_schema_that_doubles_is_refused_with_its_limit() -> None:
    done = limited(MODULE, "refused")
    assert list(done.answer) == list(SCHEMAS)
    for name, sentence in done.answer.items():
        assert "10,000 subschemas" in sentence or "128 levels" in sentence, name
    assert (done.seconds < SECONDS, done.megabytes < MEGABYTES) == (True, True)


def test_the_place_is_the_smallest_part_over_the_limit() -> None:
    with pytest.raises(TooLarge) as raised:
        pack_schema(doubling(29))
    assert raised.value.pointer == ("$defs", "d17")


def test_a_completion_schema_that_doubles_is_a_finding() -> None:
    done = limited(MODULE, "stage_pack")
    (finding,) = [one for one in done.answer if one.startswith("ST230")]
    assert f"{MAX_UNFOLDED:,} subschemas" in finding
    assert "completionSchema/$defs/d17" in finding
    assert (done.seconds < 2 * SECONDS, done.megabytes < MEGABYTES) == (True, True)


def test_a_value_that_costs_too_much_does_not_fit() -> None:
    done = limited(MODULE, "recursive", "5", "12", "20", "60", "150", "900")
    assert all(done.answer)
    assert (done.seconds < SECONDS, done.megabytes < MEGABYTES) == (True, True)


def test_a_tool_with_such_a_schema_is_not_called() -> None:
    problem = argument_problem("find", doubling(29), {"a": 5})
    assert problem.startswith("find was not called: the schema of its parameters is too large")


SMALL: list[tuple[dict[str, Any], Any, bool]] = [
    (doubling(5), {"a": "x"}, True),
    (doubling(5), {"a": 5}, False),
    (
        {"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}},
        {"left": {"right": {}}},
        True,
    ),
    ({"$ref": "#/$defs/n", "$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}}, [[[[]]]], True),
    ({"$ref": "#x", "$defs": {"n": {"$anchor": "x", "type": "array"}}}, {}, False),
    ({"$id": "https://x.invalid/a", "$ref": "#/$defs/n", "$defs": {"n": {"const": 1}}}, 1, True),
    ({"items": {"type": "integer"}}, list(range(50_000)), True),
    ({"items": {"type": "integer"}}, [*range(50_000), "x"], False),
    (True, {}, True),
]


@pytest.mark.parametrize(("schema", "value", "fits"), SMALL)
def test_a_schema_of_usual_size_decides_and_explains(schema: Any, value: Any, fits: bool) -> None:
    compiled = pack_schema(schema)
    assert compiled.is_valid(value) is fits
    errors = list(compiled.iter_errors(value))
    assert bool(errors) is not fits
    assert all("steps" not in error.message for error in errors)


def test_a_schema_is_compiled_once() -> None:
    first: PackSchema = pack_schema({"type": "object"})
    assert pack_schema({"type": "object"}) is first
