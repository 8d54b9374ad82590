"""A visit of a workflow state: its conversation, and the transitions chosen by the model or a
person.

In addition to the keys of conversation.py, the memory has `context` (from the previous state),
`next` and `next_context` (the event to take once all tool calls are made), `ask` (a question to a
person), `said` (the model's replies since a person's last message), `talk` (a person wrote to a
waiting state), `checked` (the person's message was validated) and `skills`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program.agent_calls import AgentCalls, is_called
from workflows.core.dialects.promptpack.program.available_tools import (
    StateTools,
    state_tools,
)
from workflows.core.dialects.promptpack.program.call_approvals import (
    after_approval,
    next_effect,
)
from workflows.core.dialects.promptpack.program.composition_state import CompositionRunner
from workflows.core.dialects.promptpack.program.context import PackContext
from workflows.core.dialects.promptpack.program.conversation import (
    after_call,
    after_reply,
    remember,
)
from workflows.core.dialects.promptpack.program.options import CHAT, is_enabled, model_for
from workflows.core.dialects.promptpack.program.outcomes import failed, make_event, unresolved_event
from workflows.core.dialects.promptpack.program.prompts import stored_turn
from workflows.core.dialects.promptpack.program.questions import (
    END_CHAT,
    END_CHOICE,
    ask_event,
    ask_person,
)
from workflows.core.dialects.promptpack.program.replies import ParsedReply, read_reply
from workflows.core.dialects.promptpack.program.skills import MEMORY as SKILLS
from workflows.core.dialects.promptpack.program.state_machine import Spec
from workflows.core.dialects.promptpack.program.transitions import TransitionTaker
from workflows.core.dialects.promptpack.program.validators import Validators, scores_at
from workflows.core.engine.effects import AskHuman, AskModel, Effect, Message
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, Ask, End, Outcome
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Approve, Reply, Signal, ToolDone


@dataclass(frozen=True, kw_only=True)
class States:
    """Runs the states of one pack's workflow."""

    context: PackContext
    validators: Validators
    compositions: CompositionRunner
    transitions: TransitionTaker
    tools_by_state: dict[str, StateTools] = field(default_factory=dict, compare=False)

    @cached_property
    def agents(self) -> AgentCalls:
        return AgentCalls(context=self.context)

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        spec = self.context.machine.spec(position.state)
        if spec is None:
            return failed(f'state "{position.state}" not found in spec')
        called = self.agents.next_call(run, position)
        if called is not None:
            return called
        call = next_effect(self.context.parts, position, key)
        if call is not None:
            return Outcome(next=Ask(effect=call))
        memory = position.memory
        if memory.get("next"):
            context = memory.get("next_context", "")
            return self.transitions.take(run, position, memory["next"], context=context)
        if spec.orchestration == "external" and not memory.get("talk"):
            return self._ask_event(spec, position, key)
        if memory.get("ask"):
            end = (END_CHOICE,) if self._is_chat(run, position) else ()
            return Outcome(next=Ask(effect=ask_person(spec, position, key, *end)))
        if spec.orchestration == "composition":
            return self.compositions.ask(run, position, spec, key)
        return self._ask_model(run, position, spec, key)

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        match signal:
            case Reply():
                return self._model_replied(run, position, signal)
            case ToolDone():
                return Outcome(drafts=(remember(**after_call(position, signal)),), next=Again())
            case Approve() if isinstance(effect, AskHuman) and effect.call is not None:
                memory = after_approval(position, signal)
                return Outcome(drafts=(remember(**memory),), next=Again())
            case Approve():
                return self._person_answered(run, position, effect, signal)
        return Outcome(next=Again())

    def fire(self, run: RunState, position: Position, event: str) -> Outcome | None:
        """Take an event that a person or another system sends, with any orchestration of the
        state."""
        spec = self.context.machine.states.get(position.state)
        if spec is None or event not in spec.events or self.context.machine.ends(position.state):
            return None
        context = self.compositions.output_at(run, position, spec)
        return self.transitions.take(run, position, event, context=context, by_model=False)

    # -- asking

    def _ask_model(self, run: RunState, position: Position, spec: Spec, key: str) -> Outcome:
        prompt = self.context.prompt_of(spec)
        if not prompt:
            return failed(f'state "{spec.name}" has no prompt "{spec.prompt_task}"')
        context, rounds = self.context, position.memory.get("rounds", 0)
        common = self._tools_of(spec)
        available = common.available
        policy = available.policy
        if rounds >= policy.rounds:
            return failed(f'max rounds ({policy.rounds}) exceeded in state "{spec.name}"')
        messages = context.prompt_builder.messages(run, position)
        checked = self._check_input(position, spec, prompt, messages)
        if checked is not None:
            return checked
        model = model_for(run, prompt)
        system, names = context.prompt_builder.system(run, position, prompt, model=model)
        effect = AskModel(
            key=key,
            position=position.id,
            state=spec.name,
            system=system + context.skills.prompt_section(position, spec.skills),
            messages=messages,
            tools=available.tools,
            model=model,
            parameters=context.prompt_builder.parameters(
                prompt, policy, model=model, first=not rounds
            ),
            choices=common.choices,
        )
        return Outcome(
            drafts=(*self._missing_skills(run, spec), *unresolved_event(names)),
            next=Ask(effect=effect),
        )

    def _is_chat(self, run: RunState, position: Position) -> bool:
        """Return True if a person may answer each reply: in a pack without a workflow, if the run
        is started as a chat. An agent that is called answers once."""
        alone = self.context.parts.workflow is None and not is_called(position)
        return alone and is_enabled(run, CHAT)

    def _tools_of(self, spec: Spec) -> StateTools:
        """Computed once for all visits of a state, in all runs of the program."""
        tools = self.tools_by_state.get(spec.name)
        if tools is None:
            context = self.context
            prompt = context.prompt_of(spec)
            tools = state_tools(context.parts, context.machine, context.skills, spec, prompt)
            self.tools_by_state[spec.name] = tools
        return tools

    def _missing_skills(self, run: RunState, spec: Spec) -> tuple[Draft, ...]:
        """Report skills whose files are not in the pack, once at the start of a run."""
        missing = [] if run.model_calls else self.context.skills.missing(spec.skills)
        return (make_event("promptpack.skills", missing=missing),) if missing else ()

    def _check_input(
        self, position: Position, spec: Spec, prompt: Object, messages: tuple[Message, ...]
    ) -> Outcome | None:
        """Validate a person's message before a model receives it. None: the model is called. If a
        validator blocks the message, a fixed reply is used instead."""
        memory = position.memory
        if not prompt.get("validators") or memory.get("rounds") or memory.get("checked"):
            return None
        last = messages[-1]
        if last.role != "user":
            return None
        verdict = self.validators.check(prompt, last.text, "input")
        if not verdict.drafts:
            return None
        turns = [stored_turn(turn) for turn in messages]
        if not verdict.blocked:
            checked = remember(messages=turns, checked=True)
            return Outcome(drafts=(*verdict.drafts, checked), next=Again())
        if self.context.machine.ends(spec.name):
            return Outcome(drafts=verdict.drafts, next=End(status="completed"))
        turns.append({"role": "assistant", "text": verdict.text})
        refused = remember(messages=turns, ask=verdict.text, talk=False)
        return Outcome(drafts=(*verdict.drafts, refused), next=Again())

    def _ask_event(self, spec: Spec, position: Position, key: str) -> Outcome:
        if self.context.machine.ends(spec.name):
            return Outcome(next=End(status="completed"))
        return Outcome(next=Ask(effect=ask_event(spec, position, key)))

    # -- answers

    def _model_replied(self, run: RunState, position: Position, reply: Reply) -> Outcome:
        if reply.error:
            return failed(f'The model gave no answer in "{position.state}": {reply.error}')
        context, spec = self.context, self.context.machine.spec(position.state)
        if spec is None:
            return failed(f'state "{position.state}" not found in spec')
        prompt = context.prompt_of(spec)
        guarded = self.validators.check_reply(prompt, reply, scores_at(position))
        parsed = read_reply(
            self._tools_of(spec).available,
            calls=position.memory.get("calls", 0),
            reply=guarded.reply,
            active=partial(context.skills.active, run),
        )
        after = partial(self._after, run, position, guarded.reply, parsed)
        drafts = (*guarded.drafts, *parsed.drafts, *_skills_event(parsed))
        if not guarded.reply.tool_calls and context.machine.ends(spec.name):
            if self._is_chat(run, position):
                return Outcome(drafts=(*drafts, remember(**after())), next=Again())
            memory_drafts = (remember(**after()),) if is_called(position) else ()
            return Outcome(drafts=(*drafts, *memory_drafts), next=End(status="completed"))
        if parsed.event and not parsed.waiting:
            counted = replace(run, tool_requests=run.tool_requests + parsed.counted)
            taken = self.transitions.take(
                counted,
                position,
                parsed.event,
                context=parsed.context,
                memory=after,
                skills=parsed.skills,
            )
            return Outcome(drafts=(*drafts, *taken.drafts), next=taken.next)
        return Outcome(drafts=(*drafts, remember(**after())), next=Again())

    def _after(
        self, run: RunState, position: Position, reply: Reply, parsed: ParsedReply
    ) -> dict[str, Any]:
        memory = after_reply(position, self.context.prompt_builder.turns(run, position), parsed)
        memory |= {"next": parsed.event, "next_context": parsed.context}
        replies = [*position.memory.get("said", []), *([reply.text] if reply.text else [])]
        memory["said"] = replies
        if not reply.tool_calls:
            empty = "The reply of the model is empty. What should it do?"
            memory |= {"ask": "\n\n".join(replies) or empty, "talk": False}
        return memory

    def _person_answered(
        self, run: RunState, position: Position, effect: Effect, answer: Approve
    ) -> Outcome:
        """Take the event that a person chose, or start a new turn with the message."""
        spec = self.context.machine.spec(position.state)
        if answer.event == END_CHAT and self._is_chat(run, position):
            return Outcome(next=End(status="completed"))
        if answer.event and not self.compositions.is_input(effect, answer):
            taken = self.fire(run, position, answer.event)
            if taken is not None:
                return taken
        if spec is not None and spec.orchestration == "composition":
            return self.compositions.answer(position, effect, answer)
        text = answer.text
        turn = [{"role": "user", "text": text}] if text else []
        memory = {
            "messages": [*position.memory.get("messages", []), *turn],
            "rounds": 0,
            "calls": 0,
            "ask": "",
            "said": [],
            "talk": bool(text) and bool(spec and self.context.prompt_of(spec)),
            "checked": False,
        }
        return Outcome(drafts=(remember(**memory),), next=Again())


def _skills_event(parsed: ParsedReply) -> tuple[Draft, ...]:
    if parsed.skills is None:
        return ()
    return (
        make_event("promptpack.skills", active=parsed.skills, run_memory={SKILLS: parsed.skills}),
    )
