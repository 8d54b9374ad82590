"""A rejected draft in a model's reasoning decides nothing: the transition, the call of an agent and
the verdict of a gate follow the answer, for each shape of reasoning over each protocol."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from roles.core.verdict import read_verdict
from tests.dialects.agent_graph.run.scripted_run import PAIR, ScriptedRun, call
from tests.runner.test_model_answers import CALL, DRAFT, SHAPES, WIRES, ask, chat, raw
from tests.support.model_server import Answer, RawReply, TextReply
from workflows.core.dialects import dialects
from workflows.core.engine.effects import AskModel
from workflows.core.engine.fold import fold_all
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply, Start
from workflows.core.engine.transition import transition
from workflows.providers.endpoint import Kind

REGISTRY = dialects()["steps_registry"]
PROGRAM = REGISTRY.program(REGISTRY.read(REGISTRY.samples()["blank"]), "documented")
STARTED, (QUESTION,) = transition(PROGRAM, RunState(), Start(at=0.0))
MARKS = {"gate_pass": "APPROVED: why", "gate_fail": "REJECTED: why"}


@dataclass(frozen=True, kw_only=True)
class Decision:
    """`draft` in the reasoning, `answer` after it, and what a program does after the answer."""

    draft: str
    answer: str
    read: Callable[[Reply], str]
    decided: str


def transition_of(reply: Reply) -> str:
    """The transition that a step of a registry takes."""
    events, _ = transition(PROGRAM, fold_all(STARTED), replace(reply, key=QUESTION.key))
    return " ".join(one.fields["label"] for one in events if one.type == "transition.taken")


def call_of(reply: Reply) -> str:
    """The calls that an orchestrator makes."""
    run = ScriptedRun(PAIR)
    run.reply("lead", reply.text, error=reply.error)
    return " ".join(tool for tool, *_ in run.results("lead"))


def verdict_of(reply: Reply) -> str:
    return read_verdict(reply.text, MARKS).verdict


def intent(name: str) -> str:
    return json.dumps({"next_action": {"action": name}})


DECISIONS = {
    "transition": Decision(
        draft=intent("repeat"), answer=intent("next"), read=transition_of, decided="next"
    ),
    "call": Decision(
        draft=call("spawn_node", label="X", roleTemplate="planner"),
        answer=call("send_handoff", to="coder", message="Go."),
        read=call_of,
        decided="send_handoff",
    ),
    "verdict": Decision(
        draft="APPROVED: fine", answer="REJECTED: no", read=verdict_of, decided="fail"
    ),
}


def shaped(shape: str, decision: Decision) -> str:
    half = len(decision.answer) // 2
    if "ANSWER" not in shape:
        start, end = decision.answer[:half], decision.answer[half:]
        shape = shape.replace("AN", start, 1).replace("SWER", end, 1)
    shape = shape.replace(DRAFT, decision.draft).replace(CALL, decision.draft)
    return shape.replace("ANSWER", decision.answer)


@pytest.mark.parametrize("name", DECISIONS)
def test_a_draft_in_the_reasoning_decides_nothing(name: str) -> None:
    decision = DECISIONS[name]
    answers = {row: TextReply(text=shaped(shape, decision)) for row, shape in SHAPES.items()}
    assert isinstance(QUESTION, AskModel)
    for asked in ask(answers, schema=QUESTION.schema if name == "transition" else None):
        assert decision.read(asked.reply) == decision.decided, asked


def fields(decision: Decision, kind: Kind, streams: bool) -> dict[str, Answer]:
    """Reasoning in the fields of this provider."""
    draft, answer = decision.draft, decision.answer
    head = {"id": "1", "model": "m", "type": "message", "role": "assistant"}
    match kind:
        case "anthropic":
            blocks = [{"type": "thinking", "thinking": draft, "signature": "s"}]
            content = [*blocks, {"type": "text", "text": answer}]
            usage = {"input_tokens": 1, "output_tokens": 1}
            body = {**head, "content": content, "stop_reason": "end_turn", "usage": usage}
            return {"thinking": raw(body, streams=False)}
        case "google":
            parts = [{"text": draft, "thought": True}, {"text": answer}]
            content = {"role": "model", "parts": parts}
            body = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}
            events = RawReply(
                body=f"data: {json.dumps(body)}\r\n\r\n".encode(), type="text/event-stream"
            )
            return {"thought": events if streams else raw(body, streams=False)}
    messages = ({"content": answer, name: draft} for name in ("reasoning_content", "reasoning"))
    return {str(one): chat(message, "stop", streams) for one, message in enumerate(messages)}


@pytest.mark.parametrize("name", DECISIONS)
def test_a_draft_in_a_field_of_the_provider_decides_nothing(name: str) -> None:
    decision = DECISIONS[name]
    for kind, streams in (*WIRES, ("anthropic", False), ("google", False)):
        if (kind, streams) != ("anthropic", True):
            for asked in ask(fields(decision, kind, streams), [(kind, streams)]):
                assert decision.draft in asked.reply.reasoning, asked
                assert decision.read(asked.reply) == decision.decided, asked
