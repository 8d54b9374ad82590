"""The sequence of a closure step's validators, and the outcome of a failure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.success_when import (
    succeeded,
)
from workflows.core.dialects.steps_registry.program import prompts
from workflows.core.dialects.steps_registry.program.answers import decide
from workflows.core.dialects.steps_registry.program.context import (
    Drafts,
    RegistryContext,
    answer_from_memory,
)
from workflows.core.dialects.steps_registry.program.endings import (
    fail_run,
    next_iteration,
    out_of_iterations,
)
from workflows.core.dialects.steps_registry.program.event_drafts import (
    check_draft,
    warning_draft,
)
from workflows.core.dialects.steps_registry.program.gate import RunFault
from workflows.core.dialects.steps_registry.program.validators import (
    CLIMPT_ATTEMPTS,
    Checks,
    checks_for,
    command_of,
    first_lines,
    is_unrecoverable,
    parameters_of,
    retry_text,
    validator_of,
)
from workflows.core.engine.effects import RunCommand
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, Ask, Outcome, Take
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import CommandDone


def next_check(
    context: RegistryContext, run: RunState, position: Position, step: Step, key: str, stage: str
) -> Outcome:
    checks = checks_for(context.source, step, context.profile)
    index = int(position.memory.get("index", 0))
    conditions = checks.conditions(stage)
    if index >= len(conditions):
        return _checks_passed(context, run, position, step, checks, stage)
    name, validator = validator_of(context, conditions[index])
    command = command_of(context, validator, conditions[index])
    if command is None:
        passed = check_draft("check.passed", name, checks, stage, {"index": index + 1})
        note = warning_draft(f"Validator {name!r} has nothing to run and counts as passed.")
        return Outcome(drafts=(note, passed), next=Again())
    effect = RunCommand(
        key=key,
        position=position.id,
        state=step.id,
        command=command,
        why=f"Validator {name} of {checks.key}.",
    )
    return Outcome(next=Ask(effect=effect))


def handle_check_result(
    context: RegistryContext, run: RunState, position: Position, step: Step, done: CommandDone
) -> Outcome:
    stage = str(position.memory.get("stage", "post"))
    checks = checks_for(context.source, step, context.profile)
    index = int(position.memory.get("index", 0))
    condition = checks.conditions(stage)[index]
    name, validator = validator_of(context, condition)
    if succeeded(validator, done.exit, done.stdout, silence_counts=context.climpt):
        passed = check_draft("check.passed", name, checks, stage, {"index": index + 1}, done)
        return Outcome(drafts=(passed,), next=Again())
    output = {"stdout": done.stdout, "stderr": done.stderr, "exit": done.exit}
    params = parameters_of(context, validator, output)
    text = retry_text(context, step, checks, name, output, params, run.inputs)
    failed = check_draft("check.failed", name, checks, stage, {}, done)
    if stage == "preflight":
        return _before_failed(context, run, step, checks, text, failed)
    return _after_failed(
        context,
        run,
        position,
        step,
        checks,
        text,
        failed,
        is_unrecoverable(validator, done.exit, done.stderr),
        _reason(name, output),
    )


def _before_failed(
    context: RegistryContext, run: RunState, step: Step, checks: Checks, text: str, failed: Draft
) -> Outcome:
    """A failed check before the model call repeats the step with the retry prompt, regardless of
    `onFailure`. In 1.14, it ends the run."""
    if context.source.generation == "B":
        return fail_run(_aborted(checks, text), failed)
    return next_iteration(context, run, step, (failed,), {"retry": text})


def _after_failed(
    context: RegistryContext,
    run: RunState,
    position: Position,
    step: Step,
    checks: Checks,
    text: str,
    failed: Draft,
    hopeless: bool,
    reason: str,
) -> Outcome:
    """The next attempt, or the end. `reason`: the failure in one line."""
    if context.runs_as_1_13_15:
        return next_iteration(context, run, step, (failed,), {"retry": text})
    if checks.action == "skip" and not hopeless:
        return _checks_passed(context, run, position, step, checks, "post", (failed,))
    attempts = int(run.memory.get(checks.counter, 0)) + 1
    count = Draft(
        type="steps_registry.attempt",
        fields={"attempts": attempts, "run_memory": {checks.counter: attempts}},
    )
    most = checks.most or (CLIMPT_ATTEMPTS if context.climpt else attempts + 1)
    if hopeless or checks.action == "abort" or attempts >= most:
        times = f" {attempts} times; last" if attempts > 1 else ""
        why = text if context.climpt else reason.replace(" failed:", f" failed{times}:", 1)
        return fail_run(_aborted(checks, why), failed, count)
    back = run.memory.get("worked")
    if context.climpt or back not in context.source.steps:
        return next_iteration(context, run, step, (failed, count), {"retry": text})
    if prompts.iteration(run) >= context.source.most_iterations:
        return out_of_iterations(context, run, (failed, count))
    take = Take(target=str(back), label="retry", memory=(("retry", text),))
    return Outcome(drafts=(failed, count), next=take)


def _checks_passed(
    context: RegistryContext,
    run: RunState,
    position: Position,
    step: Step,
    checks: Checks,
    stage: str,
    drafts: Drafts = (),
) -> Outcome:
    """Continue with the model call, or evaluate the answer. A pass resets the counter; under
    `documented`, only at the end of the visit (D5)."""
    fields: dict[str, Any] = {"stage": stage}
    if checks.key and (stage == "post" or (context.climpt and not context.runs_as_1_14)):
        fields["run_memory"] = {checks.counter: 0}
    if stage == "preflight":
        fields["memory"] = {"stage": "model"}
        draft = Draft(type="steps_registry.checked", fields=fields)
        return Outcome(drafts=(*drafts, draft), next=Again())
    draft = Draft(type="steps_registry.checked", fields=fields)
    return decide(context, run, step, answer_from_memory(position.memory), (*drafts, draft))


def _reason(name: str, output: Mapping[str, Any]) -> str:
    lines = first_lines(output).split("\n")
    return f"{name} failed: exit {output['exit']}{': ' if lines[0] else ''}{' / '.join(lines[:3])}"


def _aborted(checks: Checks, text: str) -> RunFault:
    return RunFault("AGENT_VALIDATION_ABORT", f'Validation aborted for step "{checks.key}": {text}')
