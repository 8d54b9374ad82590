"""What a run asks, as the model library has it: conversation, tools, answer schema, settings."""

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
"""The call that carries a structured answer where a model takes no schema for its text."""
WRAPPED = "value"
OPENING, GOING_ON = "Begin.", "Go on."
KEPT = 100
"""Sets of tools and schemas whose way into the library is remembered."""
_parameters: dict[tuple[str, bool], ModelRequestParameters] = {}
_NUMBERS = ("temperature", "top_p", "presence_penalty", "frequency_penalty")
_WHOLE = ("max_tokens", "top_k", "seed")


def conversation(effect: AskModel) -> list[ModelMessage]:
    """The system prompt and every turn. A conversation ends with somebody else than the model."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart

    names = {
        str(call.get("id", "")): str(call.get("name", ""))
        for turn in effect.messages
        for call in turn.tool_calls
    }
    found: list[ModelMessage] = []
    heard: list[ModelRequestPart] = []
    for turn in effect.messages:
        if turn.role != "assistant":
            heard.append(_user_message(turn, names))
            continue
        if heard:
            found.append(ModelRequest(parts=heard))
            heard = []
        found.append(_assistant_message(turn))
    last = heard or [UserPromptPart(GOING_ON if found else OPENING)]
    return [*found, ModelRequest(parts=last, instructions=effect.system or None)]


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
    """Tools, and the schema of the answer: the model's own way where it has one, else a tool. Runs
    that ask alike share one object, which the library copies where it changes anything."""
    native = bool(model.profile.get("supports_json_schema_output"))
    alike = (repr((effect.tools, effect.schema)), native)
    if alike not in _parameters:
        if len(_parameters) >= KEPT:
            _parameters.clear()
        _parameters[alike] = _made(effect, native)
    return _parameters[alike]


def _made(effect: AskModel, native: bool) -> ModelRequestParameters:
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
    schema = wrapped(effect.schema)
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


def wrapped(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Providers take schemas of objects only: anything else goes in as an object's one value."""
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
    """The pack's own parameters, as far as models know them; what else it says is not for them.

    Nothing is tried again below us: this house does its own waiting. See `clients` for the others.
    """
    given = effect.parameters
    found: dict[str, Any] = {"framing_announcement": "never"}
    if kind == "google":
        found["max_retries"] = 0
    for name in (*_NUMBERS, *_WHOLE):
        value = given.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[name] = int(value) if name in _WHOLE else float(value)
    stops = given.get("stop_sequences", given.get("stop"))
    if isinstance(stops, str | list):
        found["stop_sequences"] = [stops] if isinstance(stops, str) else [str(one) for one in stops]
    if given.get("tool_choice") in ("auto", "none", "required") and effect.tools:
        found["tool_choice"] = given["tool_choice"]
    return found  # type: ignore[return-value]
