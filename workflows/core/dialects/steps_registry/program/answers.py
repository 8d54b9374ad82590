"""What an answer of the model means: route it, let validators look at it, or end the run."""

from __future__ import annotations

from dataclasses import replace
from json import dumps
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.program import prompts, verdicts
from workflows.core.dialects.steps_registry.program.answer_schemas import FAILED, misfit
from workflows.core.dialects.steps_registry.program.context import Answer, Drafts, Play
from workflows.core.dialects.steps_registry.program.endings import (
    fail,
    finish,
    go,
    next_iteration,
    out_of_iterations,
)
from workflows.core.dialects.steps_registry.program.event_drafts import (
    boundary_draft,
    error_draft,
    intent_draft,
    noted,
    output_draft,
    verdict_drafts,
    warning_draft,
)
from workflows.core.dialects.steps_registry.program.gate import Reading, RunFault, interpret
from workflows.core.dialects.steps_registry.program.router import route
from workflows.core.dialects.steps_registry.program.texts import found_object, json_block
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


def model_failed(play: Play, run: RunState, position: Position, step: Step, error: str) -> Outcome:
    """A rate limit waits and asks again; any other failure is an answer without content."""
    output = {f"output:{step.id}": {"iteration": prompts.iteration(run)}}
    if not _rate_limited(error):
        failed = error_draft(run, error, **output)
        return _without_answer(play, run, position, step, (failed,))
    count = int(run.memory.get("rate_limits", 0)) + 1
    seconds = min(60.0, 5.0 * 2 ** (count - 1))
    said = f"Rate limit hit, will retry after {int(seconds * 1000)}ms"
    if count >= RATE_LIMITS:
        fault = RunFault("AGENT_RATE_LIMIT", f"Rate limit exceeded after {count} retries")
        return fail(fault, error_draft(run, said))
    note = error_draft(run, said, **output)
    stage = "model" if step.kind == "closure" else ""
    over = stage == "" and prompts.iteration(run) >= play.source.most_iterations
    if over:
        return out_of_iterations(play, run, (note,))
    notes = {"memory": {"stage": stage}, "run_memory": {"rate_limits": count}}
    draft = Draft(type="steps_registry.rate_limited", fields={"seconds": seconds, **notes})
    wait = Wait(key="", position=position.id, state=step.id, seconds=seconds)
    return Outcome(drafts=(note, draft), next=Ask(effect=wait))


def _without_answer(
    play: Play, run: RunState, position: Position, step: Step, drafts: Drafts
) -> Outcome:
    if step.kind == "closure" or not play.source.flow:
        return decide(play, noted(run, drafts), step, Answer(), drafts)
    return _unrouted(play, run, step, drafts)


def replied(play: Play, run: RunState, position: Position, step: Step, reply: Reply) -> Outcome:
    value = reply.structured if isinstance(reply.structured, dict) else None
    if value is None and reply.text:
        value = found_object(reply.text)
    answer = Answer(value=value, text=reply.text)
    drafts = _recorded(play, run, position, step, answer)
    run = noted(run, drafts)
    unread = step.kind == "closure" and (play.climpt or step.gate is None)
    try:
        if unread or not play.source.flow:
            return _after_answer(play, run, step, answer, drafts)
        return _routed(play, run, step, answer, drafts)
    except RunFault as fault:
        return fail(fault, *drafts)


def _recorded(play: Play, run: RunState, position: Position, step: Step, answer: Answer) -> Drafts:
    """The answer as the step's output, and the turn for those who are asked next."""
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
    said = misfit(play.source, step, value) if answer.value is not None else ""
    return (
        Draft(type="steps_registry.output", fields={"run_memory": memory}),
        *((warning_draft(said),) if said else ()),
        *verdict_drafts(play, value),
    )


def _routed(play: Play, run: RunState, step: Step, answer: Answer, drafts: Drafts) -> Outcome:
    """Through gate and router; validators run where that is the end."""
    if step.gate is None or (answer.value is None and play.climpt):
        return _unrouted(play, run, step, drafts)
    value = answer.value or {}
    reading = interpret(step, value, play.profile)
    drafts = (*drafts, intent_draft(reading))
    drafts = (*drafts, *(warning_draft(text) for text in reading.warnings))
    if reading.handoff:
        drafts = (*drafts, output_draft(run, step.id, _kept(play, reading, value)))
    try:
        way = route(play.source, step, reading, play.profile)
    except RunFault as fault:
        return fail(fault, *drafts)
    if answer.action == "closing" and play.climpt and way.target is not None and step.kind:
        raise RunFault(
            "FAILED_STEP_ROUTING",
            f'Non-closure step "{step.id}" (kind: {step.kind}) emitted closing signal '
            '"closing". Only closure steps may emit closing/repeat signals.',
        )
    if way.target is None:
        if reading.intent == "abort" and not play.climpt:
            said = f"{step.id!r} ended the run: {reading.reason or 'abort'}"
            return fail(RunFault("ABORTED", said), *drafts)
        return _after_answer(play, run, step, replace(answer, ended=True), drafts)
    if reading.intent == "handoff" and step.c2 == "initial":
        said = f"{step.id!r} hands off, which initial steps should not."
        drafts = (*drafts, warning_draft(said))
    if reading.intent == "closing":
        return _after_answer(play, run, step, replace(answer, onward=way.target), drafts)
    return go(play, run, step, way.target, way.label, way.meant, drafts)


def _kept(play: Play, reading: Reading, answer: dict[str, Any]) -> dict[str, Any]:
    """What the step leaves behind: in Climpt the handed-over values alone (D20)."""
    return reading.handoff if play.climpt else {**answer, **reading.handoff}


def _unrouted(play: Play, run: RunState, step: Step, drafts: Drafts) -> Outcome:
    """Nothing to route by: the first iteration runs again, a later one ends the run."""
    number = prompts.iteration(run)
    if number == 1:
        return next_iteration(play, run, step, drafts)
    raise_with = RunFault(
        "FAILED_STEP_ROUTING",
        f'[StepFlow] No intent produced for iteration {number} on step "{step.id}". Flow steps '
        "must produce structured output with a valid intent. Check that the step's schema "
        "includes next_action.action and the LLM returns valid JSON.",
    )
    return fail(raise_with, *drafts)


def _after_answer(play: Play, run: RunState, step: Step, answer: Answer, drafts: Drafts) -> Outcome:
    """Validators after the answer, then what it said."""
    checks = checks_for(play.source, step, play.profile)
    schema = checks.value.get("outputSchema")
    if isinstance(schema, dict) and not play.older and (problem := _misshapen(answer, schema)):
        return next_iteration(play, run, step, drafts, {"retry": FORMAT_RETRY.format(problem)})
    if not checks.conditions("post"):
        return decide(play, run, step, answer, drafts)
    memory = {"stage": "post", "index": 0, **answer.remembered()}
    draft = Draft(type="steps_registry.checking", fields={"memory": memory})
    return Outcome(drafts=(*drafts, draft), next=Again())


def _misshapen(answer: Answer, schema: dict[str, Any]) -> str:
    """Why the answer's ```json block is not what a validation step wants, "" where it is."""
    block = json_block(answer.text)
    if block is None:
        return "No JSON block found in response"
    return "" if fits(block, schema, schema) else "The JSON block does not fit the expected schema"


def decide(play: Play, run: RunState, step: Step, answer: Answer, drafts: Drafts) -> Outcome:
    """Is the run over? Exactly `closing` at next_action.action, else the verdict (4.7)."""
    if answer.onward:
        return go(play, run, step, answer.onward, "closing", "", drafts)
    closure = step.kind == "closure"
    hook: Drafts = (boundary_draft(play.source, step, answer.value),) if closure else ()
    if answer.ended or answer.action == "closing":
        return finish(play, run, (*drafts, *hook))
    if answer.action == "repeat" and closure:
        return go(play, run, step, step.id, "repeat", "", drafts)
    if verdicts.is_finished(play, run, answer):
        return finish(play, run, (*drafts, *hook))
    return next_iteration(play, run, step, drafts)


def _rate_limited(error: str) -> bool:
    lower = error.lower()
    return "429" in lower or "rate limit" in lower or "rate_limit" in lower
