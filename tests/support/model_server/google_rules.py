"""Requests that Google's generateContent refuses with status 400, from its API reference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from google.genai import types
from pydantic import ValidationError

from tests.support.model_server.google_schemas import schema_problems

FUNCTION_NAME = re.compile(r"^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$")
FIELDS = {
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "generationConfig",
    "safetySettings",
    "cachedContent",
}


def problems(body: Mapping[str, Any]) -> Iterator[str]:
    """The reasons of a refusal, none if the request is accepted."""
    unknown = [name for name in body if name not in FIELDS]
    if unknown:
        yield f'Invalid JSON payload received. Unknown name "{unknown[0]}".'
        return
    try:
        contents = [types.Content.model_validate(one) for one in body.get("contents", ())]
        for tool in body.get("tools", ()):
            types.Tool.model_validate(tool)
        types.GenerationConfig.model_validate(body.get("generationConfig", {}))
    except ValidationError as error:
        first = error.errors()[0]
        yield f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        return
    yield from _refusals(body, contents)


def _refusals(body: Mapping[str, Any], contents: list[types.Content]) -> Iterator[str]:
    if not contents:
        yield "* GenerateContentRequest.contents: contents is not specified"
    elif contents[0].role != "user":
        yield "Please ensure that the first content is of role user."
    for number, content in enumerate(contents):
        if content.role not in ("user", "model"):
            yield "Please use a valid role: user, model."
        if not content.parts:
            yield f"* contents[{number}].parts: contents.parts must not be empty."
        for part in content.parts or ():
            if not part.model_dump(exclude_none=True, exclude_defaults=True):
                yield f"contents[{number}].parts: required oneof field 'data' must have one field"
            if part.text is not None and not part.text:
                yield f"contents[{number}].parts: Unable to submit request with an empty text part."
    yield from _turns(contents)
    names: set[str] = set()
    for tool in body.get("tools", ()):
        for declared in tool.get("functionDeclarations", ()):
            name = declared["name"]
            if not FUNCTION_NAME.match(name):
                yield f"Invalid function name: {name}."
            if name in names:
                yield f"Duplicate function declaration found: {name}"
            names.add(name)
            if "parameters" in declared and "parametersJsonSchema" in declared:
                yield f"{name}: only one of parameters and parameters_json_schema may be set."
            schema = declared.get("parametersJsonSchema")
            if schema is not None and schema.get("type") != "object":
                yield f"{name}: parameters_json_schema must describe an object."
            yield from schema_problems(schema, f"function_declarations.{name}")
    yield from _config(body.get("generationConfig", {}))


def _config(config: Mapping[str, Any]) -> Iterator[str]:
    for name, least, most in (
        ("temperature", 0, 2),
        ("topP", 0, 1),
        ("presencePenalty", -2, 2),
        ("frequencyPenalty", -2, 2),
    ):
        if not least <= config.get(name, 0) <= most:
            yield f"{name} must be in the range [{least}.0, {most}.0]."
    if config.get("maxOutputTokens", 1) < 1:
        yield "max_output_tokens must be positive."
    if len(config.get("stopSequences", ())) > 5:
        yield "stop_sequences: at most 5 are allowed."
    schema = config.get("responseJsonSchema")
    if schema is not None and config.get("responseMimeType") != "application/json":
        yield "response_json_schema needs response_mime_type application/json."
    yield from schema_problems(schema, "generation_config.response_json_schema")


def _turns(contents: list[types.Content]) -> Iterator[str]:
    """A turn of calls follows the user's, and has as many responses in the next turn."""
    for number, content in enumerate(contents):
        before = contents[number - 1] if number else None
        calls = [part for part in content.parts or () if part.function_call]
        results = [part for part in content.parts or () if part.function_response]
        if before is not None and before.role == content.role:
            yield "Please ensure that multiturn requests alternate between user and model."
        if calls:
            after = contents[number + 1] if number + 1 < len(contents) else None
            answered = [
                part for part in (after.parts if after else None) or () if part.function_response
            ]
            if len(answered) != len(calls):
                yield (
                    "Please ensure that the number of function response parts is equal to the "
                    "number of function call parts of the function call turn."
                )
        if results and not (before and any(part.function_call for part in before.parts or ())):
            yield (
                "Please ensure that function response turn comes immediately after a function "
                "call turn."
            )
