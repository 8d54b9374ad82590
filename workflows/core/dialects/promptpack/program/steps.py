"""Running the steps of a composition, one at a time at each position (promptpack.md section 5.4).

A position walks from step to step; at a parallel step it forks, and waits until every branch has
joined. What the steps come to is in the run's memory (notes.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program import composition_memory as written
from workflows.core.dialects.promptpack.program.composition_plan import LEAVES, Plan, Step
from workflows.core.dialects.promptpack.program.context import Setting
from workflows.core.dialects.promptpack.program.outcomes import note
from workflows.core.dialects.promptpack.program.predicates import NoAnswer, holds
from workflows.core.dialects.promptpack.program.step_execution import Done, StepWork, Trouble
from workflows.core.dialects.promptpack.program.step_order import (
    SKIPPED,
    NoResult,
    Notes,
    branched,
    merged,
    next_step,
    result,
)
from workflows.core.engine.effects import Effect
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, End, Fork, Join, Outcome, Take
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Signal
from workflows.core.pack.graph import Transition

AIMS = ("then", "else")


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """Runs the steps of one pack's compositions."""

    setting: Setting
    work: StepWork

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        plan, step = self.setting.places[position.state]
        try:
            match step.kind:
                case "branch" if not step.within:
                    return self._branch(run, position, plan, step)
                case "parallel" if not step.within:
                    return self._parallel(run, position, plan, step)
                case "branch" | "parallel":
                    raise Trouble(f"nested {step.kind} not supported in a parallel step")
                case kind if kind in LEAVES:
                    done = self.work.ask(run, position, key, plan, step)
                    return self._settled(run, position, plan, step, done)
            raise Trouble(f'unknown kind "{step.kind}"')
        except Trouble as trouble:
            return self._failed(run, position, plan, step, trouble)

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        plan, step = self.setting.places[position.state]
        try:
            done = self.work.answer(run, position, plan, step, signal)
        except Trouble as trouble:
            return self._failed(run, position, plan, step, trouble)
        return self._settled(run, position, plan, step, done)

    # -- one step

    def _settled(
        self, run: RunState, position: Position, plan: Plan, step: Step, done: Done | Outcome
    ) -> Outcome:
        if isinstance(done, Outcome):
            return done
        return self._finished(run, position, plan, step, done)

    def _branch(self, run: RunState, position: Position, plan: Plan, step: Step) -> Outcome:
        root = written.root_of(position)
        try:
            held = holds(step.body.get("predicate"), written.scope_at(run, root, plan))
        except NoAnswer as wrong:
            raise Trouble(wrong.message) from None
        noted, left_out = branched(step, held)
        drafts = [written.entered(plan, step)]
        other = plan.every.get(left_out)
        notes = dict(written.notes_of(run, root, plan))
        if other is not None and notes.get(other.id, {}).get("status") != "done":
            notes[other.id] = SKIPPED
            drafts.append(written.left(root, plan, other, SKIPPED))
        return self._on(position, plan, step, noted, notes, drafts)

    def _parallel(self, run: RunState, position: Position, plan: Plan, step: Step) -> Outcome:
        notes = written.notes_of(run, written.root_of(position), plan)
        if len(step.branches) < 2:
            raise Trouble("parallel step must have at least two branches")
        if any(branch.id not in notes for branch in step.branches):
            takes = tuple(
                Take(target=plan.state_of(branch), label=self._fork_label(plan, branch))
                for branch in step.branches
            )
            return Outcome(drafts=(written.entered(plan, step),), next=Fork(takes=takes))
        wrong = [
            f'branch "{branch.id}": {notes[branch.id].get("error", "")}'
            for branch in step.branches
            if notes[branch.id].get("status") == "failed"
        ]
        if wrong:
            raise Trouble("; ".join(wrong))
        try:
            output = merged(step, notes)
        except NoResult as none:
            raise Trouble(none.message) from None
        return self._finished(run, position, plan, step, Done(output=output))

    def _fork_label(self, plan: Plan, branch: Step) -> str:
        arrows = self.setting.arrows.get(plan.state_of(branch), ())
        return next((arrow.label for arrow in arrows if arrow.kind == "fork"), "")

    def _finished(
        self, run: RunState, position: Position, plan: Plan, step: Step, done: Done
    ) -> Outcome:
        root = written.root_of(position)
        noted = {"status": "done", "output": done.output}
        if step.within:
            return Outcome(
                drafts=(*done.drafts, written.left(root, plan, step, noted)), next=Join()
            )
        notes = dict(written.notes_of(run, root, plan))
        return self._on(position, plan, step, noted, notes, list(done.drafts))

    def _failed(
        self, run: RunState, position: Position, plan: Plan, step: Step, trouble: Trouble
    ) -> Outcome:
        """A step that went wrong is tried again as often as it may be; then the composition, and
        the run with it, has failed. A branch waits for the others to end before that is said."""
        attempt = position.memory.get("attempt", 1)
        root = written.root_of(position)
        if attempt < step.attempts:
            fields = {"step": plan.state_of(step), "attempt": attempt + 1, "error": trouble.message}
            fresh = {written.key_of(root, plan, branch): None for branch in step.branches}
            memory = {"attempt": attempt + 1, "messages": [], "rounds": 0, "calls": 0}
            again = note(
                "promptpack.step.retried",
                **fields,
                memory={**memory, "waiting": [], "last": "", "final": None},
                run_memory=fresh,
            )
            return Outcome(drafts=(*trouble.drafts, again), next=Again())
        noted = {"status": "failed", "error": trouble.message}
        drafts = (*trouble.drafts, written.left(root, plan, step, noted))
        if step.within:
            return Outcome(drafts=drafts, next=Join())
        reason = f'composition "{plan.name}": step "{step.id}": {trouble.message}'
        return Outcome(drafts=drafts, next=End(status="failed", reason=reason))

    # -- from step to step

    def _on(
        self,
        position: Position,
        plan: Plan,
        step: Step,
        noted: Object,
        notes: dict[str, Object],
        drafts: list[Draft],
    ) -> Outcome:
        """To the next step, or out of the composition with what it came to."""
        root = written.root_of(position)
        notes[step.id] = noted
        drafts.append(written.left(root, plan, step, noted))
        following, skipped = next_step(plan, step.id, notes)
        for other in skipped:
            notes[other.id] = SKIPPED
            drafts.append(written.left(root, plan, other, SKIPPED))
        if following is None:
            return self._out(position, plan, notes, drafts)
        return self._to(plan, step, following, notes, drafts)

    def _to(
        self, plan: Plan, step: Step, following: Step, notes: Notes, drafts: list[Draft]
    ) -> Outcome:
        """Take every arrow that leads to the next step from a step that is done: where ways meet
        there are several. Where none is drawn, order alone leads on."""
        taken = self._arrows(plan, following, notes)
        target = plan.state_of(following)
        label = taken[0].label if taken else ""
        sources = tuple(arrow.source for arrow in taken if arrow.label == label)
        for arrow in taken:
            if arrow.label != label:
                fields = {"source": arrow.source, "target": target, "label": arrow.label}
                drafts.append(
                    note("transition.taken", **fields, transition=arrow.id, redirected=False)
                )
        take = Take(target=target, label=label, sources=sources)
        return Outcome(drafts=tuple(drafts), next=take)

    def _arrows(self, plan: Plan, target: Step, notes: Notes) -> list[Transition]:
        """The arrows into a step whose own source is done. A branch step leads by the arrow that it
        chose, and by any other where it chose none."""
        found = []
        for arrow in self.setting.arrows.get(plan.state_of(target), ()):
            _, source = self.setting.places.get(arrow.source, (plan, target))
            noted = notes.get(source.id, {})
            chosen = noted.get("taken") or ""
            own = chosen if chosen else "" if arrow.label in AIMS else arrow.label
            leads = source.kind != "branch" or arrow.label == own
            if noted.get("status") == "done" and leads:
                found.append(arrow)
        return found

    def _out(self, position: Position, plan: Plan, notes: Notes, drafts: list[Draft]) -> Outcome:
        try:
            output = result(plan, notes)
        except NoResult as none:
            reason = f'composition "{plan.name}": {none.message}'
            return Outcome(drafts=tuple(drafts), next=End(status="failed", reason=reason))
        root = written.root_of(position)
        memory = written.came_to(root, plan, output)
        fields = {"composition": plan.name, "output": output}
        completed = note("promptpack.composition.completed", **fields, run_memory=memory)
        return Outcome(drafts=(*drafts, completed), next=Join())
