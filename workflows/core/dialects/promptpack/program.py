"""How a pack runs (promptpack.md section 4, with the decisions of section 10).

A stay in a state keeps in its memory: `messages` (the conversation), `context` (what the state
before handed on), `rounds` and `calls` (spent in this turn), `waiting` (tool calls not made yet),
`next` (the event to take once they are made) and `ask` (a question to put to a person).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from workflows.core.dialects.promptpack.machine import Machine, Refusal, Spec
from workflows.core.dialects.promptpack.parts import Object, Parts, word
from workflows.core.dialects.promptpack.prompting import Prompting
from workflows.core.dialects.promptpack.questions import (
    what_came_of_it,
    what_next,
    which_event,
)
from workflows.core.dialects.promptpack.replies import Reading, read_reply
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.dialects.promptpack.templates import missing
from workflows.core.dialects.promptpack.tools import (
    Policy,
    choices,
    pack_tools,
    workflow_tools,
)
from workflows.core.engine.effects import AskModel, CallTool, Effect, Message
from workflows.core.engine.events import Draft
from workflows.core.engine.program import (
    Again,
    Ask,
    Budget,
    CannotRun,
    End,
    Next,
    Outcome,
)
from workflows.core.engine.run import Position, Run
from workflows.core.engine.signals import Approve, Reply, Signal, ToolDone

PROMPTKIT_ROUNDS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PackProgram:
    """One pack under one profile. `yields`: after the model led into a state with `control: user`
    the run asks a person before it goes on, as the format has it; without, it goes on by itself."""

    parts: Parts
    machine: Machine
    prompting: Prompting
    promptkit: bool = False
    yields: bool = False

    @property
    def budget(self) -> Budget:
        return self.machine.budget

    @property
    def terminals(self) -> frozenset[str]:
        """The states that end a run."""
        return frozenset(name for name in self.machine.states if self.machine.ends(name))

    @property
    def needs(self) -> tuple[str, ...]:
        """Variables that a run has to bring along: required, and without a default."""
        found: dict[str, None] = {}
        for spec in self.machine.states.values():
            found.update(dict.fromkeys(missing(self._prompt(spec), {})))
        return tuple(found)

    def start(self, run: Run) -> tuple[str, ...]:
        entry = self.machine.entry
        if entry not in self.machine.states:
            raise CannotRun(f"The workflow begins in {entry!r}, which is not there.", code="PP202")
        lacking = [name for name in self.needs if not run.inputs.get(name)]
        if lacking:
            raise CannotRun(
                f"missing required variables: [{' '.join(lacking)}]", code="missing_variables"
            )
        return (entry,)

    def ask(self, run: Run, position: Position, key: str) -> Outcome:
        spec = self.machine.states.get(position.state)
        if spec is None:
            return _failed(f'state "{position.state}" not found in spec')
        waiting = position.memory.get("waiting") or []
        if waiting:
            return Outcome(next=Ask(effect=_call(waiting[0], position, key)))
        if position.memory.get("next"):
            return self._led_on(run, position)
        if spec.orchestration in ("external", "composition"):
            return self._ask_outside(spec, position, key)
        if position.memory.get("ask"):
            return Outcome(next=Ask(effect=what_next(spec, position, key)))
        return self._ask_model(run, position, spec, key)

    def answer(self, run: Run, position: Position, effect: Effect, signal: Signal) -> Outcome:
        match signal:
            case Reply():
                return self._replied(run, position, signal)
            case ToolDone():
                return self._tool_done(position, signal)
            case Approve(event=event) if event:
                return self.fire(run, position, event) or Outcome(next=Again())
            case Approve(text=words):
                return self._spoken(position, words)
        return Outcome(next=Again())

    def fire(self, run: Run, position: Position, event: str) -> Outcome | None:
        """A person or another system leads on. Works whatever the state's orchestration is."""
        spec = self.machine.states.get(position.state)
        if spec is None or event not in spec.events or self.machine.ends(position.state):
            return None
        return self._take(run, position, event, context="", by_model=False)

    # -- asking

    def _prompt(self, spec: Spec) -> Object:
        return self.parts.prompts.get(spec.prompt_task, {})

    def _ask_model(self, run: Run, position: Position, spec: Spec, key: str) -> Outcome:
        prompt = self._prompt(spec)
        if not prompt:
            return _failed(f'state "{spec.name}" has no prompt "{spec.prompt_task}"')
        policy = self._policy(prompt)
        rounds = position.memory.get("rounds", 0)
        if rounds >= policy.rounds:
            return _failed(f'max rounds ({policy.rounds}) exceeded in state "{spec.name}"')
        system, unresolved = self.prompting.system(run, position, prompt)
        drafts = [_note("promptpack.unresolved", {"names": list(unresolved)})] if unresolved else []
        effect = AskModel(
            key=key,
            position=position.id,
            state=spec.name,
            system=system,
            messages=self.prompting.messages(run, position),
            tools=(
                *pack_tools(self.parts, prompt, policy),
                *workflow_tools(self.machine, spec),
            ),
            parameters=_parameters(prompt, policy, rounds),
            choices=() if self.machine.ends(spec.name) else choices(spec),
        )
        return Outcome(drafts=tuple(drafts), next=Ask(effect=effect))

    def _policy(self, prompt: Object) -> Policy:
        """PromptKit never hands a pack's policy to its loop, and allows 50 rounds."""
        if self.promptkit:
            return Policy(rounds=PROMPTKIT_ROUNDS, calls=10**6)
        return Policy.of(prompt)

    def _ask_outside(self, spec: Spec, position: Position, key: str) -> Outcome:
        """A state without a model: an external one, or one that runs a composition."""
        if not self.machine.ends(spec.name):
            return Outcome(next=Ask(effect=which_event(spec, position, key)))
        if spec.orchestration == "composition" and not position.memory.get("told"):
            return Outcome(next=Ask(effect=what_came_of_it(spec, position, key)))
        return Outcome(next=End(status="completed"))

    # -- answers

    def _replied(self, run: Run, position: Position, reply: Reply) -> Outcome:
        if reply.error:
            return _failed(f'The model gave no answer in "{position.state}": {reply.error}')
        spec = self.machine.states[position.state]
        reading = read_reply(
            machine=self.machine,
            spec=spec,
            policy=self._policy(self._prompt(spec)),
            known=frozenset(self.parts.tools),
            calls=position.memory.get("calls", 0),
            reply=reply,
        )
        memory = self._after_reply(run, position, reply, reading)
        if not reply.tool_calls and self.machine.ends(spec.name):
            return Outcome(next=End(status="completed"))
        if reading.event and not reading.waiting:
            counted = replace(run, tool_calls=run.tool_calls + reading.counted)
            taken = self._take(
                counted, position, reading.event, context=reading.context, memory=memory
            )
            return Outcome(drafts=(*reading.drafts, *taken.drafts), next=taken.next)
        note = _note("promptpack.turn", {"memory": memory})
        return Outcome(drafts=(*reading.drafts, note), next=Again())

    def _after_reply(
        self, run: Run, position: Position, reply: Reply, reading: Reading
    ) -> dict[str, Any]:
        before = [_plain(turn) for turn in self.prompting.messages(run, position)]
        memory: dict[str, Any] = {
            "messages": [*before, *reading.messages],
            "rounds": position.memory.get("rounds", 0) + 1,
            "calls": position.memory.get("calls", 0) + reading.counted + len(reading.waiting),
            "waiting": list(reading.waiting),
            "next": reading.event,
            "next_context": reading.context,
        }
        if not reply.tool_calls:
            memory["ask"] = reply.text or "The model said nothing. What shall it do?"
        return memory

    def _tool_done(self, position: Position, done: ToolDone) -> Outcome:
        first, *rest = position.memory.get("waiting") or [{}]
        result = f"Error: {done.error}" if done.error else done.result
        turn = {"role": "tool", "text": result, "tool_call_id": first.get("id", "")}
        memory = {
            "messages": [*position.memory.get("messages", []), turn],
            "waiting": rest,
        }
        return Outcome(drafts=(_note("promptpack.turn", {"memory": memory}),), next=Again())

    def _spoken(self, position: Position, words: str) -> Outcome:
        """A person's next message begins a new turn."""
        said = [{"role": "user", "text": words}] if words else []
        memory = {
            "messages": [*position.memory.get("messages", []), *said],
            "rounds": 0,
            "calls": 0,
            "ask": "",
            "told": True,
        }
        return Outcome(drafts=(_note("promptpack.turn", {"memory": memory}),), next=Again())

    # -- moving on

    def _led_on(self, run: Run, position: Position) -> Outcome:
        """All tool calls of the round are made; now the event that the model asked for."""
        event, context = position.memory["next"], position.memory.get("next_context", "")
        return self._take(run, position, event, context=context)

    def _take(
        self,
        run: Run,
        position: Position,
        event: str,
        *,
        context: str,
        by_model: bool = True,
        memory: dict[str, Any] | None = None,
    ) -> Outcome:
        found = self.machine.fire(run, position.state, event)
        if isinstance(found, Refusal):
            return Outcome(next=_end(found))
        messages = (memory or position.memory).get("messages", [])
        drafts: tuple[Draft, ...] = ()
        if found.redirected:
            about = {
                "original_target": found.original_target,
                "redirected_to": found.target,
                "reason": self.machine.redirect_reason(found),
            }
            drafts = (_note("promptpack.max_visits_exceeded", about),)
        noted = self._arrival(found.target, context, messages, by_model=by_model)
        return Outcome(drafts=drafts, next=replace(found, memory=tuple(noted.items())))

    def _arrival(
        self, target: str, context: str, messages: list[Any], *, by_model: bool
    ) -> dict[str, Any]:
        """What the new stay begins with. `transient` states begin a conversation of their own;
        PromptKit goes on with the same one in any case."""
        spec = self.machine.states.get(target)
        noted: dict[str, Any] = {"context": context} if context else {}
        if spec is None:
            return noted
        if self.promptkit or spec.persistence == "persistent":
            noted["messages"] = list(messages)
        stops = self.yields and by_model and not self.promptkit and spec.control == "user"
        if stops and not self.machine.ends(target):
            noted["ask"] = f"“{target}” is reached. What shall happen here?"
        return noted


def program(source: PackSource, profile: str, *, yields: bool = False) -> PackProgram:
    """How this pack runs. Raises CannotRun for one that cannot start at all."""
    if not source.readable:
        raise CannotRun("This file is not a readable pack.", code="PP101")
    parts = source.parts
    machine = Machine.of(parts) if parts.workflow is not None else _single(parts)
    if not machine.states:
        raise CannotRun("The workflow has no states.", code="PP115")
    return PackProgram(
        parts=parts,
        machine=machine,
        prompting=Prompting(parts=parts, promptkit=profile == "promptkit"),
        promptkit=profile == "promptkit",
        yields=yields,
    )


def _single(parts: Parts) -> Machine:
    """Without a workflow one prompt is run once: the agents' entry, or the only prompt there is."""
    entry = word((parts.agents or {}).get("entry"))
    if entry not in parts.prompts:
        if len(parts.prompts) != 1:
            raise CannotRun(
                f"This pack has {len(parts.prompts)} prompts and no workflow that orders them. "
                "Draw an arrow from one to another first."
            )
        entry = next(iter(parts.prompts))
    return Machine(entry=entry, states={entry: Spec(name=entry, prompt_task=entry, terminal=True)})


def _call(call: dict[str, Any], position: Position, key: str) -> CallTool:
    return CallTool(
        key=key,
        position=position.id,
        state=position.state,
        name=call["name"],
        arguments=call["arguments"],
    )


def _parameters(prompt: Object, policy: Policy, rounds: int) -> dict[str, Any]:
    """The prompt's parameters; a forced tool choice holds for the first round only."""
    block = prompt.get("parameters")
    found = dict(block) if isinstance(block, dict) else {}
    if policy.choice == "required" and rounds == 0:
        found["tool_choice"] = "required"
    return found


def _note(type: str, fields: dict[str, Any]) -> Draft:
    return Draft(type=type, fields=fields)


def _plain(turn: Message) -> dict[str, Any]:
    found: dict[str, Any] = {"role": turn.role, "text": turn.text}
    if turn.tool_calls:
        found["tool_calls"] = [dict(call) for call in turn.tool_calls]
    if turn.tool_call_id:
        found["tool_call_id"] = turn.tool_call_id
    return found


def _failed(reason: str) -> Outcome:
    return Outcome(next=End(status="failed", reason=reason))


def _end(refusal: Refusal) -> Next:
    """Caps and budgets end the run as used up; anything else is the run's failure."""
    if refusal.code in ("budget_exhausted", "max_visits_exceeded"):
        return End(status="budget_exhausted", reason=refusal.message)
    return End(status="failed", reason=refusal.message)
