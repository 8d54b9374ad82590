"""Drafts of the events of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.program.context import Drafts, RegistryContext
from workflows.core.dialects.steps_registry.program.gate import GateResult
from workflows.core.dialects.steps_registry.program.validators import Checks
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.events import Draft
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import CommandDone


def warning_draft(text: str) -> Draft:
    return Draft(type="steps_registry.warning", fields={"message": text})


def error_draft(run: RunState, text: str, **memory: Any) -> Draft:
    """An error that does not end the run. It is recorded in the run's memory, with `memory`."""
    memory["errors"] = [*run.memory.get("errors", ()), text]
    return Draft(type="steps_registry.warning", fields={"message": text, "run_memory": memory})


def output_draft(run: RunState, id: str, value: dict[str, Any]) -> Draft:
    memory = {f"output:{id}": value}
    return Draft(type="steps_registry.handed_over", fields={"values": value, "run_memory": memory})


def verdict_drafts(context: RegistryContext, answer: dict[str, Any] | None) -> Drafts:
    """A top-level string `verdict` of an answer is the run's verdict, except in 1.13.15."""
    verdict = (answer or {}).get("verdict")
    if context.runs_as_1_13_15 or not isinstance(verdict, str):
        return ()
    return (Draft(type="artifact.set", fields={"name": "verdict", "value": verdict}),)


def boundary_draft(source: RegistrySource, step: Step, answer: dict[str, Any] | None) -> Draft:
    """A record of the GitHub action of a `poll:state` agent (4.9), which is not executed: the
    answer's `closure_action`, else the agent's, else close."""
    fields: dict[str, Any] = {"step": step.id, "done": False}
    if source.verdict == "poll:state":
        github = source.agent_value("runner", "integrations", "github", "defaultClosureAction")
        action = (answer or {}).get("closure_action") or github
        fields["action"] = action if isinstance(action, str) else "close"
    return Draft(type="steps_registry.boundary", fields=fields)


def intent_draft(reading: GateResult) -> Draft:
    fields = {"intent": reading.intent, "target": reading.target, "reason": reading.reason}
    return Draft(type="intent.read", fields={**fields, "handoff": reading.handoff})


MAX_STDERR = 3
"""Lines of a command's error output in the event of its check; the command's own event has all."""
MAX_LINE = 300


def first_lines(stderr: str) -> str:
    """The first lines of an error output, each cut to a readable length."""
    lines = [line.rstrip()[:MAX_LINE] for line in stderr.splitlines() if line.strip()]
    return "\n".join(lines[:MAX_STDERR])


def check_draft(
    type: str,
    name: str,
    checks: Checks,
    stage: str,
    memory: dict[str, Any],
    done: CommandDone | None = None,
) -> Draft:
    """The result of a validator. Its message has the exit code of a failed command, and the first
    lines of the error output; so has that of a check that passes although its command failed."""
    fields: dict[str, Any] = {"check": name, "of": checks.key, "stage": stage}
    if done is not None and (done.exit or type == "check.failed"):
        output = first_lines(done.stderr)
        fields["message"] = f"exit {done.exit}: {output}" if output else f"exit {done.exit}"
    return Draft(type=type, fields={**fields, "memory": memory} if memory else fields)


def run_after(run: RunState, drafts: Drafts) -> RunState:
    """The run with the memory of these drafts applied."""
    memory = dict(run.memory)
    for draft in drafts:
        memory.update(draft.fields.get("run_memory") or {})
    return replace(run, memory=memory)
