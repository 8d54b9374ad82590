"""A model's answer: without its reasoning, and complete."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.support.model_server import Answer, ModelRequest, ModelServer, RawReply, TextReply
from workflows.core.engine.effects import AskModel, ToolSpec
from workflows.core.engine.signals import Reply
from workflows.providers.endpoint import Endpoint, Kind
from workflows.runner.models import clients, retries

DRAFT = '{"next_action": {"action": "handoff"}}'
CALL = '{"tool_call":{"name":"spawn_node","args":{"label":"X","roleTemplate":"planner"}}}'
SHAPES = {
    "think": f"<think>{DRAFT}</think>\n\nANSWER",
    "think on lines": f"<think>\nMaybe:\n{DRAFT}\nNo.\n</think>\nANSWER",
    "think after space": f"\n  <think>\n{CALL}\n</think>\nANSWER",
    "thinking": f"<thinking>{DRAFT}</thinking>ANSWER",
    "thought": f"<thought>{DRAFT}</thought>ANSWER",
    "reasoning": f"<reasoning>{DRAFT}</reasoning>ANSWER",
    "of a namespace": f"<ant:thinking>{DRAFT}</ant:thinking>ANSWER",
    "upper case": f"<THINK>{DRAFT}</THINK>ANSWER",
    "attributes": f'<think time="3s">{DRAFT}</think>ANSWER',
    "seed": f"<seed:think>{DRAFT}</seed:think>ANSWER",
    "brackets": f"[THINK]{DRAFT}[/THINK]ANSWER",
    "triangles": f"◁think▷{DRAFT}◁/think▷ANSWER",
    "pipes": f"<|think|>{DRAFT}<|/think|>ANSWER",
    "start and end": f"<|START_THINKING|>{DRAFT}<|END_THINKING|>ANSWER",
    "begin and end": f"<|begin_of_thought|>{DRAFT}<|end_of_thought|>ANSWER",
    "solution": (
        f"<|begin_of_thought|>{DRAFT}<|end_of_thought|>\n"
        "<|begin_of_solution|>ANSWER<|end_of_solution|>"
    ),
    "response": (
        f"<|START_THINKING|>{DRAFT}<|END_THINKING|><|START_RESPONSE|>ANSWER<|END_RESPONSE|>"
    ),
    "channels": (
        f"<|channel|>analysis<|message|>{DRAFT}<|end|>"
        "<|start|>assistant<|channel|>final<|message|>ANSWER<|return|>"
    ),
    "no opening mark": f"Maybe {DRAFT}\n</think>\nANSWER",
    "no opening mark on the line": f"Maybe {DRAFT}</think>ANSWER",
    "no opening mark of thinking": f"{DRAFT}\n</thinking>\n\nANSWER",
    "no opening mark in brackets": f"{DRAFT}[/THINK]ANSWER",
    "no opening mark with a fence": f"```json\n{DRAFT}\n</think>\nANSWER",
    "twice": f"<think>{DRAFT}</think><think>{DRAFT}</think>ANSWER",
    "a fence within": f"<think>\n```json\n{DRAFT}\n```\n</think>\nANSWER",
    "empty": "<think>\n\n</think>\n\nANSWER",
    "between": f"<think>{DRAFT}</think>AN<think>{DRAFT}</think>SWER",
    "after some text": f"AN<think>{DRAFT}</think>SWER",
    "an opening mark within": f"<think>I write <think> first. {DRAFT}</think>ANSWER",
    "a line break in the mark": f"<think\n>{DRAFT}</think >ANSWER",
}
LITERAL = {
    "a value": '{"why": "they wrote <think>x</think>", "go": "on"}',
    "an inline mark": "Write `<think>` first and `</think>` last.",
    "a fence": "Like this:\n```xml\n<think>\nx\n</think>\n```\nDone.",
    "no closing mark": "The mark <think> opens it.",
    "another element": "<thinker>x</thinker>",
    "a comparison": "a < think and b > think",
}
KINDS: tuple[Kind, ...] = ("openai", "compatible", "anthropic", "google")


Wire = tuple[Kind, bool]
WIRES: list[Wire] = [("openai", True), ("compatible", False), ("anthropic", True), ("google", True)]
"""Protocols, each with whether the answer is streamed."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The reply to one row over one wire, and the text that was published while it arrived."""

    row: str
    wire: Wire
    reply: Reply
    shown: str


async def send(server: ModelServer, effect: AskModel, wire: Wire) -> tuple[Reply, str]:
    """The reply to this question over one wire, and the text that was published meanwhile."""
    deltas: list[str] = []

    async def publish(text: str) -> None:
        deltas.append(text)

    kind, streams = wire
    address = {"base_url": server.url(kind), "private_hosts": ("127.0.0.1",)}
    endpoint = Endpoint(name="Mine", kind=kind, key="k", **address)
    question = replace(effect, parameters={} if streams else {"stream": False})
    policy = retries.RetryPolicy(first=0.001)
    reply = await retries.ask(question, endpoint, "m", policy=policy, on_delta=publish)
    return reply, "".join(deltas)


def ask(answers: Mapping[str, Answer], wires: Sequence[Wire] = WIRES, **more: Any) -> list[Asked]:
    """Ask once over each wire for each row; the server sends the row's answer."""

    def scripted(request: ModelRequest) -> Answer:
        body = json.dumps(request.body)
        return next(answer for row, answer in answers.items() if f"Row: {row}." in body)

    async def request(server: ModelServer, row: str, wire: Wire) -> Asked:
        place = {"key": "k", "position": "1", "state": "start", "system": f"Row: {row}."}
        reply, shown = await send(server, AskModel(**place, **more), wire)
        return Asked(row=row, wire=wire, reply=reply, shown=shown)

    async def requests(server: ModelServer) -> list[Asked]:
        try:
            return [await request(server, row, wire) for row in answers for wire in wires]
        finally:
            await clients.close_clients()

    with ModelServer(otherwise=scripted) as server:
        return asyncio.run(requests(server))


def test_reasoning_is_no_part_of_the_answer() -> None:
    for asked in ask({row: TextReply(text=text) for row, text in SHAPES.items()}):
        reply, text = asked.reply, SHAPES[asked.row]
        assert (reply.text, reply.error) == ("ANSWER", ""), asked
        drafts = (DRAFT in reply.reasoning) + (CALL in reply.reasoning)
        assert drafts == (asked.row != "empty"), asked
        if asked.wire[1] and text.endswith("ANSWER") and text.strip()[0] in "<[◁":
            assert asked.shown.strip() == "ANSWER", asked


def test_marks_that_are_part_of_an_answer_stay() -> None:
    for asked in ask({row: TextReply(text=text) for row, text in LITERAL.items()}):
        assert (asked.reply.text, asked.reply.reasoning) == (LITERAL[asked.row], ""), asked
        assert not asked.wire[1] or asked.shown == LITERAL[asked.row], asked


def test_a_structured_answer_follows_the_reasoning() -> None:
    schema = {"type": "object", "properties": {"go": {"enum": ["on", "off"]}}}
    text = '<think>{"go": "off"}</think>\n{"go": "on"}'
    for asked in ask({"one": TextReply(text=text)}, schema=schema):
        assert asked.reply.structured == {"go": "on"}, asked


FIELDS = {
    "reasoning_content": {"content": "ANSWER", "reasoning_content": DRAFT},
    "reasoning": {"content": "ANSWER", "reasoning": DRAFT},
    "parts": {
        "content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": DRAFT}]},
            {"type": "text", "text": "ANSWER"},
        ]
    },
}


def test_reasoning_in_a_providers_own_field() -> None:
    for streams in (True, False):
        answers = {row: chat(message, "stop", streams) for row, message in FIELDS.items()}
        for asked in ask(answers, [("openai", streams), ("compatible", streams)]):
            reasoning = "" if asked.row == "parts" else DRAFT
            assert (asked.reply.text, asked.reply.reasoning) == ("ANSWER", reasoning), asked


def test_reasoning_in_blocks_of_anthropic_and_google() -> None:
    blocks = [{"type": "thinking", "thinking": DRAFT, "signature": "s"}]
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {
        "id": "1", "model": "m", "type": "message", "role": "assistant", "stop_reason": "end_turn",
        "content": [*blocks, {"type": "text", "text": "ANSWER"}], "usage": usage,
    }  # fmt: skip
    content = {"role": "model", "parts": [{"text": DRAFT, "thought": True}, {"text": "ANSWER"}]}
    body = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}
    events = RawReply(body=f"data: {json.dumps(body)}\r\n\r\n".encode(), type="text/event-stream")
    answers: list[tuple[Wire, Answer]] = [
        (("anthropic", False), raw(message, streams=False)),
        (("google", False), raw(body, streams=False)),
        (("google", True), events),
    ]
    for wire, answer in answers:
        for asked in ask({"one": answer}, [wire]):
            assert (asked.reply.text, asked.reply.reasoning) == ("ANSWER", DRAFT), asked


DECLINED = {
    "openai": {
        "length": TextReply(text="Half", stop="length"),
        "filter": TextReply(text="Half", stop="content_filter"),
        "unknown": TextReply(text="Half", stop="error"),
    },
    "anthropic": {
        "length": TextReply(text="Half", stop="max_tokens"),
        "context": TextReply(text="Half", stop="model_context_window_exceeded"),
        "filter": TextReply(text="Half", stop="refusal"),
    },
    "google": {
        "length": TextReply(text="Half", stop="MAX_TOKENS"),
        "filter": TextReply(text="Half", stop="SAFETY"),
        "unknown": TextReply(text="Half", stop="OTHER"),
    },
}
SENTENCES = {
    "length": "The answer was truncated at the limit of its tokens. Raise max_tokens.",
    "context": "The answer was truncated at the limit of its tokens. Raise max_tokens.",
    "filter": "The model or its provider stopped this answer",
    "unknown": "The model ended its answer before it was complete",
}


def test_half_an_answer_is_an_error_with_its_words() -> None:
    for kind, answers in DECLINED.items():
        for asked in ask(answers, [(kind, True), (kind, False)]):
            assert asked.reply.error.startswith(SENTENCES[asked.row]), asked
            assert (asked.reply.text, len(asked.reply.sent)) == ("Half", 1), asked


def test_calls_of_half_an_answer_are_not_made() -> None:
    stops = {"openai": "length", "anthropic": "max_tokens", "google": "MAX_TOKENS"}
    for kind, stop in stops.items():
        half = TextReply(text="I write.", tool_calls=(("write", {"path": "a"}),), stop=stop)
        tool = ToolSpec(name="write", description="Write.", parameters={"type": "object"})
        for asked in ask({"one": half}, [(kind, True), (kind, False)], tools=(tool,)):
            assert (asked.reply.tool_calls, asked.reply.text) == ((), "I write."), asked
            assert asked.reply.error, asked


def test_a_refusal_is_not_requested_again() -> None:
    for streams in (True, False):
        refusals = {
            "with an end": chat({"refusal": "I cannot do that."}, "stop", streams),
            "without": chat({"refusal": "I cannot do that."}, None, streams),
        }
        for asked in ask(refusals, [("openai", streams), ("compatible", streams)]):
            assert asked.reply.error == "The model declined to answer this: “I cannot do that.”"
            assert len(asked.reply.sent) == 1, asked


def test_a_blocked_prompt_is_not_sent_again() -> None:
    feedback = {"blockReason": "SAFETY", "blockReasonMessage": "Blocked for safety."}
    body = json.dumps({"promptFeedback": feedback})
    for streams in (True, False):
        events = f"data: {body}\r\n\r\n"
        kind = "text/event-stream" if streams else "application/json"
        blocked = RawReply(body=(events if streams else body).encode(), type=kind)
        for asked in ask({"one": blocked}, [("google", streams)]):
            assert asked.reply.error == "The model declined to answer this: “Blocked for safety.”"
            assert len(asked.reply.sent) == 1, asked


ERRORS = {
    "bad": {"error": {"message": "No such parameter.", "code": 400}},
    "typed": {"error": {"message": "No such parameter.", "type": "invalid_request_error"}},
    "of a choice": {
        "choices": [{"index": 0, "error": {"message": "No such parameter.", "code": 400}}]
    },
}


def test_an_error_with_status_200_is_an_error_with_its_words() -> None:
    for kind in KINDS:
        answers = {row: raw(body, streams=False) for row, body in ERRORS.items()}
        for asked in ask(answers, [(kind, True)]):
            assert "rejected the request" in asked.reply.error, asked
            assert "“No such parameter”" in asked.reply.error, asked
            assert len(asked.reply.sent) == 1, asked


def chat(message: Mapping[str, Any], reason: str | None, streams: bool) -> RawReply:
    """A chat completion with this message, streamed as one piece or whole."""
    name = "delta" if streams else "message"
    choice = {"index": 0, name: {"role": "assistant", **message}, "finish_reason": reason}
    object_name = "chat.completion.chunk" if streams else "chat.completion"
    head = {"id": "1", "created": 1, "model": "m", "object": object_name}
    return raw({**head, "choices": [choice]}, streams)


def raw(body: Any, streams: bool) -> RawReply:
    text = json.dumps(body)
    if not streams:
        return RawReply(body=text.encode())
    events = f"data: {text}\n\ndata: [DONE]\n\n"
    return RawReply(body=events.encode(), type="text/event-stream")
