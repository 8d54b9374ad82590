"""Transitions of a workflow: the target of an event, and the initial memory of the visit there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.dialects.promptpack.program.agent_calls import CALLED
from workflows.core.dialects.promptpack.program.context import PackContext
from workflows.core.dialects.promptpack.program.options import YIELDS, is_enabled
from workflows.core.dialects.promptpack.program.outcomes import (
    make_event,
    refusal_end,
    refusal_event,
)
from workflows.core.dialects.promptpack.program.skills import MEMORY as SKILLS
from workflows.core.dialects.promptpack.program.state_machine import Refusal
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Outcome
from workflows.core.engine.run import Position, RunState


@dataclass(frozen=True, slots=True, kw_only=True)
class TransitionTaker:
    """Takes the transitions of one pack's workflow."""

    context: PackContext

    def take(
        self,
        run: RunState,
        position: Position,
        event: str,
        *,
        context: str,
        by_model: bool = True,
        memory: Callable[[], Mapping[str, Any]] | None = None,
        skills: list[str] | None = None,
    ) -> Outcome:
        """Take an event. `context` is passed to the target; `memory` (called if the target needs
        it) and `skills` override those of the visit if its last reply is not folded in yet."""
        machine = self.context.machine
        result = machine.fire(run, position.state, event)
        if isinstance(result, Refusal):
            return Outcome(drafts=refusal_event(result), next=refusal_end(result))
        drafts: tuple[Draft, ...] = ()
        if result.redirected:
            facts = machine.cap_facts(run, position.state, event, result.original_target)
            about = {**facts, "redirected_to": result.target, "terminated": False}
            reason = machine.redirect_reason(result)
            drafts = (make_event("promptpack.max_visits_exceeded", **about, reason=reason),)
        before = memory or (lambda: position.memory)
        arrival = self._arrival_memory(run, result.target, before, by_model=by_model)
        if CALLED in position.memory:
            arrival[CALLED] = position.memory[CALLED]
        if context:
            arrival["context"] = context
        drafts += self._skills_on_arrival(run, result.target, skills, arrival)
        taken = replace(result, memory=tuple(arrival.items())) if arrival else result
        return Outcome(drafts=drafts, next=taken)

    def _arrival_memory(
        self,
        run: RunState,
        target: str,
        before: Callable[[], Mapping[str, Any]],
        *,
        by_model: bool,
    ) -> dict[str, Any]:
        """The initial memory of the new visit. `transient` states start a new conversation;
        PromptKit always continues the same one."""
        spec = self.context.machine.states.get(target)
        promptkit = self.context.promptkit
        arrival: dict[str, Any] = {}
        if spec is None:
            return arrival
        if promptkit or spec.persistence == "persistent":
            arrival["messages"] = list(before().get("messages", []))
        if not by_model or not self._yields(run):
            return arrival
        replies = list(before().get("said", []))
        if spec.control == "agent":
            return {**arrival, "said": replies} if replies else arrival
        if not self.context.machine.ends(target):
            if spec.orchestration != "external":
                replies.append(f"The run has entered “{target}”. What should happen?")
            arrival["ask"] = "\n\n".join(replies)
        return arrival

    def _yields(self, run: RunState) -> bool:
        """Return True if a person has the turn after a transition by the model into a state with
        `control: user`."""
        behaviour = self.context.behaviour
        if behaviour.ignores_control:
            return False
        return is_enabled(run, YIELDS, default=behaviour.always_yields)

    def _skills_on_arrival(
        self, run: RunState, target: str, skills: list[str] | None, arrival: dict[str, Any]
    ) -> tuple[Draft, ...]:
        """The active skills that the target state offers. The others stay active for later
        states."""
        spec = self.context.machine.states.get(target)
        if spec is None or not self.context.skills.own:
            return ()
        kept = self.context.skills.active(run) if skills is None else skills
        offered = self.context.skills.offered(spec.skills)
        arrival[SKILLS] = active = [name for name in kept if name in offered]
        return (make_event("promptpack.skills", active=active, run_memory={SKILLS: kept}),)
