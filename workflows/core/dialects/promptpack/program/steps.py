"""Execution of a composition, one step at a time at each position (promptpack.md section 5.4).

A position moves from step to step. At a parallel step it forks and waits until all branches have
joined. Step results are in the run's memory (composition_memory.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program import composition_memory
from workflows.core.dialects.promptpack.program.composition_plan import (
    BRANCH_STEP_KINDS,
    Plan,
    Step,
)
from workflows.core.dialects.promptpack.program.context import PackContext
from workflows.core.dialects.promptpack.program.outcomes import make_event
from workflows.core.dialects.promptpack.program.predicates import PredicateError, holds
from workflows.core.dialects.promptpack.program.step_execution import (
    StepDone,
    StepExecutor,
    StepFailed,
)
from workflows.core.dialects.promptpack.program.step_order import (
    SKIPPED,
    NoResult,
    StepResults,
    branch_result,
    merge_branches,
    next_step,
    result,
)
from workflows.core.engine.effects import Effect
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, End, Fork, Join, Outcome, Take
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Signal
from workflows.core.pack.graph import Transition

BRANCH_FIELDS = ("then", "else")


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """Runs the steps of one pack's compositions."""

    context: PackContext
    executor: StepExecutor

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        plan, step = self.context.steps_by_state[position.state]
        try:
            match step.kind:
                case "branch" if not step.within:
                    return self._branch(run, position, plan, step)
                case "parallel" if not step.within:
                    return self._parallel(run, position, plan, step)
                case "branch" | "parallel":
                    raise StepFailed(f"nested {step.kind} not supported in a parallel step")
                case kind if kind in BRANCH_STEP_KINDS:
                    done = self.executor.ask(run, position, key, plan, step)
                    return self._settle(run, position, plan, step, done)
            raise StepFailed(f'unknown kind "{step.kind}"')
        except StepFailed as failure:
            return self._fail(run, position, plan, step, failure)

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        plan, step = self.context.steps_by_state[position.state]
        try:
            done = self.executor.answer(run, position, plan, step, effect, signal)
        except StepFailed as failure:
            return self._fail(run, position, plan, step, failure)
        return self._settle(run, position, plan, step, done)

    # -- one step

    def _settle(
        self, run: RunState, position: Position, plan: Plan, step: Step, done: StepDone | Outcome
    ) -> Outcome:
        if isinstance(done, Outcome):
            return done
        return self._finish(run, position, plan, step, done)

    def _branch(self, run: RunState, position: Position, plan: Plan, step: Step) -> Outcome:
        root = composition_memory.root_of(position)
        try:
            held = holds(step.body.get("predicate"), composition_memory.scope_at(run, root, plan))
        except PredicateError as error:
            raise StepFailed(error.message) from None
        step_result, left_out = branch_result(step, held)
        drafts = [composition_memory.step_entered(plan, step)]
        other = plan.steps_by_id.get(left_out)
        notes = dict(composition_memory.step_results(run, root, plan))
        if other is not None and notes.get(other.id, {}).get("status") != "done":
            notes[other.id] = SKIPPED
            drafts.append(composition_memory.step_left(root, plan, other, SKIPPED))
        return self._continue(position, plan, step, step_result, notes, drafts)

    def _parallel(self, run: RunState, position: Position, plan: Plan, step: Step) -> Outcome:
        notes = composition_memory.step_results(run, composition_memory.root_of(position), plan)
        if len(step.branches) < 2:
            raise StepFailed("parallel step must have at least two branches")
        if any(branch.id not in notes for branch in step.branches):
            takes = tuple(
                Take(target=plan.state_id(branch), label=self._fork_label(plan, branch))
                for branch in step.branches
            )
            return Outcome(
                drafts=(composition_memory.step_entered(plan, step),), next=Fork(takes=takes)
            )
        failures = [
            f'branch "{branch.id}": {notes[branch.id].get("error", "")}'
            for branch in step.branches
            if notes[branch.id].get("status") == "failed"
        ]
        if failures:
            raise StepFailed("; ".join(failures))
        try:
            output = merge_branches(step, notes)
        except NoResult as error:
            raise StepFailed(error.message) from None
        return self._finish(run, position, plan, step, StepDone(output=output))

    def _fork_label(self, plan: Plan, branch: Step) -> str:
        links = self.context.transitions_into.get(plan.state_id(branch), ())
        return next((link.label for link in links if link.kind == "fork"), "")

    def _finish(
        self, run: RunState, position: Position, plan: Plan, step: Step, done: StepDone
    ) -> Outcome:
        root = composition_memory.root_of(position)
        step_result = {"status": "done", "output": done.output}
        if step.within:
            return Outcome(
                drafts=(*done.drafts, composition_memory.step_left(root, plan, step, step_result)),
                next=Join(),
            )
        notes = dict(composition_memory.step_results(run, root, plan))
        return self._continue(position, plan, step, step_result, notes, list(done.drafts))

    def _fail(
        self, run: RunState, position: Position, plan: Plan, step: Step, failure: StepFailed
    ) -> Outcome:
        """Retry a failed step while it has attempts left; then fail the composition and the run. A
        failed branch waits until the other branches have ended."""
        attempt = position.memory.get("attempt", 1)
        root = composition_memory.root_of(position)
        if attempt < step.attempts:
            fields = {"step": plan.state_id(step), "attempt": attempt + 1, "error": failure.message}
            fresh = {
                composition_memory.step_key(root, plan, branch): None for branch in step.branches
            }
            memory = {"attempt": attempt + 1, "messages": [], "rounds": 0, "calls": 0}
            again = make_event(
                "promptpack.step.retried",
                **fields,
                memory={**memory, "waiting": [], "last": "", "final": None},
                run_memory=fresh,
            )
            return Outcome(drafts=(*failure.drafts, again), next=Again())
        step_result = {"status": "failed", "error": failure.message}
        drafts = (*failure.drafts, composition_memory.step_left(root, plan, step, step_result))
        if step.within:
            return Outcome(drafts=drafts, next=Join())
        reason = f'composition "{plan.name}": step "{step.id}": {failure.message}'
        return Outcome(drafts=drafts, next=End(status="failed", reason=reason))

    # -- from step to step

    def _continue(
        self,
        position: Position,
        plan: Plan,
        step: Step,
        step_result: Object,
        notes: dict[str, Object],
        drafts: list[Draft],
    ) -> Outcome:
        """Enter the next step, or complete the composition."""
        root = composition_memory.root_of(position)
        notes[step.id] = step_result
        drafts.append(composition_memory.step_left(root, plan, step, step_result))
        following, skipped = next_step(plan, step.id, notes)
        for other in skipped:
            notes[other.id] = SKIPPED
            drafts.append(composition_memory.step_left(root, plan, other, SKIPPED))
        if following is None:
            return self._complete(position, plan, notes, drafts)
        return self._enter(plan, step, following, notes, drafts)

    def _enter(
        self, plan: Plan, step: Step, following: Step, notes: StepResults, drafts: list[Draft]
    ) -> Outcome:
        """Take every transition from a finished step to the next step; a join has several. A step
        without such a transition is entered by list order alone."""
        taken = self._taken_transitions(plan, following, notes)
        target = plan.state_id(following)
        label = taken[0].label if taken else ""
        sources = tuple(link.source for link in taken if link.label == label)
        for link in taken:
            if link.label != label:
                fields = {"source": link.source, "target": target, "label": link.label}
                drafts.append(
                    make_event("transition.taken", **fields, transition=link.id, redirected=False)
                )
        take = Take(target=target, label=label, sources=sources)
        return Outcome(drafts=tuple(drafts), next=take)

    def _taken_transitions(self, plan: Plan, target: Step, notes: StepResults) -> list[Transition]:
        """The transitions into a step whose source has finished. A branch step contributes the
        transition that it chose, or any other if it chose none."""
        links = []
        for link in self.context.transitions_into.get(plan.state_id(target), ()):
            _, source = self.context.steps_by_state.get(link.source, (plan, target))
            step_result = notes.get(source.id, {})
            chosen = step_result.get("taken") or ""
            own = chosen if chosen else "" if link.label in BRANCH_FIELDS else link.label
            leads = source.kind != "branch" or link.label == own
            if step_result.get("status") == "done" and leads:
                links.append(link)
        return links

    def _complete(
        self, position: Position, plan: Plan, notes: StepResults, drafts: list[Draft]
    ) -> Outcome:
        try:
            output = result(plan, notes)
        except NoResult as error:
            reason = f'composition "{plan.name}": {error.message}'
            return Outcome(drafts=tuple(drafts), next=End(status="failed", reason=reason))
        root = composition_memory.root_of(position)
        memory = composition_memory.memory_at_end(root, plan, output)
        fields = {"composition": plan.name, "output": output}
        completed = make_event("promptpack.composition.completed", **fields, run_memory=memory)
        return Outcome(drafts=(*drafts, completed), next=Join())
