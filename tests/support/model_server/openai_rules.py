"""Requests that OpenAI's chat completions refuse with status 400, from its API reference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)

from tests.support.model_server.schema_references import unresolved
from tests.support.model_server.sdk_types import type_problem

FUNCTION_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
LOCAL = re.compile(r"#|#/(\$defs|definitions)/[^/]+")
AT_TOP = {"oneOf", "anyOf", "allOf", "enum", "not"}
TYPED = {"type", "$ref", "anyOf", "enum", "const"}
NOT_PERMITTED = {
    *("allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"),
    *("patternProperties", "propertyNames", "minProperties", "maxProperties"),
    *("unevaluatedProperties", "unevaluatedItems", "contains", "minContains", "maxContains"),
    *("uniqueItems", "default"),
}
"""Keywords that "Supported schemas" of OpenAI's guide to structured outputs leaves out."""


def problems(body: Mapping[str, Any]) -> Iterator[str]:
    """The reasons of a refusal, none if the request is accepted."""
    kind = (
        CompletionCreateParamsStreaming
        if body.get("stream")
        else CompletionCreateParamsNonStreaming
    )
    problem = type_problem(kind, body)
    yield from [problem] if problem else _refusals(body)


def _refusals(body: Mapping[str, Any]) -> Iterator[str]:
    messages = body["messages"]
    if not messages:
        yield "[] is too short - 'messages'"
    yield from _calls(messages)
    yield from _tools(body.get("tools") or [])
    if body.get("tool_choice") and not body.get("tools"):
        yield "'tool_choice' is only allowed when 'tools' are specified."
    for message in messages:
        if message["role"] == "assistant" and not message.get("tool_calls"):
            if not message.get("content"):
                yield "Invalid value for 'content': expected a string, got null."
        elif message["role"] == "user" and not message["content"]:
            yield "Invalid 'content': empty."
    stop = body.get("stop")
    if isinstance(stop, list) and len(stop) > 4:
        yield "Invalid 'stop': array too long. Expected an array with maximum length 4."
    for name, least, most in (
        ("temperature", 0, 2),
        ("top_p", 0, 1),
        ("presence_penalty", -2, 2),
        ("frequency_penalty", -2, 2),
    ):
        if not least <= (body.get(name) or 0) <= most:
            yield f"Invalid '{name}': decimal outside of {least} to {most}."
    for name in ("max_tokens", "max_completion_tokens"):
        if body.get(name) is not None and body[name] < 1:
            yield f"Invalid '{name}': integer below minimum value."
    schema = (body.get("response_format") or {}).get("json_schema")
    if schema is not None:
        yield from _schema(schema)


def _calls(messages: list[Mapping[str, Any]]) -> Iterator[str]:
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                yield (
                    "messages with role 'tool' must be a response to a preceeding message with "
                    "'tool_calls'."
                )
            else:
                waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            yield (
                "An assistant message with 'tool_calls' must be followed by tool messages "
                f"responding to each 'tool_call_id'. Missing: {', '.join(waiting)}"
            )
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
        for id in waiting:
            if not id or len(id) > 40:
                yield "Invalid 'tool_calls.id': string too long or empty."
        for call in message.get("tool_calls") or ():
            if not FUNCTION_NAME.match(call["function"]["name"]):
                yield "Invalid 'tool_calls.function.name': string does not match pattern."
    if waiting:
        yield f"'tool_calls' without responses: {', '.join(waiting)}"


def _tools(tools: list[Mapping[str, Any]]) -> Iterator[str]:
    if len(tools) > 128:
        yield "Invalid 'tools': array too long. Expected an array with maximum length 128."
    for tool in tools:
        function = tool["function"]
        if not FUNCTION_NAME.match(function["name"]):
            yield "Invalid 'tools.function.name': string does not match pattern."
        parameters = function.get("parameters", {})
        if parameters.get("type") != "object" or AT_TOP & parameters.keys():
            yield (
                f"Invalid schema for function '{function['name']}': schema must have type 'object' "
                "and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
            )
        for reference in unresolved(parameters):
            yield f"Invalid schema for function '{function['name']}': {reference!r} not found."
        if function.get("strict"):
            yield from _strict(function["parameters"], function["name"])


def _schema(definition: Mapping[str, Any]) -> Iterator[str]:
    if not FUNCTION_NAME.match(definition["name"]):
        yield "Invalid 'response_format.json_schema.name'."
    schema = definition.get("schema") or {}
    if schema.get("type") != "object" or "anyOf" in schema:
        yield "Invalid schema for response_format: schema must have type 'object', not anyOf."
    for reference in unresolved(schema):
        yield f"Invalid schema for response_format: reference {reference!r} not found."
    if definition.get("strict"):
        yield from _strict(schema, "response_format")


def _strict(schema: Any, name: str) -> Iterator[str]:
    """The rules of strict mode for a schema, and its limits of size."""
    yield from _strict_nodes(schema, name, ())
    depth, properties = _size(schema)
    if depth > 10:
        yield f"Invalid schema for {name}: {depth} levels of nesting exceeds limit of 10."
    if properties > 5_000:
        yield f"Invalid schema for {name}: {properties} properties exceeds limit of 5000."


def _strict_nodes(schema: Any, name: str, context: tuple[str, ...]) -> Iterator[str]:
    """Every object lists all its properties as required, and takes no others; every value has a
    type; keywords outside the subset are not permitted."""
    where = f"Invalid schema for {name}: In context={context},"
    if not isinstance(schema, Mapping):
        yield f"{where} schema must be an object."
        return
    for word in sorted(NOT_PERMITTED & schema.keys()):
        yield f"{where} '{word}' is not permitted."
    if not TYPED & schema.keys():
        yield f"{where} schema must have a 'type' key."
    types = schema.get("type")
    if "object" in (types if isinstance(types, list) else [types]) or "properties" in schema:
        properties = schema.get("properties") or {}
        if schema.get("additionalProperties") is not False:
            yield f"{where} 'additionalProperties' is required to be supplied and to be false."
        if set(schema.get("required") or ()) != set(properties):
            yield f"{where} 'required' must have every key of properties."
    if types == "array" and not isinstance(schema.get("items"), Mapping):
        yield f"{where} array schema missing items."
    if "$ref" in schema and not LOCAL.fullmatch(schema["$ref"]):
        yield f"{where} reference can only point to definitions defined at the top level."
    for inner, place in _inside(schema):
        yield from _strict_nodes(inner, name, (*context, *place))


def _inside(schema: Mapping[str, Any]) -> Iterator[tuple[Any, tuple[str, ...]]]:
    for word in ("properties", "$defs", "definitions"):
        for name, inner in (schema.get(word) or {}).items():
            yield inner, (word, name)
    if "items" in schema:
        yield schema["items"], ("items",)
    for number, inner in enumerate(schema.get("anyOf") or ()):
        yield inner, ("anyOf", str(number))


def _size(schema: Any) -> tuple[int, int]:
    """Levels of nested objects, and the number of properties in all of them."""
    if not isinstance(schema, Mapping):
        return 0, 0
    sizes = [_size(inner) for inner, _ in _inside(schema)]
    own = len(schema.get("properties") or {})
    deepest = max((depth for depth, _ in sizes), default=0)
    return deepest + ("properties" in schema), own + sum(count for _, count in sizes)
