"""Handling of model replies: routing, validators, and the end of a run."""

from __future__ import annotations

from dataclasses import replace
from json import dumps
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.program import prompts, verdicts
from workflows.core.dialects.steps_registry.program.answer_schemas import FAILED, schema_mismatch
from workflows.core.dialects.steps_registry.program.context import Answer, Drafts, RegistryContext
from workflows.core.dialects.steps_registry.program.endings import (
    fail_run,
    finish_run,
    next_iteration,
    out_of_iterations,
    take_transition,
)
from workflows.core.dialects.steps_registry.program.event_drafts import (
    boundary_draft,
    error_draft,
    intent_draft,
    output_draft,
    run_after,
    verdict_drafts,
    warning_draft,
)
from workflows.core.dialects.steps_registry.program.gate import GateResult, RunFault, interpret
from workflows.core.dialects.steps_registry.program.router import route
from workflows.core.dialects.steps_registry.program.texts import extract_object, json_block
from workflows.core.dialects.steps_registry.program.validators import checks_for
from workflows.core.engine.effects import Wait
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, Ask, Outcome
from workflows.core.engine.rehearsal.schema_fit import fits
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Reply

RATE_LIMITS = 5
FORMAT_RETRY = (
    "The previous response did not match the expected format.\n\nError: {}\n\n"
    "Please provide a response in the correct format."
)


def handle_model_error(
    context: RegistryContext, run: RunState, position: Position, step: Step, error: str
) -> Outcome:
    """A rate limit waits and retries. Any other error counts as an answer without content."""
    output = {f"output:{step.id}": {"iteration": prompts.iteration(run)}}
    if not _rate_limited(error):
        failed = error_draft(run, error, **output)
        return _without_answer(context, run, position, step, (failed,))
    count = int(run.memory.get("rate_limits", 0)) + 1
    seconds = min(60.0, 5.0 * 2 ** (count - 1))
    message = f"Rate limit hit, will retry after {int(seconds * 1000)}ms"
    if count >= RATE_LIMITS:
        fault = RunFault("AGENT_RATE_LIMIT", f"Rate limit exceeded after {count} retries")
        return fail_run(fault, error_draft(run, message))
    note = error_draft(run, message, **output)
    stage = "model" if step.kind == "closure" else ""
    over = stage == "" and prompts.iteration(run) >= context.source.most_iterations
    if over:
        return out_of_iterations(context, run, (note,))
    notes = {"memory": {"stage": stage}, "run_memory": {"rate_limits": count}}
    draft = Draft(type="steps_registry.rate_limited", fields={"seconds": seconds, **notes})
    wait = Wait(key="", position=position.id, state=step.id, seconds=seconds)
    return Outcome(drafts=(note, draft), next=Ask(effect=wait))


def _without_answer(
    context: RegistryContext, run: RunState, position: Position, step: Step, drafts: Drafts
) -> Outcome:
    if step.kind == "closure" or not context.source.flow:
        return decide(context, run_after(run, drafts), step, Answer(), drafts)
    return _unrouted(context, run, step, drafts)


def handle_reply(
    context: RegistryContext, run: RunState, position: Position, step: Step, reply: Reply
) -> Outcome:
    value = reply.structured if isinstance(reply.structured, dict) else None
    if value is None and reply.text:
        value = extract_object(reply.text, last=not context.climpt)
    answer = Answer(value=value, text=reply.text)
    drafts = _recorded(context, run, position, step, answer)
    run = run_after(run, drafts)
    unread = step.kind == "closure" and (context.climpt or step.gate is None)
    try:
        if unread or not context.source.flow:
            return _after_answer(context, run, step, answer, drafts)
        return _routed(context, run, step, answer, drafts)
    except RunFault as fault:
        return fail_run(fault, *drafts)


def _recorded(
    context: RegistryContext, run: RunState, position: Position, step: Step, answer: Answer
) -> Drafts:
    """Record the answer as the step's output, and the turn for later model calls."""
    number = prompts.iteration(run)
    value = answer.value or {}
    summary = value.get("summary")
    shown = answer.text or (dumps(value, ensure_ascii=False) if value else "")
    memory: dict[str, Any] = {
        "answered": int(run.memory.get("answered", 0)) + 1,
        "checks": int(run.memory.get("checks", 0)) + 1,
        "rate_limits": 0,
        FAILED: 0,
        "summary": summary if isinstance(summary, str) else shown[:500],
        f"turn:{number}": {"prompt": position.memory.get("prompt", ""), "answer": shown},
    }
    own = {"stepId": step.id} if "stepId" in value else {}
    memory[f"output:{step.id}"] = {**value, **own, "iteration": number}
    mismatch = schema_mismatch(context.source, step, value) if answer.value is not None else ""
    return (
        Draft(type="steps_registry.output", fields={"run_memory": memory}),
        *((warning_draft(mismatch),) if mismatch else ()),
        *verdict_drafts(context, value),
    )


def _routed(
    context: RegistryContext, run: RunState, step: Step, answer: Answer, drafts: Drafts
) -> Outcome:
    """Route an answer through gate and router. Validators run if the run would end."""
    if step.gate is None or (answer.value is None and context.climpt):
        return _unrouted(context, run, step, drafts)
    value = answer.value or {}
    reading = interpret(step, value, context.profile)
    drafts = (*drafts, intent_draft(reading))
    drafts = (*drafts, *(warning_draft(text) for text in reading.warnings))
    if reading.handoff:
        drafts = (*drafts, output_draft(run, step.id, _kept(context, reading, value)))
    try:
        chosen = route(context.source, step, reading, context.profile)
    except RunFault as fault:
        return fail_run(fault, *drafts)
    if answer.action == "closing" and context.climpt and chosen.target is not None and step.kind:
        raise RunFault(
            "FAILED_STEP_ROUTING",
            f'Non-closure step "{step.id}" (kind: {step.kind}) emitted closing signal '
            '"closing". Only closure steps may emit closing/repeat signals.',
        )
    if chosen.target is None:
        if reading.intent == "abort" and not context.climpt:
            message = f"{step.id!r} ended the run: {reading.reason or 'abort'}"
            return fail_run(RunFault("ABORTED", message), *drafts)
        return _after_answer(context, run, step, replace(answer, ended=True), drafts)
    if context.climpt and reading.intent == "handoff" and step.c2 == "initial":
        message = f"{step.id!r} hands off, which initial steps should not."
        drafts = (*drafts, warning_draft(message))
    if reading.intent == "closing":
        return _after_answer(context, run, step, replace(answer, onward=chosen.target), drafts)
    return take_transition(context, run, step, chosen.target, chosen.label, chosen.meant, drafts)


def _kept(context: RegistryContext, reading: GateResult, answer: dict[str, Any]) -> dict[str, Any]:
    """The recorded output: in Climpt, only the values handed over (D20)."""
    return reading.handoff if context.climpt else {**answer, **reading.handoff}


def _unrouted(context: RegistryContext, run: RunState, step: Step, drafts: Drafts) -> Outcome:
    """Without an intent, the first iteration repeats; a later one ends the run."""
    number = prompts.iteration(run)
    if number == 1:
        return next_iteration(context, run, step, drafts)
    raise_with = RunFault(
        "FAILED_STEP_ROUTING",
        f'[StepFlow] No intent produced for iteration {number} on step "{step.id}". Flow steps '
        "must produce structured output with a valid intent. Check that the step's schema "
        "includes next_action.action and the LLM returns valid JSON.",
    )
    return fail_run(raise_with, *drafts)


def _after_answer(
    context: RegistryContext, run: RunState, step: Step, answer: Answer, drafts: Drafts
) -> Outcome:
    """Run the validators, then evaluate the answer."""
    checks = checks_for(context.source, step, context.profile)
    schema = checks.value.get("outputSchema")
    if (
        isinstance(schema, dict)
        and not context.runs_as_1_13_15
        and (problem := _misshapen(answer, schema))
    ):
        return next_iteration(context, run, step, drafts, {"retry": FORMAT_RETRY.format(problem)})
    if not checks.conditions("post"):
        return decide(context, run, step, answer, drafts)
    memory = {"stage": "post", "index": 0, **answer.to_memory()}
    draft = Draft(type="steps_registry.checking", fields={"memory": memory})
    return Outcome(drafts=(*drafts, draft), next=Again())


def _misshapen(answer: Answer, schema: dict[str, Any]) -> str:
    """The mismatch between the answer's ```json block and a validation step's schema; "" if it
    fits."""
    block = json_block(answer.text)
    if block is None:
        return "No JSON block found in response"
    return "" if fits(block, schema, schema) else "The JSON block does not fit the expected schema"


def decide(
    context: RegistryContext, run: RunState, step: Step, answer: Answer, drafts: Drafts
) -> Outcome:
    """End the run, repeat or continue: `closing` at next_action.action, else the verdict (4.7)."""
    if answer.onward:
        return take_transition(context, run, step, answer.onward, "closing", "", drafts)
    closure = step.kind == "closure"
    hook: Drafts = (boundary_draft(context.source, step, answer.value),) if closure else ()
    if answer.ended or answer.action == "closing":
        return finish_run(context, run, step, "closing", (*drafts, *hook))
    if answer.action == "repeat" and closure:
        return take_transition(context, run, step, step.id, "repeat", "", drafts)
    if verdicts.is_finished(context, run, answer):
        return finish_run(context, run, step, context.source.verdict, (*drafts, *hook))
    return next_iteration(context, run, step, drafts)


def _rate_limited(error: str) -> bool:
    lower = error.lower()
    return "429" in lower or "rate limit" in lower or "rate_limit" in lower
