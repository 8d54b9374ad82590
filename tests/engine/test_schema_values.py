"""Generated values are valid for their schemas, with any seed."""

import re

from jsonschema import Draft202012Validator

from tests.support.checks import each_row
from workflows.core.engine.rehearsal.patterns import text_for
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.rehearsal.schema_values import value_for

SCHEMAS = [
    {"type": "string"},
    {"type": "string", "minLength": 30},
    {"type": "string", "maxLength": 3},
    {"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$"},
    {"type": "string", "pattern": r"^v\d+\.\d+(?:\.\d+)?$"},
    {"type": "string", "format": "date-time"},
    {"type": "integer", "minimum": 3, "maximum": 4},
    {"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 5},
    {"type": "integer", "multipleOf": 7, "minimum": 20},
    {"type": "number", "minimum": 0, "maximum": 1},
    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.2},
    {"type": "integer", "maximum": -5},
    {"type": "boolean"},
    {"type": "null"},
    {"type": ["string", "null"]},
    {"enum": ["a", 1, None, True]},
    {"const": {"a": [1]}},
    {"type": "array", "items": {"type": "integer"}, "minItems": 3, "uniqueItems": True},
    {"type": "array", "maxItems": 0, "items": {}},
    {"type": "array", "prefixItems": [{"const": 1}, {"type": "string"}], "minItems": 2},
    {"type": "object"},
    {"type": "object", "minProperties": 2, "additionalProperties": {"type": "integer"}},
    {"type": "object", "minProperties": 1, "properties": {"a": {"type": "integer"}}},
    {"properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False},
    {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    {"oneOf": [{"type": "integer", "minimum": 5}, {"type": "integer", "maximum": 9}]},
    {"allOf": [{"required": ["a"]}, {"properties": {"a": {"enum": ["x"]}}}]},
    {
        "allOf": [
            {"properties": {"a": {"type": "integer", "minimum": 4}}, "required": ["a"]},
            {"properties": {"a": {"maximum": 5}}},
        ]
    },
    {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/step"}},
        "required": ["next"],
        "$defs": {
            "step": {
                "type": "object",
                "required": ["id"],
                "properties": {"id": {"type": "string"}, "next": {"$ref": "#/$defs/step"}},
            }
        },
    },
    {
        "$ref": "#/$defs/tree",
        "$defs": {
            "tree": {
                "anyOf": [
                    {"type": "string"},
                    {"type": "array", "items": {"$ref": "#/$defs/tree"}, "minItems": 2},
                ]
            }
        },
    },
    {"not": {"type": "null"}},
    {"type": "string", "enum": ["next", "repeat"], "description": "what to do"},
    True,
    {},
]


@each_row(SCHEMAS)
def test_a_generated_value_is_valid(schema):
    validator = Draft202012Validator(schema)
    for seed in range(25):
        validator.validate(value_for(schema, Rng(seed)))


def test_the_same_seed_generates_the_same_value():
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
    assert value_for(schema, Rng(1, "x")) == value_for(schema, Rng(1, "x"))
    assert len({str(value_for(schema, Rng(seed))) for seed in range(20)}) > 3


def test_decided_parts_stay_and_the_rest_is_generated():
    schema = {
        "type": "object",
        "required": ["next_action", "summary"],
        "properties": {
            "summary": {"type": "string"},
            "next_action": {
                "type": "object",
                "required": ["action", "reason"],
                "properties": {
                    "action": {"enum": ["next", "repeat"]},
                    "reason": {"type": "string", "minLength": 1},
                },
            },
        },
    }
    value = value_for(schema, Rng(3), fixed={"next_action": {"action": "repeat"}})
    assert value["next_action"]["action"] == "repeat"
    Draft202012Validator(schema).validate(value)


def test_decided_parts_choose_the_alternative():
    schema = {
        "oneOf": [
            {
                "properties": {"kind": {"const": "yes"}, "why": {"type": "integer"}},
                "required": ["kind", "why"],
            },
            {
                "properties": {"kind": {"const": "no"}, "how": {"type": "string"}},
                "required": ["kind", "how"],
            },
        ]
    }
    for seed in range(20):
        value = value_for(schema, Rng(seed), fixed={"kind": "no"})
        assert set(value) == {"kind", "how"}


@each_row(
    [
        {"allOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"required": ["a", "b"], "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}},
        {"$ref": "#"},
        {"type": "string", "pattern": "((((a*)*)*)*)*b"},
        {"type": "string", "pattern": "(?=nothing)x"},
        {"type": "string", "minLength": "many"},
        {"type": "string", "minLength": 10**12},
        {"type": "object", "minProperties": 10**12},
        {"required": 7},
        {"enum": []},
        {"type": "array", "items": {"type": "integer"}, "minItems": 10_000_000},
        "not a schema",
    ]
)
def test_a_malicious_schema_terminates(schema):
    value_for(schema, Rng(1))
    assert value_for(schema, Rng(1), fixed={"a": 1}) == {"a": 1} or isinstance(schema, dict)


@each_row(
    [
        "^abc$",
        "a|b",
        "(ab|cd){2}",
        "[^a-y]",
        r"\w+@\w+\.com",
        "[A-Z]{2,4}-[0-9]{3}",
        "x?y*z+",
        r"[\d.]+",
        "[]a]",
        r"\(\d\)",
        "a{3,}",
        "a+?b",
    ]
)
def test_a_text_matches_its_pattern(pattern):
    for seed in range(30):
        text = text_for(pattern, Rng(seed))
        assert re.fullmatch(pattern, text), text


@each_row(["(?=a)b", r"(a)\1", "[a", "(a", "a)", "*", "a{99999}"])
def test_an_unsupported_pattern_has_no_text(pattern):
    assert text_for(pattern, Rng(1)) is None
