"""Ways out of an iteration: to another step, to the same one again, or to the end of the run."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.steps_registry.run import asking, verdicts
from workflows.core.dialects.steps_registry.run.drafts import noted
from workflows.core.dialects.steps_registry.run.gate import RunFault
from workflows.core.dialects.steps_registry.run.play import Drafts, Play
from workflows.core.dialects.steps_registry.steps import Step
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, End, Outcome, Take
from workflows.core.engine.run import Run


def go(
    play: Play, run: Run, step: Step, target: str, label: str, meant: str, drafts: Drafts
) -> Outcome:
    if asking.iteration(run) >= asking.most_iterations(play.source):
        return out_of_iterations(play, run, drafts)
    if step.kind != "closure":
        worked = Draft(type="steps_registry.worked", fields={"run_memory": {"worked": step.id}})
        drafts = (*drafts, worked)
    take = Take(target=target, label=label, redirected=bool(meant), original_target=meant)
    return Outcome(drafts=drafts, next=take)


def next_iteration(
    play: Play, run: Run, drafts: Drafts, memory: dict[str, Any] | None = None
) -> Outcome:
    """The same step once more, unless the iterations are used up."""
    if asking.iteration(run) >= asking.most_iterations(play.source):
        return out_of_iterations(play, run, drafts)
    notes = {"memory": {"stage": "", **(memory or {})}}
    draft = Draft(type="steps_registry.again", fields=notes)
    return Outcome(drafts=(*drafts, draft), next=Again())


def finish(play: Play, run: Run, answer: dict[str, Any] | None, drafts: Drafts) -> Outcome:
    """Finished. In Climpt a run that had an error, or no answer at all, is no success."""
    run = noted(run, drafts)
    reason = verdicts.how_it_ended(play.source, run)
    if run.memory.get("errors"):
        if play.climpt:
            why = "Completion reported but errors accumulated"
            return Outcome(drafts=drafts, next=End(status="failed", reason=why))
        reason = f"{reason}; on the way: {'; '.join(run.memory['errors'])}"
    if play.climpt and not run.memory.get("answered"):
        why = "Completion reported but no LLM responses received"
        return Outcome(drafts=drafts, next=End(status="failed", reason=why))
    return Outcome(drafts=drafts, next=End(status="completed", reason=reason))


def out_of_iterations(play: Play, run: Run, drafts: Drafts) -> Outcome:
    most = asking.most_iterations(play.source)
    reason = f"Maximum iterations ({most}) reached without completion"
    code = Draft(
        type="steps_registry.error", fields={"code": "AGENT_MAX_ITERATIONS", "message": reason}
    )
    return Outcome(drafts=(*drafts, code), next=End(status="budget_exhausted", reason=reason))


def fail(fault: RunFault, *drafts: Draft) -> Outcome:
    code = Draft(type="steps_registry.error", fields={"code": fault.code, "message": fault.message})
    return Outcome(drafts=(*drafts, code), next=End(status="failed", reason=fault.message))
