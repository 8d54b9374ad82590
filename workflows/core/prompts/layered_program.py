"""A program with roles at some of its states: the questions there get layered prompts.

The caller writes the blocks: the role's texts and the task, with the state's own text as part of
it. The task opens the conversation as the user's message. Transitions, answers and budgets remain
the program's own.

A role may have tools of its own (its memory). The model's calls of those are made between two turns
of the same question, and the program receives only the final answer. A role that is a gate gives a
verdict instead of an answer: see `gates`. The reason of a failed gate is part of the next task,
also in a state without a role: see `feedback`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from workflows.core.engine.effects import (
    CONTINUATION,
    AskModel,
    CallTool,
    Effect,
    Message,
    ToolSpec,
    effect_from_json,
    effect_to_json,
)
from workflows.core.engine.events import Draft
from workflows.core.engine.json_values import to_json_value
from workflows.core.engine.program import (
    Ask,
    End,
    ExternalOutcome,
    Outcome,
    Program,
    ProgramWrapper,
)
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Reply, Signal, ToolCall, ToolDone
from workflows.core.prompts.blocks import Blocks, join_blocks, prompt_fields, text_hash
from workflows.core.prompts.feedback import Feedback, carry, feedback_for, feedback_of
from workflows.core.prompts.gates import GATE, Gate, ask_verdict, own_question, read_verdict

LAYERED = "layered"
"""Key of a position's memory for the question while the role's tools are called."""
OPENING = "Begin."  # prose: off
"""The user's first message of a conversation that has no other."""
MAX_ROUNDS = 8
"""Maximum number of consecutive replies with only calls of the role's tools."""
NOT_CALLED = "Not called yet, because memory came first. Call it again if you still need it."
MEMORY_EVENT = "role.memory"
"""The event with the progress of the role's tool calls."""


class CannotCompose(Exception):
    """The role's texts cannot be composed. The message has the text and the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """The blocks of a prompt. `about`: more fields of its `prompt.logged`. `system` and
    `developer`: the two parts of the role block, if it has both."""

    blocks: Blocks
    system: str = ""
    developer: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)


class Compose(Protocol):
    """Writes the blocks around a state's own question. The result is recorded, so reading a run
    composes no text again."""

    def __call__(
        self, run: RunState, position: Position, question: AskModel, feedback: Feedback | None, /
    ) -> Composed:
        """Raises CannotCompose: no incomplete prompt is sent. `feedback`: the reason of a gate that
        the task includes."""
        ...


def as_it_is(reason: str) -> str:
    """The section of a task with a gate's reason: the reason alone."""
    return reason


class LayeredProgram(ProgramWrapper):
    """A program with roles at some of its states, `gates` among them; all other states are
    unchanged. `tools`: tools that every role may call in addition. A tool of the program with the
    same name takes precedence. `rework`: the section of a task with the reason of a gate, for
    states without a role."""

    def __init__(
        self,
        program: Program,
        roles: Mapping[str, Compose],
        tools: Sequence[ToolSpec] = (),
        gates: Mapping[str, Gate] | None = None,
        rework: Callable[[str], str] = as_it_is,
    ) -> None:
        super().__init__(program)
        self._roles = roles
        self._tools = tuple(tools)
        self._gates = gates or {}
        self._rework = rework

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        return self._layered(run, position, self._program.ask(run, position, key))

    def fire(
        self, run: RunState, position: Position, event: str
    ) -> Outcome | ExternalOutcome | None:
        outcome = self._program.fire(run, position, event)
        return self._layered(run, position, outcome) if isinstance(outcome, Outcome) else outcome

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        kept = position.memory.get(LAYERED)
        if kept and isinstance(effect, CallTool) and isinstance(signal, ToolDone):
            return _returned(kept, signal)
        drafts: tuple[Draft, ...] = ()
        feedback = None
        if isinstance(effect, AskModel) and isinstance(signal, Reply):
            own = [call for call in signal.tool_calls if call.name in self._own(effect)]
            rounds = kept["rounds"] if kept else 0
            if own and rounds < MAX_ROUNDS:
                return _called(effect, signal, own, rounds + 1)
            left = tuple(call for call in signal.tool_calls if call not in own)
            signal = replace(signal, tool_calls=left)
            gate, asked_for = self._gates.get(position.state), position.memory.get(GATE)
            if gate and asked_for:
                read = read_verdict(gate, asked_for, effect, signal)
                if isinstance(read, Outcome):
                    return read
                drafts, signal, feedback = read.drafts, read.reply, read.feedback
                effect = own_question(effect, asked_for)
        outcome = self._program.answer(run, position, effect, signal)
        if kept:
            drafts = (Draft(type=MEMORY_EVENT, fields={"memory": {LAYERED: None}}), *drafts)
        outcome = replace(outcome, drafts=(*drafts, *outcome.drafts))
        return self._layered(run, position, outcome, feedback)

    def _own(self, effect: AskModel) -> frozenset[str]:
        """Names of the tools in this effect that are the role's and not the program's."""
        if effect.state not in self._roles:
            return frozenset()
        return frozenset(
            tool.name for tool in self._tools if to_json_value(tool) in to_json_value(effect.tools)
        )

    def _layered(
        self,
        run: RunState,
        position: Position,
        outcome: Outcome,
        failed: Feedback | None = None,
    ) -> Outcome:
        """The outcome with the role's blocks around its question. `failed`: the reason of this
        state's gate, if the outcome follows from its verdict."""
        outcome = carry(failed or feedback_of(position.memory), outcome)
        question = outcome.next.effect if isinstance(outcome.next, Ask) else None
        if not isinstance(question, AskModel) or question.judge:
            return outcome
        feedback, compose = feedback_for(position), self._roles.get(position.state)
        if compose is None:
            return outcome if feedback is None else self._reworked(outcome, question, feedback)
        try:
            composed = compose(run, position, question, feedback)
        except CannotCompose as cannot:
            return replace(outcome, next=End(status="failed", reason=str(cannot)))
        turn = run.answered.get("model.replied", ()).count(position.state) + 1
        names = {tool.name for tool in question.tools}
        added = tuple(tool for tool in self._tools if tool.name not in names)
        layered = with_sent(with_blocks(question, composed, turn), feedback)
        whole = replace(layered, tools=(*question.tools, *added))
        gate = self._gates.get(position.state)
        if gate is None:
            return replace(outcome, next=Ask(effect=whole))
        return ask_verdict(gate, question, whole, outcome)

    def _reworked(self, outcome: Outcome, question: AskModel, feedback: Feedback) -> Outcome:
        """The question of a state without a role, with the reason of a gate in its task."""
        text, own = self._rework(feedback.reason), question.prompt
        if "blocks" in own and question.messages:
            blocks = Blocks(**own["blocks"])
            blocks = replace(blocks, task=join_blocks(blocks.task, text))
            effect = with_blocks(question, Composed(blocks=blocks), own["turn"])
        else:
            whole = join_blocks(question.system, text)
            effect = replace(
                question,
                messages=opened_with(text, question.messages),
                prompt={**own, "text": whole, "hash": text_hash(whole)},
            )
        return replace(outcome, next=Ask(effect=with_sent(effect, feedback)))


def with_blocks(question: AskModel, composed: Composed, turn: int) -> AskModel:
    """The question with these blocks in place of its own text: the header as system prompt, the
    rest as the user's message. If the program itself separates them, it is the last message, else
    the first."""
    blocks, own = composed.blocks, question.prompt
    if "blocks" in own and question.messages:
        *before, last = question.messages
        messages = (*before, replace(last, text=blocks.delta))
        fields = prompt_fields(blocks, own["kind"], own["turn"])
    else:
        messages = opened_with(blocks.delta, question.messages)
        fields = prompt_fields(blocks, "full", turn)
    prompt = {**fields, **composed.about}
    if not composed.developer.strip():
        return replace(question, system=blocks.header, messages=messages, prompt=prompt)
    system = join_blocks(blocks.system, composed.system)
    return replace(
        question, system=system, developer=composed.developer, messages=messages, prompt=prompt
    )


def with_sent(question: AskModel, feedback: Feedback | None) -> AskModel:
    """The question with the note, in the memory of its `prompt.logged`, that it includes this
    feedback."""
    if feedback is None:
        return question
    memory = {**question.prompt.get("memory", {}), **replace(feedback, sent=True).memory()}
    return replace(question, prompt={**question.prompt, "memory": memory})


def opened_with(text: str, messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The conversation with this text as the user's first message. An own first message of the user
    follows the text, unless it is part of the text or only asks to begin."""
    if not text.strip():
        return messages
    own = messages[0].text.strip() if messages and messages[0].role == "user" else None
    if own is None:
        return (Message(role="user", text=text), *messages)
    repeated = own == OPENING or own in text
    first = replace(messages[0], text=text if repeated else join_blocks(text, messages[0].text))
    return (first, *messages[1:])


def _called(effect: AskModel, reply: Reply, own: Sequence[ToolCall], rounds: int) -> Outcome:
    """Request the role's calls one after the other. Other calls of the same reply have to wait."""
    kept = {
        "effect": effect_to_json(effect),
        "reply": to_json_value(reply),
        "left": [to_json_value(call) for call in own],
        "results": {},
        "rounds": rounds,
    }
    return _next(kept)


def _returned(kept: Mapping[str, Any], done: ToolDone) -> Outcome:
    call, *left = kept["left"]
    results = {**kept["results"], _id(call): done.error or done.result}
    return _next({**kept, "left": left, "results": results})


def _next(kept: Mapping[str, Any]) -> Outcome:
    """The next of the role's calls, or the question again with their results."""
    draft = Draft(type=MEMORY_EVENT, fields={"memory": {LAYERED: dict(kept)}})
    if kept["left"]:
        call = kept["left"][0]
        made = CallTool(
            key="", position="", state="", name=call["name"], arguments=call["arguments"]
        )
        return Outcome(drafts=(draft,), next=Ask(effect=made))
    effect, reply = effect_from_json(kept["effect"]), kept["reply"]
    assert isinstance(effect, AskModel)
    calls = [{**call, "id": _id(call)} for call in reply["tool_calls"]]
    turns = (
        Message(role="assistant", text=reply["text"], tool_calls=tuple(calls)),
        *(
            Message(
                role="tool",
                text=kept["results"].get(call["id"], NOT_CALLED),
                tool_call_id=call["id"],
            )
            for call in calls
        ),
    )
    again = replace(effect, messages=(*effect.messages, *turns), prompt=CONTINUATION)
    return Outcome(drafts=(draft,), next=Ask(effect=again))


def _id(call: Mapping[str, Any]) -> str:
    """The id of a call. Derived from its name and arguments if the model gave it none."""
    return str(call["id"] or f"{call['name']}:{sorted(call['arguments'].items())}")
