"""Sets of the values for which conditions are true."""

from __future__ import annotations

import random
from typing import Any

from workflows.core.dialects.stages.format.predicates import holds, json_equal
from workflows.core.dialects.stages.rules.value_sets import ValueSets, json_key

NUMBERS: list[Any] = [-3, -1, -0.5, 0, 0.5, 1, 1.0, 1.5, 2, 2.5, 3, 4, 10**20, 1e21]
TEXTS = ["", "\x00", "a", "a\x00", "ab", "b", "c", "~"]
OTHERS: list[Any] = [None, True, False, [], [1], [True], {}, {"a": 1}, {"a": [None]}]
MENTIONED: list[Any] = [0, 1, 1.0, 2, "a", "b", None, True, [1], {"a": 1}]
SCOPES: list[dict[str, Any]] = [{}, *({"slot": each} for each in (*NUMBERS, *TEXTS, *OTHERS))]


def condition(chance: random.Random, depth: int = 2) -> dict[str, Any]:
    if depth and chance.random() < 0.6:
        inner = [condition(chance, depth - 1) for _ in range(chance.randrange(1, 4))]
        one: dict[str, Any] = {word: inner for word in ("all", "any") if chance.random() < 0.6}
        return one or {"not": inner[0]}
    op = chance.choice(["equals", "notEquals", "in", "exists", "lt", "lte", "gt", "gte"])
    value: Any = chance.choice(MENTIONED)
    if op == "in":
        value = chance.choices(MENTIONED, k=3)
    elif op == "exists":
        value = chance.choice([True, False])
    elif op not in ("equals", "notEquals"):
        value = chance.choice([0, 1, 2.5, "a", "b"])
    return {"path": "slot", "op": op, "value": value}


def test_sets_agree_with_every_value():
    chance = random.Random(7)
    for _ in range(600):
        one, other = condition(chance), condition(chance)
        sets = ValueSets([one, other])
        both = [scope for scope in SCOPES if holds(one, scope) and holds(other, scope)]
        only = [scope for scope in SCOPES if holds(one, scope) and not holds(other, scope)]
        assert bool(sets.of(one) & sets.of(other)) == bool(both), (one, other)
        assert bool(sets.of(one) & ~sets.of(other)) == bool(only), (one, other)


def test_named_values_are_in_the_set_of_a_condition_that_they_fulfil():
    chance = random.Random(8)
    for _ in range(300):
        one = condition(chance)
        sets = ValueSets([one], OTHERS)
        for value in OTHERS:
            is_in = bool(sets.holding([value]) & sets.of(one))
            assert is_in == holds(one, {"slot": value}), (one, value)


def test_equal_values_share_a_key():
    values = [*NUMBERS, *TEXTS, *OTHERS, [1.0], {"b": 1, "a": 2}, {"a": 2, "b": 1}]
    for one in values:
        for other in values:
            assert (json_key(one) == json_key(other)) == json_equal(one, other), (one, other)
