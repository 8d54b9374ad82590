"""Requests that OpenAI's chat completions refuse with status 400, from its API reference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)

from tests.support.model_server.sdk_types import type_problem

FUNCTION_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")


def problem(body: Mapping[str, Any]) -> str:
    """The reason of a refusal, "" if the request is accepted."""
    kind = (
        CompletionCreateParamsStreaming
        if body.get("stream")
        else CompletionCreateParamsNonStreaming
    )
    return type_problem(kind, body) or next(_refusals(body), "")


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
    if not 0 <= (body.get("temperature") or 0) <= 2:
        yield "Invalid 'temperature': decimal above maximum value."
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
        if function.get("parameters", {}).get("type") != "object":
            yield f"Invalid schema for function '{function['name']}': type must be 'object'."
        if function.get("strict"):
            yield from _strict(function["parameters"], function["name"])


def _schema(given: Mapping[str, Any]) -> Iterator[str]:
    if not FUNCTION_NAME.match(given["name"]):
        yield "Invalid 'response_format.json_schema.name'."
    schema = given.get("schema") or {}
    if schema.get("type") != "object":
        yield "Invalid schema for response_format: schema must have type 'object'."
    if given.get("strict"):
        yield from _strict(schema, "response_format")


def _strict(schema: Any, name: str) -> Iterator[str]:
    """In strict mode every object lists all properties as required, and takes no others."""
    if isinstance(schema, list):
        for one in schema:
            yield from _strict(one, name)
    if not isinstance(schema, Mapping):
        return
    if schema.get("type") == "object" or "properties" in schema:
        properties = schema.get("properties") or {}
        if schema.get("additionalProperties") is not False:
            yield f"Invalid schema for {name}: 'additionalProperties' must be false."
        if set(schema.get("required") or ()) != set(properties):
            yield f"Invalid schema for {name}: 'required' must have every key of properties."
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            for one in value.values():
                yield from _strict(one, name)
        elif key in ("items", "anyOf"):
            yield from _strict(value, name)
