"""A state whose role is a gate: asked for a verdict, which takes one of two arrows.

The program's question offers ways on, each with an answer that takes it (`Choice.reply`). Where
such an answer is whole, a verdict can stand for it: the role says pass or fail, and the program
hears the answer that goes with it. A verdict that cannot be read is asked for once more; after that
it is a fail, never a pass (specification of prompt configs, section 5.2).
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

GATE = "gate"
"""Where a position's memory keeps what each verdict answers, and the question as the program put
it."""
GATE_EVENT = "role.gate"
VERDICT_EVENT = "role.verdict"
"""The events of a gate: that it is asked, and what it said."""


class Judgement(Protocol):
    """What was read out of an answer."""

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
        """What the answer says, and what to do about it. `called`: the arguments of the verdict
        tool, where it was called."""
        ...


@dataclass(frozen=True, kw_only=True)
class Gate:
    """`passes` and `fails` are labels of the state's choices; `again` is said where no verdict
    could be read."""

    passes: str
    fails: str
    tool: ToolSpec
    judge: Judge
    again: str


def labels_for_gates(asked: AskModel) -> tuple[str, ...]:
    """The arrows of this question, by their labels, that a verdict can take."""
    counts = Counter(one.label for one in asked.choices)
    return tuple(
        one.label for one in asked.choices if counts[one.label] == 1 and _is_whole(asked, one)
    )


def ask_verdict(gate: Gate, asked: AskModel, whole: AskModel, outcome: Outcome) -> Outcome:
    """Ask for a verdict in place of the answer. `asked` is the program's own question, `whole` the
    same with the role's blocks. The run fails where no verdict could take the arrows."""
    ways = {label: _way(asked, label) for label in (gate.passes, gate.fails)}
    for label, way in ways.items():
        if way is None:
            known = ", ".join(map(repr, labels_for_gates(asked))) or "none"
            reason = (
                f"{asked.state!r} is a gate, but a verdict cannot take its arrow {label!r}; "
                f"arrows that one can take: {known}."
            )
            return replace(outcome, next=End(status="failed", reason=reason))
    found = {label: way for label, way in ways.items() if way is not None}
    decided = {
        call.get("name") for one in asked.choices for call in one.reply.get("tool_calls") or ()
    }
    effect = replace(
        whole,
        schema=None,
        answer_tool="",
        tools=(*(tool for tool in whole.tools if tool.name not in decided), gate.tool),
        choices=(
            _verdict(gate, "pass", found[gate.passes]),
            _verdict(gate, "fail", found[gate.fails]),
        ),
    )
    kept = {
        "pass": found[gate.passes].reply,
        "fail": found[gate.fails].reply,
        "attempt": 1,
        "question": {
            name: to_json_value(getattr(asked, name))
            for name in ("schema", "answer_tool", "tools", "choices")
        },
    }
    draft = Draft(type=GATE_EVENT, fields={"memory": {GATE: kept}})
    return replace(outcome, drafts=(*outcome.drafts, draft), next=Ask(effect=effect))


def read_verdict(
    gate: Gate, kept: Mapping[str, Any], effect: AskModel, reply: Reply
) -> Outcome | tuple[tuple[Draft, ...], Reply]:
    """What the program is to hear, with what is to be noted; or the question once more. An answer
    that failed, or that calls the program's own tools, is no verdict and goes on as it is."""
    others = [call for call in reply.tool_calls if call.name != gate.tool.name]
    if reply.error or others:
        return (Draft(type=GATE_EVENT, fields={"memory": {GATE: None}}),), replace(
            reply, tool_calls=tuple(others)
        )
    called = next((call.arguments for call in reply.tool_calls), None)
    text = reply.text or (json.dumps(reply.structured) if reply.structured is not None else "")
    judgement, follow = gate.judge(text, called, kept["attempt"])
    said = {
        "verdict": judgement.verdict,
        "decided_by": judgement.decided_by,
        "reasoning": judgement.reasoning,
        "attempt": kept["attempt"],
    }
    if follow == "retry":
        more = {**kept, "attempt": kept["attempt"] + 1}
        draft = Draft(type=VERDICT_EVENT, fields={**said, "follow": follow, "memory": {GATE: more}})
        turns = (
            Message(role="assistant", text=text or json.dumps(to_json_value(called or {}))),
            Message(role="user", text=gate.again),
        )
        again = replace(effect, messages=(*effect.messages, *turns), prompt=CONTINUATION)
        return Outcome(drafts=(draft,), next=Ask(effect=again))
    label = gate.passes if follow == "pass" else gate.fails
    note = {**said, "follow": follow, "takes": label, "memory": {GATE: None}}
    return (Draft(type=VERDICT_EVENT, fields=note),), _answer(reply, kept[follow])


def own_question(effect: AskModel, kept: Mapping[str, Any]) -> AskModel:
    """The question with what the program itself offered in it."""
    restored = effect_from_json({**effect_to_json(effect), **kept["question"]})
    assert isinstance(restored, AskModel)
    return restored


def _answer(reply: Reply, way: Mapping[str, Any]) -> Reply:
    """The answer that takes this way, by whoever gave the verdict."""
    calls = tuple(
        ToolCall(name=call["name"], arguments=call.get("arguments") or {}, id=f"gate-{number}")
        for number, call in enumerate(way.get("tool_calls") or (), start=1)
    )
    text = str(way.get("text", reply.text))
    return replace(reply, text=text, structured=way.get("structured"), tool_calls=calls)


def _verdict(gate: Gate, verdict: str, way: Choice) -> Choice:
    arguments = {"verdict": verdict, "reasoning": "Rehearsed."}
    call = {"name": gate.tool.name, "arguments": arguments}
    return Choice(label=way.label, transition=way.transition, reply={"tool_calls": [call]})


def _way(asked: AskModel, label: str) -> Choice | None:
    if label not in labels_for_gates(asked):
        return None
    return next(one for one in asked.choices if one.label == label)


def _is_whole(asked: AskModel, choice: Choice) -> bool:
    """Whether the choice's reply is all that the program asks for, with nothing made up in it."""
    if choice.times != 1 or not choice.transition:
        return False
    calls = choice.reply.get("tool_calls") or ()
    if calls:
        offered = {tool.name: tool.parameters for tool in asked.tools}
        return all(_only_chooses(call, offered.get(call["name"])) for call in calls)
    if asked.schema is None:
        return True
    given = choice.reply.get("structured")
    return given is not None and fits(to_json_value(given), asked.schema, asked.schema)


def _only_chooses(call: Mapping[str, Any], parameters: Mapping[str, Any] | None) -> bool:
    """A call whose arguments fit, and are picked from what the tool lists or left empty."""
    if parameters is None:
        return False
    arguments = call.get("arguments") or {}
    known = parameters.get("properties") or {}
    return fits(to_json_value(arguments), parameters, parameters) and all(
        value == "" or "enum" in known.get(name, {}) for name, value in arguments.items()
    )
