"""A stay in a state of the workflow: its conversation, its wishes to move on, and people's.

Besides what talk.py keeps, the memory has `context` (what the state before handed on), `next` and
`next_context` (the event to take once all tool calls are made), `ask` (a question to put to a
person), `said` (what the model said since a person last spoke), `talk` (a person spoke to a state
that waits for the outside), `checked` (the person's words were looked at) and `skills`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program.available_tools import bench_for
from workflows.core.dialects.promptpack.program.composition_state import Composing
from workflows.core.dialects.promptpack.program.context import Setting
from workflows.core.dialects.promptpack.program.conversation import (
    after_call,
    after_reply,
    next_call,
    remembered,
)
from workflows.core.dialects.promptpack.program.options import model_for
from workflows.core.dialects.promptpack.program.outcomes import failed, note, unresolved
from workflows.core.dialects.promptpack.program.prompts import kept
from workflows.core.dialects.promptpack.program.questions import what_next, which_event
from workflows.core.dialects.promptpack.program.replies import Reading, read_reply
from workflows.core.dialects.promptpack.program.skills import MEMORY as SKILLS
from workflows.core.dialects.promptpack.program.state_machine import Spec
from workflows.core.dialects.promptpack.program.tools import choices
from workflows.core.dialects.promptpack.program.transitions import Moving
from workflows.core.dialects.promptpack.program.validators import Guards
from workflows.core.engine.effects import AskModel, Effect
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, Ask, End, Outcome
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Approve, Reply, Signal, ToolDone


@dataclass(frozen=True, slots=True, kw_only=True)
class States:
    """Runs the states of one pack's workflow."""

    setting: Setting
    guards: Guards
    composing: Composing
    moving: Moving

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        spec = self.setting.machine.states.get(position.state)
        if spec is None:
            return failed(f'state "{position.state}" not found in spec')
        call = next_call(position, key)
        if call is not None:
            return Outcome(next=Ask(effect=call))
        memory = position.memory
        if memory.get("next"):
            context = memory.get("next_context", "")
            return self.moving.take(run, position, memory["next"], context=context)
        if spec.orchestration == "external" and not memory.get("talk"):
            return self._ask_outside(spec, position, key)
        if memory.get("ask"):
            return Outcome(next=Ask(effect=what_next(spec, position, key)))
        if spec.orchestration == "composition":
            return self.composing.ask(run, position, spec, key)
        return self._ask_model(run, position, spec, key)

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        match signal:
            case Reply():
                return self._replied(run, position, signal)
            case ToolDone():
                return Outcome(drafts=(remembered(**after_call(position, signal)),), next=Again())
            case Approve():
                return self._answered(run, position, effect, signal)
        return Outcome(next=Again())

    def fire(self, run: RunState, position: Position, event: str) -> Outcome | None:
        """A person or another system leads on. Works whatever the state's orchestration is."""
        spec = self.setting.machine.states.get(position.state)
        if spec is None or event not in spec.events or self.setting.machine.ends(position.state):
            return None
        context = self.composing.output_at(run, position, spec)
        return self.moving.take(run, position, event, context=context, by_model=False)

    # -- asking

    def _ask_model(self, run: RunState, position: Position, spec: Spec, key: str) -> Outcome:
        prompt = self.setting.prompt_of(spec)
        if not prompt:
            return failed(f'state "{spec.name}" has no prompt "{spec.prompt_task}"')
        setting, rounds = self.setting, position.memory.get("rounds", 0)
        bench = bench_for(setting.parts, setting.machine, setting.skills, run, spec, prompt)
        if rounds >= bench.policy.rounds:
            return failed(f'max rounds ({bench.policy.rounds}) exceeded in state "{spec.name}"')
        heard = self._heard(run, position, spec, prompt)
        if heard is not None:
            return heard
        model = model_for(run, prompt)
        system, names = setting.prompting.system(run, position, prompt, model=model)
        effect = AskModel(
            key=key,
            position=position.id,
            state=spec.name,
            system=system + setting.skills.added(position, spec.skills),
            messages=setting.prompting.messages(run, position),
            tools=bench.tools,
            model=model,
            parameters=setting.prompting.parameters(
                prompt, bench.policy, model=model, first=not rounds
            ),
            choices=self._choices(spec),
        )
        return Outcome(
            drafts=(*self._absent(run, spec), *unresolved(names)), next=Ask(effect=effect)
        )

    def _choices(self, spec: Spec) -> tuple[Any, ...]:
        closed = self.setting.machine.ends(spec.name) or spec.orchestration == "external"
        return () if closed else choices(spec)

    def _absent(self, run: RunState, spec: Spec) -> tuple[Draft, ...]:
        """Skills whose files are not part of the pack are told once, when a run begins."""
        missing = [] if run.model_calls else self.setting.skills.missing(spec.skills)
        return (note("promptpack.skills", missing=missing),) if missing else ()

    def _heard(
        self, run: RunState, position: Position, spec: Spec, prompt: Object
    ) -> Outcome | None:
        """What a person says is checked before a model hears of it, where a validator wants to.
        None: the model is asked. Otherwise its place is taken by a ready answer."""
        if position.memory.get("rounds") or position.memory.get("checked"):
            return None
        messages = self.setting.prompting.messages(run, position)
        last = messages[-1]
        if last.role != "user":
            return None
        verdict = self.guards.check(prompt, last.text, "input")
        if not verdict.drafts:
            return None
        turns = [kept(turn) for turn in messages]
        if not verdict.blocked:
            checked = remembered(messages=turns, checked=True)
            return Outcome(drafts=(*verdict.drafts, checked), next=Again())
        if self.setting.machine.ends(spec.name):
            return Outcome(drafts=verdict.drafts, next=End(status="completed"))
        turns.append({"role": "assistant", "text": verdict.text})
        refused_it = remembered(messages=turns, ask=verdict.text, talk=False)
        return Outcome(drafts=(*verdict.drafts, refused_it), next=Again())

    def _ask_outside(self, spec: Spec, position: Position, key: str) -> Outcome:
        if self.setting.machine.ends(spec.name):
            return Outcome(next=End(status="completed"))
        return Outcome(next=Ask(effect=which_event(spec, position, key)))

    # -- answers

    def _replied(self, run: RunState, position: Position, reply: Reply) -> Outcome:
        if reply.error:
            return failed(f'The model gave no answer in "{position.state}": {reply.error}')
        setting, spec = self.setting, self.setting.machine.states[position.state]
        prompt = setting.prompt_of(spec)
        guarded = self.guards.on_reply(prompt, reply)
        bench = bench_for(setting.parts, setting.machine, setting.skills, run, spec, prompt)
        calls = position.memory.get("calls", 0)
        reading = read_reply(bench, calls=calls, reply=guarded.reply)
        memory = self._after(run, position, guarded.reply, reading)
        drafts = (*guarded.drafts, *reading.drafts, *_taken_up(reading))
        if not guarded.reply.tool_calls and setting.machine.ends(spec.name):
            return Outcome(drafts=drafts, next=End(status="completed"))
        if reading.event and not reading.waiting:
            counted = replace(run, tool_calls=run.tool_calls + reading.counted)
            taken = self.moving.take(
                counted,
                position,
                reading.event,
                context=reading.context,
                memory=memory,
                skills=reading.skills,
            )
            return Outcome(drafts=(*drafts, *taken.drafts), next=taken.next)
        return Outcome(drafts=(*drafts, remembered(**memory)), next=Again())

    def _after(
        self, run: RunState, position: Position, reply: Reply, reading: Reading
    ) -> dict[str, Any]:
        memory = after_reply(position, self.setting.prompting.messages(run, position), reading)
        memory |= {"next": reading.event, "next_context": reading.context}
        words = [*position.memory.get("said", []), *([reply.text] if reply.text else [])]
        memory["said"] = words
        if not reply.tool_calls:
            nothing = "The model said nothing. What shall it do?"
            memory |= {"ask": "\n\n".join(words) or nothing, "talk": False}
        return memory

    def _answered(
        self, run: RunState, position: Position, effect: Effect, answer: Approve
    ) -> Outcome:
        """A person picked an event, or said something: that begins a new turn."""
        spec = self.setting.machine.states.get(position.state)
        if answer.event and not self.composing.goes_in(effect, answer):
            taken = self.fire(run, position, answer.event)
            if taken is not None:
                return taken
        if spec is not None and spec.orchestration == "composition":
            return self.composing.answer(position, effect, answer)
        words = answer.text
        said = [{"role": "user", "text": words}] if words else []
        memory = {
            "messages": [*position.memory.get("messages", []), *said],
            "rounds": 0,
            "calls": 0,
            "ask": "",
            "said": [],
            "talk": bool(words) and bool(spec and self.setting.prompt_of(spec)),
            "checked": False,
        }
        return Outcome(drafts=(remembered(**memory),), next=Again())


def _taken_up(reading: Reading) -> tuple[Draft, ...]:
    if reading.skills is None:
        return ()
    return (note("promptpack.skills", active=reading.skills, run_memory={SKILLS: reading.skills}),)
