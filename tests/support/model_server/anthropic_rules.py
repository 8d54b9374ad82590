"""Requests that Anthropic's messages API refuses with status 400, from its API reference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from anthropic.types.message_create_params import (
    MessageCreateParamsNonStreaming,
    MessageCreateParamsStreaming,
)

from tests.support.model_server.anthropic_schemas import strict_problems
from tests.support.model_server.schema_references import unresolved
from tests.support.model_server.sdk_types import type_problem

TOOL_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")
TOOL_ID = re.compile(r"^[a-zA-Z0-9_-]+$")
PROPERTY = re.compile(r"^[a-zA-Z0-9_.-]{1,64}$")
UNTYPED = {"output_format": dict, "temperature": (int, float), "top_p": (int, float), "top_k": int}
"""Fields without a type in the library: sampling, which only older models accept, and the
beta name of `output_config`."""


def problems(body: Mapping[str, Any]) -> Iterator[str]:
    """The reasons of a refusal, none if the request is accepted."""
    kind = MessageCreateParamsStreaming if body.get("stream") else MessageCreateParamsNonStreaming
    for name, types in UNTYPED.items():
        if name in body and not isinstance(body[name], types):
            yield f"{name}: wrong type"
            return
    typed = {name: value for name, value in body.items() if name not in UNTYPED}
    problem = type_problem(kind, typed)
    yield from [problem] if problem else _refusals(body)


def _refusals(body: Mapping[str, Any]) -> Iterator[str]:
    turns = [(turn["role"], _blocks(turn["content"])) for turn in body["messages"]]
    if not turns:
        yield "messages: at least one message is required"
    elif turns[0][0] != "user":
        yield 'messages: first message must use the "user" role'
    yield from _pairs(turns)
    for number, (role, blocks) in enumerate(turns):
        last = number == len(turns) - 1
        if not blocks and not (last and role == "assistant"):
            yield f"messages.{number}: all messages must have non-empty content"
        for block in blocks:
            if block["type"] == "text" and not block["text"].strip():
                yield f"messages.{number}: text content blocks must contain non-whitespace text"
    if turns and turns[-1][0] == "assistant":
        yield "This model does not support assistant message prefill."
    for block in _blocks(body.get("system") or []):
        if not block["text"].strip():
            yield "system: text content blocks must be non-empty"
    yield from _tools(body.get("tools") or [])
    if not 0 <= body.get("temperature", 0) <= 1:
        yield "temperature: range: 0..1"
    if not 0 <= body.get("top_p", 0) <= 1:
        yield "top_p: range: 0..1"
    if body["max_tokens"] < 1:
        yield "max_tokens: must be greater than or equal to 1"
    for stop in body.get("stop_sequences") or ():
        if not stop.strip():
            yield "stop_sequences: each stop sequence must contain non-whitespace"
    strict = {
        f"tools.{number}.input_schema": tool["input_schema"]
        for number, tool in enumerate(body.get("tools") or [])
        if tool.get("strict")
    }
    if len(strict) > 20:
        yield "Too many strict tools: 20 are the limit."
    form = (body.get("output_config") or {}).get("format") or body.get("output_format")
    if form:
        strict["output_config.format.schema"] = form["schema"]
    yield from strict_problems(strict)


def _blocks(content: Any) -> list[Mapping[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _pairs(turns: list[tuple[str, list[Mapping[str, Any]]]]) -> Iterator[str]:
    """Consecutive turns of one role are combined; then each call has its result in the next turn,
    before any text there."""
    combined: list[tuple[str, list[Mapping[str, Any]]]] = []
    for role, blocks in turns:
        if combined and combined[-1][0] == role:
            combined[-1] = (role, [*combined[-1][1], *blocks])
        else:
            combined.append((role, blocks))
    visited: set[str] = set()
    waiting: list[str] = []
    for number, (role, blocks) in enumerate(combined):
        result_ids = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        missing = [id for id in waiting if id not in result_ids]
        if missing:
            yield (
                f"messages.{number - 1}: `tool_use` ids were found without `tool_result` blocks "
                f"immediately after: {', '.join(missing)}"
            )
        for id in result_ids:
            if role != "user" or id not in waiting:
                yield f"messages.{number}: unexpected `tool_use_id` in `tool_result`: {id}"
        kinds = [block["type"] for block in blocks]
        if waiting and "text" in kinds and "tool_result" in kinds[kinds.index("text") :]:
            yield f"messages.{number}: `tool_result` blocks must come first"
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
        for id in waiting:
            if not TOOL_ID.match(id):
                yield f"messages.{number}: tool_use.id: String should match pattern"
            if id in visited:
                yield f"messages.{number}: `tool_use` ids must be unique"
            visited.add(id)
        for block in blocks:
            if block["type"] == "tool_use" and not TOOL_NAME.match(block["name"]):
                yield f"messages.{number}: tool_use.name: String should match pattern"
    if waiting:
        yield f"`tool_use` ids without `tool_result`: {', '.join(waiting)}"


def _tools(tools: list[Mapping[str, Any]]) -> Iterator[str]:
    names: set[str] = set()
    for number, tool in enumerate(tools):
        if not TOOL_NAME.match(tool["name"]):
            yield f"tools.{number}.name: String should match pattern"
        if tool["name"] in names:
            yield "tools: Tool names must be unique."
        names.add(tool["name"])
        schema = tool["input_schema"]
        if schema.get("type") != "object":
            yield f"tools.{number}.input_schema.type: Input should be 'object'"
        if {"oneOf", "allOf", "anyOf"} & schema.keys():
            yield (
                f"tools.{number}.input_schema: input_schema does not support oneOf, allOf, or "
                "anyOf at the top level"
            )
        for reference in unresolved(schema):
            yield f"tools.{number}.input_schema: JSON schema is invalid: {reference!r} not found"
        for name in schema.get("properties") or ():
            if not PROPERTY.match(name):
                yield f"tools.{number}.input_schema.properties: Property keys should match pattern"
