"""Gates: a state whose role gives a verdict, which takes one of two transitions.

The program's question has choices, each with an answer that takes it (`Choice.reply`). If such an
answer is complete, a verdict can replace it: the role passes or fails, and the program receives the
matching answer. An unreadable verdict is requested once more; after that it is a fail, never a pass
(specification of prompt configs, section 5.2).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from workflows.core.engine.effects import (
    CONTINUATION,
    AskModel,
    Choice,
    Message,
    ToolSpec,
    effect_from_json,
    effect_to_json,
)
from workflows.core.engine.events import Draft
from workflows.core.engine.json_values import to_json_value
from workflows.core.engine.program import Ask, End, Outcome
from workflows.core.engine.rehearsal.schema_fit import fits
from workflows.core.engine.signals import Reply, ToolCall
from workflows.core.prompts.feedback import NO_REASON, Feedback

GATE = "gate"
"""Key of a position's memory for the answer of each verdict, and the program's own question."""
GATE_EVENT = "role.gate"
VERDICT_EVENT = "role.verdict"
"""The event of a verdict. `GATE_EVENT` is the event of its request."""


class Judgement(Protocol):
    """The parsed verdict of an answer."""

    @property
    def verdict(self) -> str: ...
    @property
    def decided_by(self) -> str: ...
    @property
    def reasoning(self) -> str: ...


class Judge(Protocol):
    def __call__(
        self, text: str, called: Mapping[str, Any] | None, attempt: int
    ) -> tuple[Judgement, Literal["pass", "fail", "retry"]]:
        """The verdict of an answer, and the consequence. `called`: the arguments of the verdict
        tool if it was called."""
        ...


@dataclass(frozen=True, kw_only=True)
class Gate:
    """`passes` and `fails` are labels of the state's choices; `again` is the message after an
    unreadable verdict."""

    passes: str
    fails: str
    tool: ToolSpec
    judge: Judge
    again: str


def labels_for_gates(question: AskModel) -> tuple[str, ...]:
    """Labels of the transitions of this question that a verdict can take."""
    counts = Counter(choice.label for choice in question.choices)
    return tuple(
        choice.label
        for choice in question.choices
        if counts[choice.label] == 1 and _is_whole(question, choice)
    )


def ask_verdict(gate: Gate, question: AskModel, layered: AskModel, outcome: Outcome) -> Outcome:
    """Request a verdict in place of the answer. `question` is the program's own, `layered` the same
    with the role's blocks. The run fails if a verdict cannot take the transitions."""
    choices = {label: _choice(question, label) for label in (gate.passes, gate.fails)}
    for label, choice in choices.items():
        if choice is None:
            labels = ", ".join(map(repr, labels_for_gates(question))) or "none"
            reason = (
                f"{question.state!r} is a gate, but a verdict cannot take its transition "
                f"{label!r}. Choose one of: {labels}."
            )
            return replace(outcome, next=End(status="failed", reason=reason))
    taken = {label: choice for label, choice in choices.items() if choice is not None}
    answer_tools = {
        call.get("name")
        for choice in question.choices
        for call in choice.reply.get("tool_calls") or ()
    }
    effect = replace(
        layered,
        schema=None,
        answer_tool="",
        tools=(*(tool for tool in layered.tools if tool.name not in answer_tools), gate.tool),
        choices=(
            _verdict(gate, "pass", taken[gate.passes]),
            _verdict(gate, "fail", taken[gate.fails]),
        ),
    )
    kept = {
        "pass": taken[gate.passes].reply,
        "fail": taken[gate.fails].reply,
        "attempt": 1,
        "question": {
            name: to_json_value(getattr(question, name))
            for name in ("schema", "answer_tool", "tools", "choices")
        },
    }
    draft = Draft(type=GATE_EVENT, fields={"memory": {GATE: kept}})
    return replace(outcome, drafts=(*outcome.drafts, draft), next=Ask(effect=effect))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer for the program, with the drafts to write. `feedback`: the reason of a failed
    gate."""

    drafts: tuple[Draft, ...]
    reply: Reply
    feedback: Feedback | None = None


def read_verdict(
    gate: Gate, kept: Mapping[str, Any], effect: AskModel, reply: Reply
) -> Outcome | Answered:
    """The answer for the program, or the question once more. An answer that failed, or that calls
    the program's own tools, is not a verdict and is returned unchanged."""
    others = [call for call in reply.tool_calls if call.name != gate.tool.name]
    if reply.error or others:
        drafts = (Draft(type=GATE_EVENT, fields={"memory": {GATE: None}}),)
        return Answered(drafts=drafts, reply=replace(reply, tool_calls=tuple(others)))
    called = next((call.arguments for call in reply.tool_calls), None)
    text = reply.text or (json.dumps(reply.structured) if reply.structured is not None else "")
    judgement, follow = gate.judge(text, called, kept["attempt"])
    verdict = {
        "verdict": judgement.verdict,
        "decided_by": judgement.decided_by,
        "reasoning": judgement.reasoning,
        "attempt": kept["attempt"],
    }
    if follow == "retry":
        more = {**kept, "attempt": kept["attempt"] + 1}
        draft = Draft(
            type=VERDICT_EVENT, fields={**verdict, "follow": follow, "memory": {GATE: more}}
        )
        turns = (
            Message(role="assistant", text=text or json.dumps(to_json_value(called or {}))),
            Message(role="user", text=gate.again),
        )
        again = replace(effect, messages=(*effect.messages, *turns), prompt=CONTINUATION)
        return Outcome(drafts=(draft,), next=Ask(effect=again))
    label = gate.passes if follow == "pass" else gate.fails
    feedback = None
    memory: dict[str, Any] = {GATE: None}
    if follow == "fail":
        reason = judgement.reasoning.strip() or text.strip() or NO_REASON
        feedback = Feedback(gate=effect.state, reason=reason)
        memory |= feedback.memory()
    note = {**verdict, "follow": follow, "takes": label, "memory": memory}
    return Answered(
        drafts=(Draft(type=VERDICT_EVENT, fields=note),),
        reply=_answer(reply, kept[follow]),
        feedback=feedback,
    )


def own_question(effect: AskModel, kept: Mapping[str, Any]) -> AskModel:
    """The program's own question."""
    restored = effect_from_json({**effect_to_json(effect), **kept["question"]})
    assert isinstance(restored, AskModel)
    return restored


def _answer(reply: Reply, choice: Mapping[str, Any]) -> Reply:
    """The answer that takes this choice, with the metadata of the verdict's reply."""
    calls = tuple(
        ToolCall(name=call["name"], arguments=call.get("arguments") or {}, id=f"gate-{number}")
        for number, call in enumerate(choice.get("tool_calls") or (), start=1)
    )
    text = str(choice.get("text", reply.text))
    return replace(reply, text=text, structured=choice.get("structured"), tool_calls=calls)


def _verdict(gate: Gate, verdict: str, choice: Choice) -> Choice:
    arguments = {"verdict": verdict, "reasoning": "Rehearsed."}
    call = {"name": gate.tool.name, "arguments": arguments}
    return Choice(label=choice.label, transition=choice.transition, reply={"tool_calls": [call]})


def _choice(question: AskModel, label: str) -> Choice | None:
    if label not in labels_for_gates(question):
        return None
    return next(choice for choice in question.choices if choice.label == label)


def _is_whole(question: AskModel, choice: Choice) -> bool:
    """Return True if the choice's reply is the complete answer, so that no part of it has to be
    generated."""
    if choice.times != 1 or not choice.transition:
        return False
    calls = choice.reply.get("tool_calls") or ()
    if calls:
        offered = {tool.name: tool.parameters for tool in question.tools}
        return all(_only_chooses(call, offered.get(call["name"])) for call in calls)
    if question.schema is None:
        return True
    structured = choice.reply.get("structured")
    return structured is not None and fits(
        to_json_value(structured), question.schema, question.schema
    )


def _only_chooses(call: Mapping[str, Any], parameters: Mapping[str, Any] | None) -> bool:
    """Return True if the arguments of a call fit, and are listed by the tool or empty."""
    if parameters is None:
        return False
    arguments = call.get("arguments") or {}
    properties = parameters.get("properties") or {}
    return fits(to_json_value(arguments), parameters, parameters) and all(
        value == "" or "enum" in properties.get(name, {}) for name, value in arguments.items()
    )
