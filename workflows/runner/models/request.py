"""A model request in the model library's types: conversation, tools, answer schema, settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workflows.core.engine.effects import AskModel, Message
from workflows.models.endpoint import Kind

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

ANSWER_TOOL = "answer"
"""The tool call that carries a structured answer if the model supports no schema for its text."""
WRAPPED = "value"
OPENING, CONTINUATION = "Begin.", "Go on."  # prose: off
CACHE_SIZE = 100
"""Number of cached parameter objects, one for each set of tools and schema."""
_parameters: dict[tuple[str, bool], ModelRequestParameters] = {}
_NUMBERS = ("temperature", "top_p", "presence_penalty", "frequency_penalty")
_WHOLE = ("max_tokens", "top_k", "seed")


def conversation(effect: AskModel) -> list[ModelMessage]:
    """The system prompt and every turn. The last turn is never the model's."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart

    names = {
        str(call.get("id", "")): str(call.get("name", ""))
        for turn in effect.messages
        for call in turn.tool_calls
    }
    messages: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    for turn in effect.messages:
        if turn.role != "assistant":
            parts.append(_user_message(turn, names))
            continue
        if parts:
            messages.append(ModelRequest(parts=parts))
            parts = []
        messages.append(_assistant_message(turn))
    last = parts or [UserPromptPart(CONTINUATION if messages else OPENING)]
    return [*messages, ModelRequest(parts=last, instructions=effect.system or None)]


def _assistant_message(turn: Message) -> ModelMessage:
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

    calls = [
        ToolCallPart(
            tool_name=str(call.get("name", "")),
            args=dict(call.get("arguments") or {}),
            tool_call_id=str(call.get("id", "")),
        )
        for call in turn.tool_calls
    ]
    return ModelResponse(parts=[*([TextPart(turn.text)] if turn.text else []), *calls])


def _user_message(turn: Message, names: Mapping[str, str]) -> ModelRequestPart:
    from pydantic_ai.messages import ToolReturnPart, UserPromptPart

    if turn.role == "tool":
        return ToolReturnPart(
            tool_name=names.get(turn.tool_call_id, "tool"),
            content=turn.text,
            tool_call_id=turn.tool_call_id,
        )
    return UserPromptPart(turn.text)


def parameters(effect: AskModel, model: Model[Any]) -> ModelRequestParameters:
    """Tools and the schema of the answer: native if the model supports it, else as a tool. Equal
    requests share one object, which the library copies before it changes anything."""
    native = bool(model.profile.get("supports_json_schema_output"))
    cache_key = (repr((effect.tools, effect.schema)), native)
    if cache_key not in _parameters:
        if len(_parameters) >= CACHE_SIZE:
            _parameters.clear()
        _parameters[cache_key] = _build_parameters(effect, native)
    return _parameters[cache_key]


def _build_parameters(effect: AskModel, native: bool) -> ModelRequestParameters:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    tools = [
        ToolDefinition(
            name=tool.name,
            description=tool.description,
            parameters_json_schema=dict(tool.parameters) or {"type": "object", "properties": {}},
        )
        for tool in effect.tools
    ]
    if effect.schema is None:
        return ModelRequestParameters(function_tools=tools)
    schema = wrap_schema(effect.schema)
    if native:
        answer = OutputObjectDefinition(json_schema=schema, name=ANSWER_TOOL)
        return ModelRequestParameters(
            function_tools=tools, output_mode="native", output_object=answer
        )
    call = ToolDefinition(
        name=ANSWER_TOOL,
        description="Give the answer.",
        parameters_json_schema=schema,
        kind="output",
    )
    return ModelRequestParameters(
        function_tools=tools, output_mode="tool", output_tools=[call], allow_text_output=bool(tools)
    )


def is_object(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "object" or "properties" in schema


def wrap_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema of an object. Providers accept no other, so any other schema becomes its single
    value."""
    if is_object(schema):
        return dict(schema)
    inner = {name: value for name, value in schema.items() if name not in ("$defs", "definitions")}
    shared = {name: schema[name] for name in ("$defs", "definitions") if name in schema}
    return {
        "type": "object",
        "properties": {WRAPPED: inner},
        "required": [WRAPPED],
        "additionalProperties": False,
        **shared,
    }


def settings(effect: AskModel, *, kind: Kind) -> ModelSettings:
    """The pack's parameters that models support; others are dropped.

    The library's own retries are off, because `retries` does the waiting. For other providers see
    `clients`.
    """
    params = effect.parameters
    values: dict[str, Any] = {"framing_announcement": "never"}
    if kind == "google":
        values["max_retries"] = 0
    for name in (*_NUMBERS, *_WHOLE):
        value = params.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            values[name] = int(value) if name in _WHOLE else float(value)
    stops = params.get("stop_sequences", params.get("stop"))
    if isinstance(stops, str | list):
        values["stop_sequences"] = (
            [stops] if isinstance(stops, str) else [str(one) for one in stops]
        )
    if params.get("tool_choice") in ("auto", "none", "required") and effect.tools:
        values["tool_choice"] = params["tool_choice"]
    return values  # type: ignore[return-value]
