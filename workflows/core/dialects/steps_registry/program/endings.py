"""Ends of an iteration: a transition, another iteration, or the end of the run."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.graph.implicit_transitions import (
    continuation_by_name,
    end_of,
)
from workflows.core.dialects.steps_registry.program import prompts, verdicts
from workflows.core.dialects.steps_registry.program.adaptation_chain import (
    chain_of,
    cursor_of,
    next_adaptation,
)
from workflows.core.dialects.steps_registry.program.context import Drafts, RegistryContext
from workflows.core.dialects.steps_registry.program.event_drafts import run_after
from workflows.core.dialects.steps_registry.program.gate import RunFault
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, End, Outcome, Take
from workflows.core.engine.run import RunState


def take_transition(
    context: RegistryContext,
    run: RunState,
    step: Step,
    target: str,
    label: str,
    meant: str,
    drafts: Drafts,
) -> Outcome:
    """Take a transition. Raises RunFault at the end of an adaptation chain."""
    stays = label == "repeat" and target == step.id
    adaptation = next_adaptation(context.source, run, step) if stays else None
    if prompts.iteration(run) >= context.source.most_iterations:
        return out_of_iterations(context, run, drafts)
    memory: dict[str, Any] = {} if step.kind == "closure" else {"worked": step.id}
    if chain_of(context.source, step) is not None:
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
    context: RegistryContext,
    run: RunState,
    step: Step,
    drafts: Drafts,
    memory: dict[str, Any] | None = None,
) -> Outcome:
    """Another iteration at the same step, unless the limit is reached."""
    if prompts.iteration(run) >= context.source.most_iterations:
        return out_of_iterations(context, run, drafts)
    if (twin := _twin(context, step)) and not memory:
        return Outcome(drafts=drafts, next=Take(target=twin, label="next"))
    notes = {"memory": {"stage": "", **(memory or {})}}
    draft = Draft(type="steps_registry.again", fields=notes)
    return Outcome(drafts=(*drafts, draft), next=Again())


def _twin(context: RegistryContext, step: Step) -> str:
    """Without gates, the document continues from `initial.X` at `continuation.X`. Climpt repeats
    the same step (D13)."""
    skipped = context.climpt or context.source.flow
    return "" if skipped else continuation_by_name(context.source, step)


def finish_run(
    context: RegistryContext, run: RunState, step: Step, label: str, drafts: Drafts
) -> Outcome:
    """The run is complete; `label` is the label of the transition that ends it. In Climpt, a run
    with an error or without any answer fails instead (not in 1.13.15)."""
    transition = end_of(context.source, step, context.profile, label)
    run = run_after(run, drafts)
    reason = verdicts.end_reason(context, run)
    if run.memory.get("errors") and not context.runs_as_1_13_15:
        if context.climpt:
            why = "Completion reported but errors accumulated"
            return Outcome(
                drafts=drafts, next=End(status="failed", reason=why, transition=transition)
            )
        reason = f"{reason}; on the way: {'; '.join(run.memory['errors'])}"
    if context.climpt and not context.runs_as_1_13_15 and not run.memory.get("answered"):
        why = "Completion reported but no LLM responses received"
        return Outcome(drafts=drafts, next=End(status="failed", reason=why, transition=transition))
    return Outcome(
        drafts=drafts, next=End(status="completed", reason=reason, transition=transition)
    )


def out_of_iterations(context: RegistryContext, run: RunState, drafts: Drafts) -> Outcome:
    most = context.source.most_iterations
    reason = f"Maximum iterations ({most}) reached without completion"
    code = Draft(
        type="steps_registry.error", fields={"code": "AGENT_MAX_ITERATIONS", "message": reason}
    )
    return Outcome(drafts=(*drafts, code), next=End(status="budget_exhausted", reason=reason))


def fail_run(fault: RunFault, *drafts: Draft) -> Outcome:
    code = Draft(type="steps_registry.error", fields={"code": fault.code, "message": fault.message})
    return Outcome(drafts=(*drafts, code), next=End(status="failed", reason=fault.message))
