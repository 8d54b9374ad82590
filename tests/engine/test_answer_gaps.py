"""Proofs that a model can give the values that are read: a table of schemas, values and gaps."""

from tests.support.checks import each_row
from workflows.core.engine.rehearsal.answer_gaps import ANY, gap, read_gap

ACTION = {"type": "object", "properties": {"action": {"enum": ["next", "repeat"]}}}
ANSWER = {"type": "object", "properties": {"next_action": ACTION, "files": {"type": "array"}}}
EITHER = {"anyOf": [{"properties": {"a": {"const": 1}}}, {"properties": {"b": {"const": 2}}}]}
LOOP = {"properties": {"next": {"$ref": "#"}, "end": {"type": "boolean"}}}
TWICE = {"allOf": [{"$ref": "#"}, {"$ref": "#"}], "properties": {"a": {}}}

POSSIBLE = [
    (ANSWER, {"next_action": {"action": "next"}}),
    (ANSWER, {"files": ["anything", 3]}),
    (ANSWER, {"next_action": {"action": ANY}}),
    ({}, {"any": {"thing": 1}}),
    ({"type": "object"}, {"any": 1}),
    ({"properties": {"a": {}}, "additionalProperties": True}, {"b": 1}),
    ({"properties": {"a": {}}, "additionalProperties": {"enum": [1]}}, {"b": 1}),
    ({"properties": {"a": {}}, "patternProperties": {"^x": {}}}, {"x1": 1}),
    (EITHER, {"a": 1}),
    (EITHER, {"b": 2}),
    ({"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}, {"a": 1, "b": 2}),
    ({"$ref": "#/$defs/x", "$defs": {"x": ANSWER}}, {"next_action": {"action": "repeat"}}),
    (LOOP, {"next": {"next": {"end": True}}}),
    (TWICE, {"a": 1}),
    ({"properties": {"a": {"type": ["string", "null"]}}}, {"a": None}),
    ({"properties": {"a": {"items": {"enum": [1]}}}}, {"a": [1, 1]}),
    ({"properties": 3}, {"a": 1}),
]
IMPOSSIBLE = [
    (ANSWER, {"next_action": {"acton": "next"}}, "the schema has no 'acton' in 'next_action'",
     "Did you mean 'next_action.action'?"),
    (ANSWER, {"action": "next"}, "the schema has no 'action'",
     "Did you mean 'next_action.action'?"),
    (ANSWER, {"next_action": {"action": "handoff"}}, "'next_action.action' is never 'handoff'",
     "The schema allows next, repeat."),
    (ANSWER, {"zebra": 1}, "the schema has no 'zebra'", "The schema allows next_action, files."),
    (EITHER, {"a": 1, "b": 2}, "the schema has no 'b'", ""),
    (EITHER, {"a": 2}, "'a' is never 2", "The schema allows 1."),
    ({"properties": {"a": {"type": "string"}}}, {"a": 1}, "'a' is never 1", ""),
    ({"properties": {"a": ACTION}}, {"a": {"b": 1}}, "the schema has no 'b' in 'a'", ""),
    ({"type": "object", "additionalProperties": False}, {"a": 1}, "the schema has no 'a'", ""),
    ({"properties": {"a": {"items": {"enum": [1]}}}}, {"a": [1, 2]}, "'a[1]' is never 2", ""),
    (LOOP, {"next": {"nxt": {}}}, "the schema has no 'nxt' in 'next'", "Did you mean 'next.next'?"),
    ({"properties": {"a": False}}, {"a": 1}, "'a' is never 1", ""),
]  # fmt: skip


@each_row(POSSIBLE)
def test_an_answer_can_have_it(schema, decided):
    assert gap(schema, decided) is None


@each_row(IMPOSSIBLE)
def test_the_first_part_that_no_answer_has_is_named(schema, decided, reason, next_step):
    found = gap(schema, decided)
    assert found.reason == reason
    assert not next_step or found.next_step == next_step


@each_row([
    (("files", 0), True),
    (("files", 3, "name"), True),
    (("next_action", 0), False),
    (("file",), False),
])  # fmt: skip
def test_a_path_is_read_through_lists(path, there):
    assert (read_gap(ANSWER, path) is None) is there
