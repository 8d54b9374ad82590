"""A model request in the model library's types: conversation, tools, answer schema, settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workflows.core.conversation.answer_form import AnswerForm, answer_form
from workflows.core.conversation.build import Conversation
from workflows.core.conversation.schema_subsets import unsupported
from workflows.core.engine.effects import Message
from workflows.providers.endpoint import Kind

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

ANSWER_TOOL = "answer"
"""The tool call that carries a structured answer if the model supports no schema for its text."""
CACHE_SIZE = 100
"""Number of cached parameter objects, one for each provider and set of tools and schema."""
_parameters: dict[tuple[str, Kind, bool], ModelRequestParameters] = {}
_NUMBERS = ("temperature", "top_p", "presence_penalty", "frequency_penalty")
_WHOLE = ("max_tokens", "top_k", "seed")


def conversation(sent: Conversation, *, kind: Kind) -> list[ModelMessage]:
    """The instructions and every turn. Only OpenAI has developer messages; elsewhere the
    developer's instructions follow the system's."""
    from pydantic_ai.messages import ModelRequest

    names = {
        str(call["id"]): str(call["name"]) for turn in sent.messages for call in turn.tool_calls
    }
    messages: list[ModelMessage] = []
    instructions, parts = _instructions(sent, kind)
    for turn in sent.messages:
        if turn.role != "assistant":
            parts.append(_user_message(turn, names))
            continue
        if parts:
            messages.append(ModelRequest(parts=parts))
            parts = []
        messages.append(_assistant_message(turn))
    return [*messages, ModelRequest(parts=parts, instructions=instructions)]


def _instructions(sent: Conversation, kind: Kind) -> tuple[str | None, list[ModelRequestPart]]:
    """The instructions, and the parts before the user's first message."""
    if kind == "openai" and sent.developer.strip():
        from workflows.runner.models.openai_chat import DeveloperPromptPart

        return (sent.system.strip() and sent.system) or None, [DeveloperPromptPart(sent.developer)]
    both = (text for text in (sent.system, sent.developer) if text.strip())
    return "\n\n".join(both) or None, []


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
            outcome="failed" if turn.failed else "success",
        )
    return UserPromptPart(turn.text)


def parameters(sent: Conversation, model: Model[Any], *, kind: Kind) -> ModelRequestParameters:
    """Tools and the schema of the answer: native if the model supports it, else as a tool. Equal
    requests share one object, which the library copies before it changes anything."""
    form = form_of(sent, kind)
    native = form is not None and _answers_natively(form, sent, model, kind)
    cache_key = (repr((sent.tools, sent.schema)), kind, native)
    if cache_key not in _parameters:
        if len(_parameters) >= CACHE_SIZE:
            _parameters.clear()
        _parameters[cache_key] = _build_parameters(sent, form, native=native, kind=kind)
    return _parameters[cache_key]


def form_of(sent: Conversation, kind: Kind) -> AnswerForm | None:
    """The form of the answer's schema; None without a schema."""
    return None if sent.schema is None else answer_form(sent.schema, kind)


def _answers_natively(form: AnswerForm, sent: Conversation, model: Model[Any], kind: Kind) -> bool:
    """Return True if the answer follows its schema without a tool call. Anthropic takes no schema
    outside its subset, and some models of Google refuse a schema together with tools."""
    combines = model.profile.get(
        "google_supports_tool_combination", not model.system.startswith("google")
    )
    fits = kind != "anthropic" or not form.unsupported
    supports = bool(model.profile.get("supports_json_schema_output"))
    return fits and supports and bool(combines or not sent.tools)


def _build_parameters(
    sent: Conversation, form: AnswerForm | None, *, native: bool, kind: Kind
) -> ModelRequestParameters:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    tools = [
        ToolDefinition(
            name=tool.name,
            description=tool.description,
            parameters_json_schema=dict(tool.parameters),
            strict=_strict(any(unsupported(tool.parameters, kind))),
        )
        for tool in sent.tools
    ]
    if form is None:
        return ModelRequestParameters(function_tools=tools)
    schema, strict = dict(form.schema), _strict(bool(form.unsupported))
    if native:
        answer = OutputObjectDefinition(json_schema=schema, name=ANSWER_TOOL, strict=strict)
        return ModelRequestParameters(
            function_tools=tools, output_mode="native", output_object=answer
        )
    call = ToolDefinition(
        name=ANSWER_TOOL,
        description="Give the answer.",
        parameters_json_schema=schema,
        strict=strict,
        kind="output",
    )
    return ModelRequestParameters(
        function_tools=tools, output_mode="tool", output_tools=[call], allow_text_output=bool(tools)
    )


def _strict(is_outside: bool) -> bool | None:
    """False for a schema outside the provider's subset, which it must only describe to the model;
    otherwise the library decides."""
    return False if is_outside else None


def settings(sent: Conversation, *, kind: Kind) -> ModelSettings:
    """The pack's parameters that models support; others are dropped.

    The library's own retries are off, because `retries` does the waiting. For other providers see
    `clients`.
    """
    params = sent.parameters
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
    if params.get("tool_choice") in ("auto", "none", "required") and sent.tools:
        values["tool_choice"] = params["tool_choice"]
    return values  # type: ignore[return-value]
