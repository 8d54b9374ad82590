"""Each rule of the strict model servers is broken once in a valid request, and the server refuses
it: a rule that turned lax would let every other test of conversations pass."""

from __future__ import annotations

import ast
import copy
import inspect
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from tests.support.model_server import (
    anthropic_rules,
    anthropic_schemas,
    google_rules,
    google_schemas,
    openai_rules,
)

Body = dict[str, Any]
Break = Callable[[Body], Any]
TEXT = {"type": "string"}
CLOSED = {
    "type": "object",
    "properties": {"a": TEXT},
    "required": ["a"],
    "additionalProperties": False,
}


def put(path: str, value: Any) -> Break:
    """Set a value at a path like `messages/1/content`."""

    def change(body: Body) -> None:
        *keys, last = [int(key) if key.isdigit() else key for key in path.split("/")]
        node: Any = body
        for key in keys:
            node = node[key]
        node[last] = value

    return change


def drop(path: str) -> Break:
    """Remove the value at a path."""

    def change(body: Body) -> None:
        *keys, last = [int(key) if key.isdigit() else key for key in path.split("/")]
        node: Any = body
        for key in keys:
            node = node[key]
        del node[last]

    return change


def more(path: str, *values: Any) -> Break:
    """Add values to the list at a path."""

    def change(body: Body) -> None:
        node: Any = body
        for key in path.split("/"):
            node = node[int(key) if key.isdigit() else key]
        node.extend(copy.deepcopy(values))

    return change


def many(kind: str, count: int) -> Body:
    """A closed schema with this number of optional or of nullable properties."""
    inner = {"anyOf": [TEXT, {"type": "null"}]} if kind == "union" else TEXT
    names = [f"p{number}" for number in range(count)]
    return {
        **CLOSED,
        "properties": dict.fromkeys(names, inner),
        "required": names if kind == "union" else [],
    }


def nested(levels: int) -> Body:
    schema: Body = CLOSED
    for _ in range(levels):
        schema = {**CLOSED, "properties": {"a": schema}}
    return schema


def openai_call(id: str = "call_1", name: str = "read") -> Body:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}}


OPENAI: Body = {
    "model": "gpt-4o",
    "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Read a.md."},
        {"role": "assistant", "content": None, "tool_calls": [openai_call()]},
        {"role": "tool", "tool_call_id": "call_1", "content": "one"},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "Go on."},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "read",
                "description": "Read.",
                "parameters": CLOSED,
                "strict": True,
            },
        }
    ],
    "tool_choice": "auto",
    "temperature": 1.5,
    "top_p": 1.0,
    "stop": ["END"],
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": CLOSED, "strict": True},
    },
}
FUNCTION = "tools/0/function"
ANSWER = "response_format/json_schema/schema"

OPENAI_BREAKS: list[Break] = [
    put("unknown", 1),
    put("messages", []),
    put("messages/4/content", None),
    put("messages/5/content", ""),
    drop("tools"),
    put("stop", list("abcde")),
    put("temperature", 2.1),
    put("top_p", 1.1),
    put("presence_penalty", -2.1),
    put("max_completion_tokens", 0),
    drop("messages/3"),
    drop("messages/2"),
    more("messages", {"role": "assistant", "content": None, "tool_calls": [openai_call("call_2")]}),
    put("messages/2/tool_calls/0/id", "x" * 41),
    put("messages/2/tool_calls/0/function/name", "read file"),
    more("tools", *[OPENAI["tools"][0]] * 128),
    put(f"{FUNCTION}/name", "read file"),
    put(f"{FUNCTION}/parameters", {"type": ["object", "null"]}),
    put(f"{FUNCTION}/parameters", {**CLOSED, "oneOf": [CLOSED]}),
    put(f"{FUNCTION}/parameters", {**CLOSED, "required": []}),
    put(f"{FUNCTION}/parameters/properties", {"a": {"$ref": "#/$defs/gone"}}),
    put(f"{ANSWER}/properties", {"a": {"$ref": "#/$defs/gone"}}),
    put("response_format/json_schema/name", "the answer"),
    put(ANSWER, {**CLOSED, "type": ["object", "null"]}),
    put(ANSWER, {**CLOSED, "anyOf": [CLOSED]}),
    put(ANSWER, {**CLOSED, "additionalProperties": True}),
    put(ANSWER, {**CLOSED, "properties": {"a": True}}),
    put(ANSWER, {**CLOSED, "properties": {"a": {"not": TEXT}}}),
    put(ANSWER, {**CLOSED, "properties": {"a": {"type": "string", "default": "b"}}}),
    put(ANSWER, {**CLOSED, "properties": {"a": {"description": "Anything."}}}),
    put(ANSWER, {**CLOSED, "properties": {"a": {"type": "array"}}}),
    put(ANSWER, {**CLOSED, "properties": {"a": {"type": ["object", "null"]}}}),
    put(ANSWER, {**CLOSED, "properties": {"a": {"$ref": "#/properties/b"}}}),
    put(ANSWER, nested(10)),
    put(ANSWER, many("union", 5_001)),
]

ANTHROPIC: Body = {
    "model": "claude-opus-4-6",
    "max_tokens": 100,
    "system": "Be kind.",
    "messages": [
        {"role": "user", "content": "Read a.md."},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "call_1", "name": "read", "input": {}}],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": "one"},
                {"type": "text", "text": "Go on."},
            ],
        },
    ],
    "tools": [{"name": "read", "description": "Read.", "input_schema": CLOSED, "strict": True}],
    "temperature": 0.5,
    "top_p": 1.0,
    "stop_sequences": ["END"],
    "output_config": {"format": {"type": "json_schema", "schema": CLOSED}},
}
OUTPUT = "output_config/format/schema"


def use(id: str, name: str = "read") -> Body:
    return {"type": "tool_use", "id": id, "name": name, "input": {}}


def with_result(id: str) -> list[Body]:
    """A call and its result, as two turns."""
    result = {"type": "tool_result", "tool_use_id": id, "content": "two"}
    return [
        {"role": "assistant", "content": [use(id)]},
        {"role": "user", "content": [result]},
    ]


def properties(schema: Any) -> Break:
    return put(OUTPUT, {**CLOSED, "properties": {"a": schema}})


ANTHROPIC_BREAKS: list[Break] = [
    put("unknown", 1),
    put("temperature", "warm"),
    put("messages", []),
    drop("messages/0"),
    drop("messages/2/content/0"),
    put("messages/2/content/0/tool_use_id", "call_2"),
    lambda body: body["messages"][2]["content"].reverse(),
    put("messages/0/content", " "),
    lambda body: put("messages/0/content", [])(body),
    more("messages", {"role": "assistant", "content": "It is"}),
    more("messages", {"role": "assistant", "content": [use("call_2")]}),
    more("messages", *with_result("call 2")),
    more("messages", *with_result("call_1")),
    put("messages/1/content/0/name", "read file"),
    put("system", " "),
    put("tools/0/name", "read file"),
    more("tools", ANTHROPIC["tools"][0]),
    put("tools/0/input_schema", {"type": "string"}),
    put("tools/0/input_schema", {**CLOSED, "anyOf": [CLOSED]}),
    put("tools/0/input_schema/properties", {"a b": TEXT}),
    put("temperature", 1.1),
    put("top_p", 2.0),
    put("max_tokens", 0),
    put("stop_sequences", ["END", "\n"]),
    more("tools", *({**ANTHROPIC["tools"][0], "name": f"tool_{number}"} for number in range(20))),
    put(OUTPUT, {"type": "array", "items": TEXT}),
    put(OUTPUT, {**CLOSED, "additionalProperties": {"type": "string"}}),
    put(OUTPUT, {**CLOSED, "required": ["a", "b"]}),
    put(OUTPUT, many("optional", 25)),
    put(OUTPUT, many("union", 17)),
    properties(True),
    properties({"oneOf": [TEXT]}),
    properties({"not": TEXT}),
    properties({"type": "integer", "minimum": 1}),
    properties({"description": "Anything."}),
    properties({"type": "array", "items": TEXT, "minItems": 2}),
    properties({"type": "string", "format": "phone"}),
    properties({"enum": [{"b": 1}]}),
    properties({"$ref": "https://example.org/a.json"}),
    properties({"allOf": [{"$ref": "#/$defs/t"}]}),
    properties({"$ref": "#"}),
    properties({"$ref": "#/$defs/gone"}),
    put("tools/0/input_schema", {**CLOSED, "properties": {"a": {"$ref": "#/$defs/gone"}}}),
]

GOOGLE: Body = {
    "contents": [
        {"role": "user", "parts": [{"text": "Read a.md."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "read", "response": {"result": "one"}}}],
        },
    ],
    "tools": [
        {
            "functionDeclarations": [
                {"name": "read", "description": "Read.", "parametersJsonSchema": CLOSED}
            ]
        }
    ],
    "generationConfig": {
        "temperature": 1.5,
        "topP": 1.0,
        "stopSequences": ["END"],
        "responseMimeType": "application/json",
        "responseJsonSchema": CLOSED,
    },
}
DECLARED = "tools/0/functionDeclarations"
RESPONSE = "generationConfig/responseJsonSchema"

GOOGLE_BREAKS: list[Break] = [
    put("unknown", 1),
    put("generationConfig/temperature", "warm"),
    put("contents", []),
    drop("contents/0"),
    put("contents/0/role", "system"),
    put("contents/2/role", "tool"),
    put("contents/0/parts", []),
    put("contents/0/parts", [{}]),
    put("contents/0/parts/0/text", ""),
    more("contents", GOOGLE["contents"][2]),
    drop("contents/2"),
    drop("contents/1"),
    more(DECLARED, GOOGLE["tools"][0]["functionDeclarations"][0]),
    put(f"{DECLARED}/0/name", "read file"),
    put(f"{DECLARED}/0/parameters", {"type": "OBJECT"}),
    put(f"{DECLARED}/0/parametersJsonSchema", {"type": "string"}),
    put(f"{DECLARED}/0/parametersJsonSchema", {**CLOSED, "properties": {"a": {"$ref": "#"}}}),
    put("generationConfig/temperature", 2.1),
    put("generationConfig/topP", 1.1),
    put("generationConfig/presencePenalty", -2.1),
    put("generationConfig/maxOutputTokens", 0),
    put("generationConfig/stopSequences", list("abcdef")),
    drop("generationConfig/responseMimeType"),
    put(RESPONSE, {**CLOSED, "properties": {"a": "text"}}),
    put(RESPONSE, {**CLOSED, "properties": {"a": {"type": "text"}}}),
    put(RESPONSE, {**CLOSED, "properties": {"a": {"$ref": "#/$defs/gone"}}}),
    put(RESPONSE, {**CLOSED, "properties": {"a": {"$ref": "#", "minLength": 1}}, "required": []}),
    put(RESPONSE, {**CLOSED, "properties": {"a": {"$ref": "#"}}}),
]

SERVERS: dict[str, tuple[tuple[ModuleType, ...], Body, list[Break]]] = {
    "openai": ((openai_rules,), OPENAI, OPENAI_BREAKS),
    "anthropic": ((anthropic_rules, anthropic_schemas), ANTHROPIC, ANTHROPIC_BREAKS),
    "google": ((google_rules, google_schemas), GOOGLE, GOOGLE_BREAKS),
}


def broken(valid: Body, change: Break) -> Body:
    body = copy.deepcopy(valid)
    change(body)
    return body


@pytest.mark.parametrize("kind", SERVERS)
def test_a_server_accepts_a_valid_request_and_refuses_each_break(kind: str) -> None:
    (rules, *_), valid, breaks = SERVERS[kind]
    assert list(rules.problems(valid)) == []
    for number, change in enumerate(breaks):
        assert list(rules.problems(broken(valid, change))), f"break {number}"


@pytest.mark.parametrize("kind", SERVERS)
def test_every_rule_of_a_server_is_broken(kind: str) -> None:
    """The reasons of all breaks together have every message of the rules."""
    modules, valid, breaks = SERVERS[kind]
    reasons = [reason for change in breaks for reason in modules[0].problems(broken(valid, change))]
    unbroken = [
        message
        for module in modules
        for message in _messages(module)
        if not any(re.search(message, reason, re.DOTALL) for reason in reasons)
    ]
    assert unbroken == []


def _messages(module: ModuleType) -> Iterator[str]:
    """A pattern for each text that the rules of a module yield."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if not isinstance(node, ast.Yield):
            continue
        match node.value:
            case ast.Constant(value=str(text)):
                yield re.escape(text)
            case ast.JoinedStr(values=values):
                parts = [
                    re.escape(str(one.value)) if isinstance(one, ast.Constant) else ".*"
                    for one in values
                ]
                yield "".join(parts)
