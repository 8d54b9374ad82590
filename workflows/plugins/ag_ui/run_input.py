"""The body with which AG-UI's clients start a run, and what a pack takes from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import AnyValue
from workflows.errors import BadRequest

MESSAGE = "chat.message"
"""The input in which roles find the message of a chat."""
MAX_MESSAGES = 10_000


class ResumeEntry(s.Serializer[Any]):
    """An answer to an interrupt. `payload` is of its `responseSchema`. `cancelled` denies, and
    cancels the run if the question cannot be denied."""

    interruptId = s.CharField(max_length=400)  # noqa: N815
    status = s.ChoiceField(choices=("resolved", "cancelled"))
    payload = AnyValue(required=False, allow_null=True)


class RunAgentInput(s.Serializer[Any]):
    """`forwardedProps` has the fields of a new run (`driver`, `connection`, `inputs`, `budget`…)
    and `input`, the name of the input for the message. The driver is `model` by default. `state`,
    `tools` and `context` are not used, because a pack has its own. With `interrupts` false, the
    stream does not end when the run waits for people."""

    threadId = s.CharField(max_length=200)  # noqa: N815
    runId = s.CharField(  # noqa: N815
        max_length=190, help_text="The same id again starts no second run."
    )
    messages = s.ListField(child=s.DictField(), max_length=MAX_MESSAGES)
    state = s.JSONField(required=False, allow_null=True)
    tools = s.ListField(child=s.DictField(), required=False, allow_null=True)
    context = s.ListField(  # type: ignore[assignment]
        child=s.DictField(), required=False, allow_null=True
    )
    forwardedProps = s.DictField(required=False, allow_null=True)  # noqa: N815
    parentRunId = s.CharField(  # noqa: N815
        required=False, allow_null=True, max_length=200
    )
    resume = ResumeEntry(
        many=True,
        required=False,
        allow_null=True,
        help_text="Answers to all interrupts with which a stream ended. No run is started.",
    )


def message_of(messages: Iterable[Mapping[str, Any]]) -> str:
    """The text of the last message of the user. Raises BadRequest."""
    theirs = [message for message in messages if message.get("role") == "user"]
    if not theirs:
        raise BadRequest("`messages` has no message with the role `user`.", where="messages")
    content = theirs[-1].get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise BadRequest("The `content` of a message is a text or a list.", where="messages")
    if any(part.get("type") != "text" for part in parts):
        raise BadRequest("A pack takes text only. Remove the other parts.", where="messages")
    text = "\n".join(str(part.get("text", "")) for part in parts)
    if not text.strip():
        raise BadRequest("The last message of the user is empty.", where="messages")
    return text


def inputs_with(
    message: str, given: Mapping[str, Any], declared: Iterable[Mapping[str, Any]], name: str
) -> dict[str, Any]:
    """The run's inputs with the message: in the input of this name; without a name, in the first
    required input of the pack without a value, else in its first one without a value."""
    free = [one for one in declared if not one["by_role"] and one["name"] not in given]
    free.sort(key=lambda one: not one["required"])
    chosen = name or next((str(one["name"]) for one in free), "")
    return {MESSAGE: message, **({chosen: message} if chosen else {}), **given}
