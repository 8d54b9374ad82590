"""A model's response, as the reply of a run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workflows.core.conversation.answer_form import AnswerForm
from workflows.core.conversation.build import Conversation
from workflows.core.engine.effects import AskModel
from workflows.core.engine.signals import Reply, ToolCall, Usage
from workflows.runner.models.reasoning import split_reasoning
from workflows.runner.models.request import ANSWER_TOOL

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ToolCallPart

_FENCED = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)
ABSENT: Any = object()
MAX_MESSAGE = 300
"""Maximum number of characters of a server's message to repeat."""


class IncompleteResponse(Exception):
    """The answer is incomplete: the server stopped in the middle without an error."""


class ResponseTimeout(Exception):
    """No complete answer within this number of seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class EmptyResponse(Exception):
    """The response contains no part of an answer."""


def read_response(
    effect: AskModel, sent: Conversation, form: AnswerForm | None, response: ModelResponse
) -> Reply:
    """The reply in this response, with the pack's names of its tools. `form`: of the answer's
    schema. Raises IncompleteResponse and EmptyResponse."""
    from pydantic_ai.messages import TextPart, ThinkingPart, ToolCallPart

    details = response.provider_details or {}
    refusal, raw = _refusal(details), str(details.get("finish_reason") or "")
    if not (raw or refusal):
        raise IncompleteResponse if response.parts else EmptyResponse
    written = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    thought, text = split_reasoning(written)
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    structured = _structured(effect, form, text, calls)
    tool_calls = tuple(_call(part, sent) for part in calls if not _is_answer(effect, part))
    thoughts = (part.content for part in response.parts if isinstance(part, ThinkingPart))
    reply = Reply(
        at=0.0,
        key=effect.key,
        usage=usage(response),
        reasoning="\n\n".join(one for one in (*thoughts, thought) if one),
        response_model=response.model_name or "",
        finish_reason=response.finish_reason or "",
    )
    has_value = structured is not ABSENT
    is_empty = not text and not tool_calls and not has_value
    error = _end_error(response.finish_reason, refusal, raw, is_empty=is_empty)
    if error:
        return replace(reply, text=text or refusal, error=error)
    return replace(
        reply,
        text="" if has_value else text,
        structured=structured if has_value else None,
        tool_calls=tool_calls,
    )


def usage(response: ModelResponse) -> Usage:
    """Tokens as counted by the provider, and the cost if the model's price is known."""
    try:
        cost = float(response.cost().total_price)
    except (LookupError, ValueError, AssertionError):
        cost = 0.0
    return Usage(
        input_tokens=response.usage.input_tokens,
        output_tokens=response.usage.output_tokens,
        cost=cost,
    )


def _structured(
    effect: AskModel, form: AnswerForm | None, text: str, calls: list[ToolCallPart]
) -> Any:
    """The value for the effect's schema, ABSENT if the response contains none."""
    if form is None:
        return ABSENT
    answer = next((part for part in calls if _is_answer(effect, part)), None)
    if answer is not None:
        value = _read(answer.args if isinstance(answer.args, str) else json.dumps(answer.args))
    elif text and not calls:
        value = _read(text)
    else:
        return ABSENT
    return form.unwrap(value)


def _read(text: str) -> Any:
    fenced = _FENCED.match(text)
    try:
        return json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return ABSENT


def _is_answer(effect: AskModel, part: ToolCallPart) -> bool:
    named = part.tool_name == ANSWER_TOOL and effect.schema is not None
    return named and all(tool.name != ANSWER_TOOL for tool in effect.tools)


def _call(part: ToolCallPart, sent: Conversation) -> ToolCall:
    raw, name = part.args, sent.names.get(part.tool_name, part.tool_name)
    value = raw if isinstance(raw, dict) else _read(raw) if raw else {}
    if isinstance(value, dict):
        return ToolCall(name=name, arguments=value, id=part.tool_call_id)
    return ToolCall(name=name, id=part.tool_call_id, unread=str(raw))


def _refusal(details: Mapping[str, Any]) -> str:
    """The words of a refusal, or what the provider calls it, at the place of each provider."""
    places = ("refusal", "block_reason_message", "block_reason")
    return next((" ".join(str(details[at]).split()) for at in places if details.get(at)), "")


def _end_error(reason: str | None, refusal: str, raw: str, *, is_empty: bool) -> str:
    """The reason why this answer is none, "" for a complete one. `raw`: the end as the provider
    names it."""
    match reason:
        case "length" if is_empty:
            return "The model used all its tokens before it wrote an answer. Raise max_tokens."
        case "length":
            return "The answer was truncated at the limit of its tokens. Raise max_tokens."
        case "content_filter" if refusal:
            return f"The model declined to answer this: “{refusal[:MAX_MESSAGE]}”"
        case "content_filter" if is_empty:
            return "The model declined to answer this."
        case "content_filter":
            return f"The model or its provider stopped this answer ({raw})."
        case "error" | None:
            return f"The model ended its answer before it was complete ({raw})."
        case _:
            return "The model's answer was empty." if is_empty else ""
