"""The variables of a role's texts in one step of a run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from roles.core.assemble import FEEDBACK, STATE_PROMPT, joined
from roles.core.template_choice import StepKind
from roles.core.variables import VARIABLES
from workflows.bindings.step_kinds import trigger_by
from workflows.core.engine.run import Position, RunState
from workflows.core.text.excerpt import excerpt

CHAT_INPUTS = ("message", "input")
"""Inputs of packs that are a person's message."""
DEFAULT_CRITERIA = "The work fits the task, is complete, and breaks nothing else."
MAX_OUTPUT = 50_000
"""Maximum characters of a previous output in a prompt."""


def variables_of(
    run: RunState,
    position: Position,
    *,
    kind: StepKind,
    prompt: str,
    feedback: str,
    sender: str,
    context: Mapping[str, Any],
) -> dict[str, Any]:
    """The variables of a step by dotted name: those of the run, `context`, the inputs (which
    override both), and those of the step.

    `prompt`: the state's own. `feedback`: the reason of the gate that sent the work back, and
    `sender` its role.
    """
    return {
        "global.run_id": run.id,
        "global.timestamp": datetime.fromtimestamp(run.now, UTC).isoformat(timespec="seconds"),
        **_ticket(run),
        **_chat(run),
        **context,
        **run.inputs,
        **({"ticket.source": sender, FEEDBACK: feedback} if feedback else {}),
        **(_gate(run, position, prompt) if kind == "gate" else {STATE_PROMPT[False]: prompt}),
    }


def _gate(run: RunState, position: Position, prompt: str) -> dict[str, str]:
    """The criteria are those of the inputs and the state's own prompt."""
    criteria = joined(run.inputs.get("gate.criteria", ""), prompt)
    return {
        "gate.previous_output": excerpt(run.previous.get(position.id, ""), MAX_OUTPUT),
        STATE_PROMPT[True]: criteria or DEFAULT_CRITERIA,
    }


def _ticket(run: RunState) -> dict[str, str]:
    """The ticket: inputs with the name of one of its fields. It comes from a user."""
    names = (name for name in VARIABLES if name.startswith("ticket."))
    fields = {name: name.removeprefix("ticket.") for name in names}
    ticket = {name: run.inputs[field] for name, field in fields.items() if field in run.inputs}
    if trigger_by(run.started_by) in ("chat", "cron"):
        return ticket
    return {"ticket.source": "user", **ticket}


def _chat(run: RunState) -> dict[str, str]:
    """The message of a chat."""
    message = next((run.inputs[name] for name in CHAT_INPUTS if run.inputs.get(name)), None)
    return {} if message is None else {"chat.message": message}
