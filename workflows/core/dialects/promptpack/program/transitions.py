"""Moving on: which state an event leads to, and what the stay there begins with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.dialects.promptpack.program.context import Setting
from workflows.core.dialects.promptpack.program.options import YIELDS, says_yes
from workflows.core.dialects.promptpack.program.outcomes import note, refused
from workflows.core.dialects.promptpack.program.skills import MEMORY as SKILLS
from workflows.core.dialects.promptpack.program.state_machine import Refusal
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Outcome
from workflows.core.engine.run import Position, RunState


@dataclass(frozen=True, slots=True, kw_only=True)
class Moving:
    """Takes the arrows of one pack's workflow."""

    setting: Setting

    def take(
        self,
        run: RunState,
        position: Position,
        event: str,
        *,
        context: str,
        by_model: bool = True,
        memory: Mapping[str, Any] | None = None,
        skills: list[str] | None = None,
    ) -> Outcome:
        """Follow an event. `context` is handed on; `memory` and `skills` are those of this stay
        where its last reply is not folded in yet."""
        machine = self.setting.machine
        found = machine.fire(run, position.state, event)
        if isinstance(found, Refusal):
            return Outcome(next=refused(found))
        drafts: tuple[Draft, ...] = ()
        if found.redirected:
            about = {"original_target": found.original_target, "redirected_to": found.target}
            reason = machine.redirect_reason(found)
            drafts = (note("promptpack.max_visits_exceeded", **about, reason=reason),)
        noted = self._arrival(run, found.target, memory or position.memory, by_model=by_model)
        if context:
            noted["context"] = context
        laid_down = self._laid_down(run, found.target, skills, noted)
        return Outcome(
            drafts=(*drafts, *laid_down), next=replace(found, memory=tuple(noted.items()))
        )

    def _arrival(
        self, run: RunState, target: str, before: Mapping[str, Any], *, by_model: bool
    ) -> dict[str, Any]:
        """What the new stay begins with. `transient` states begin a conversation of their own;
        PromptKit goes on with the same one in any case."""
        spec = self.setting.machine.states.get(target)
        promptkit = self.setting.promptkit
        noted: dict[str, Any] = {}
        if spec is None:
            return noted
        if promptkit or spec.persistence == "persistent":
            noted["messages"] = list(before.get("messages", []))
        if promptkit or not by_model or not says_yes(run, YIELDS):
            return noted
        words = list(before.get("said", []))
        if spec.control == "agent":
            return {**noted, "said": words} if words else noted
        if not self.setting.machine.ends(target):
            if spec.orchestration != "external":
                words.append(f"“{target}” is reached. What shall happen here?")
            noted["ask"] = "\n\n".join(words)
        return noted

    def _laid_down(
        self, run: RunState, target: str, skills: list[str] | None, noted: dict[str, Any]
    ) -> tuple[Draft, ...]:
        """Skills that the next state does not offer are laid down; the others go along."""
        spec = self.setting.machine.states.get(target)
        if spec is None or not self.setting.skills.own:
            return ()
        now = run if skills is None else replace(run, memory={**run.memory, SKILLS: skills})
        active = self.setting.skills.active(now, spec.skills)
        noted[SKILLS] = active
        return (note("promptpack.skills", active=active, run_memory={SKILLS: active}),)
