"""Requests that Google's generateContent refuses with status 400, from its API reference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from google.genai import types
from pydantic import ValidationError

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


def problem(body: Mapping[str, Any]) -> str:
    """The reason of a refusal, "" if the request is accepted."""
    unknown = [name for name in body if name not in FIELDS]
    if unknown:
        return f'Invalid JSON payload received. Unknown name "{unknown[0]}".'
    try:
        contents = [types.Content.model_validate(one) for one in body.get("contents", ())]
        for tool in body.get("tools", ()):
            types.Tool.model_validate(tool)
        types.GenerationConfig.model_validate(body.get("generationConfig", {}))
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return next(_refusals(body, contents), "")


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
    for tool in body.get("tools", ()):
        for declared in tool.get("functionDeclarations", ()):
            if not FUNCTION_NAME.match(declared["name"]):
                yield f"Invalid function name: {declared['name']}."
    if not 0 <= body.get("generationConfig", {}).get("temperature", 0) <= 2:
        yield "temperature must be in the range [0.0, 2.0]."


def _turns(contents: list[types.Content]) -> Iterator[str]:
    """A turn of calls follows the user's, and has as many responses in the next turn."""
    for number, content in enumerate(contents):
        before = contents[number - 1] if number else None
        calls = [part for part in content.parts or () if part.function_call]
        given = [part for part in content.parts or () if part.function_response]
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
        if given and not (before and any(part.function_call for part in before.parts or ())):
            yield (
                "Please ensure that function response turn comes immediately after a function "
                "call turn."
            )
