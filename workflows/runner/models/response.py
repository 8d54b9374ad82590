"""A model's response, as the reply of a run."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from workflows.core.conversation.answer_form import AnswerForm
from workflows.core.conversation.build import Conversation
from workflows.core.engine.effects import AskModel
from workflows.core.engine.signals import Reply, ToolCall, Usage
from workflows.runner.models.request import ANSWER_TOOL

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ToolCallPart

_FENCED = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)
ABSENT: Any = object()


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
    if response.finish_reason is None or not details.get("finish_reason"):
        raise IncompleteResponse if response.parts else EmptyResponse
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    structured = _structured(effect, form, text, calls)
    tool_calls = tuple(_call(part, sent) for part in calls if not _is_answer(effect, part))
    thoughts = (part.content for part in response.parts if isinstance(part, ThinkingPart))
    tokens, reasoning = usage(response), "\n\n".join(text for text in thoughts if text)
    if not text and not tool_calls and structured is ABSENT:
        error = _empty_reason(str(response.finish_reason))
        return Reply(
            at=0.0,
            key=effect.key,
            error=error,
            usage=tokens,
            reasoning=reasoning,
            response_model=response.model_name or "",
            finish_reason=response.finish_reason,
        )
    has_value = structured is not ABSENT
    return Reply(
        at=0.0,
        key=effect.key,
        text="" if has_value else text,
        structured=structured if has_value else None,
        tool_calls=tool_calls,
        usage=tokens,
        reasoning=reasoning,
        response_model=response.model_name or "",
        finish_reason=response.finish_reason,
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


def _empty_reason(reason: str) -> str:
    match reason:
        case "length":
            return "The model used all its tokens before it wrote an answer. Raise max_tokens."
        case "content_filter":
            return "The model declined to answer this."
        case _:
            return "The model's answer was empty."
