"""Ways out of an iteration: to another step, to the same one again, or to the end of the run."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.program import prompts, verdicts
from workflows.core.dialects.steps_registry.program.adaptation_chain import (
    chain_of,
    cursor_of,
    next_adaptation,
)
from workflows.core.dialects.steps_registry.program.context import Drafts, Play
from workflows.core.dialects.steps_registry.program.event_drafts import noted
from workflows.core.dialects.steps_registry.program.gate import RunFault
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, End, Outcome, Take
from workflows.core.engine.run import RunState


def go(
    play: Play, run: RunState, step: Step, target: str, label: str, meant: str, drafts: Drafts
) -> Outcome:
    """Follow an arrow. Raises RunFault where a step has repeated to the end of its chain."""
    stays = label == "repeat" and target == step.id
    adaptation = next_adaptation(play.source, run, step) if stays else None
    if prompts.iteration(run) >= play.source.most_iterations:
        return out_of_iterations(play, run, drafts)
    memory: dict[str, Any] = {} if step.kind == "closure" else {"worked": step.id}
    if chain_of(play.source, step) is not None:
        memory[cursor_of(step)] = int(run.memory.get(cursor_of(step), 0)) + 1 if stays else 0
    if memory:
        drafts = (*drafts, Draft(type="steps_registry.worked", fields={"run_memory": memory}))
    take = Take(
        target=target,
        label=label,
        redirected=bool(meant),
        original_target=meant,
        memory=() if adaptation is None else (("adaptation", adaptation),),
    )
    return Outcome(drafts=drafts, next=take)


def next_iteration(
    play: Play, run: RunState, step: Step, drafts: Drafts, memory: dict[str, Any] | None = None
) -> Outcome:
    """The same step once more, unless the iterations are used up."""
    if prompts.iteration(run) >= play.source.most_iterations:
        return out_of_iterations(play, run, drafts)
    if (twin := _twin(play, step)) and not memory:
        return Outcome(drafts=drafts, next=Take(target=twin, label="next"))
    notes = {"memory": {"stage": "", **(memory or {})}}
    draft = Draft(type="steps_registry.again", fields=notes)
    return Outcome(drafts=(*drafts, draft), next=Again())


def _twin(play: Play, step: Step) -> str:
    """Without gates the document goes on from `initial.X` to `continuation.X` by name; Climpt asks
    the same step in every iteration (D13)."""
    twin = f"continuation.{step.id.removeprefix('initial.')}"
    known = step.id.startswith("initial.") and twin in play.source.steps
    return twin if known and not play.climpt and not play.source.flow else ""


def finish(play: Play, run: RunState, drafts: Drafts) -> Outcome:
    """Finished. In Climpt a run that had an error, or no answer at all, is no success (1.13.15
    forgives both)."""
    run = noted(run, drafts)
    reason = verdicts.how_it_ended(play, run)
    if run.memory.get("errors") and not play.older:
        if play.climpt:
            why = "Completion reported but errors accumulated"
            return Outcome(drafts=drafts, next=End(status="failed", reason=why))
        reason = f"{reason}; on the way: {'; '.join(run.memory['errors'])}"
    if play.climpt and not play.older and not run.memory.get("answered"):
        why = "Completion reported but no LLM responses received"
        return Outcome(drafts=drafts, next=End(status="failed", reason=why))
    return Outcome(drafts=drafts, next=End(status="completed", reason=reason))


def out_of_iterations(play: Play, run: RunState, drafts: Drafts) -> Outcome:
    most = play.source.most_iterations
    reason = f"Maximum iterations ({most}) reached without completion"
    code = Draft(
        type="steps_registry.error", fields={"code": "AGENT_MAX_ITERATIONS", "message": reason}
    )
    return Outcome(drafts=(*drafts, code), next=End(status="budget_exhausted", reason=reason))


def fail(fault: RunFault, *drafts: Draft) -> Outcome:
    code = Draft(type="steps_registry.error", fields={"code": fault.code, "message": fault.message})
    return Outcome(drafts=(*drafts, code), next=End(status="failed", reason=fault.message))
