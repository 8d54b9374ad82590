"""Permissions of operator, starter and answering person for commands and calls of tools."""

from __future__ import annotations

from django.conf import settings

from workflows.actions.command_right import allowed_by_right, has_command_right
from workflows.actions.unperformed_effects import LeftToPerson
from workflows.core.engine.effects import CallTool, Effect
from workflows.core.engine.run import RunState
from workflows.models import Run
from workflows.selectors.tool_bindings import Bound

NOT_ON_SERVER = "This server does not run commands; its operator can set SIGNALBOX_COMMANDS=1."
NO_RIGHT = "The owner of this run has no right to run commands."
NO_RIGHT_TO_BIND = (
    "It was bound by a user who has no right to run commands. A user with the right can bind it "
    "again."
)
NOT_IN_RUN = "This run was started without commands."
ASKS_FIRST = "Its binding asks before each call."


def may_run_commands(row: Run) -> bool:
    """Return True if operator and starter both allowed commands, and the starter still has the
    right to run them. Reads the database."""
    wanted = settings.SIGNALBOX_COMMANDS and row.options.get("commands") is True
    return bool(wanted and row.owner and has_command_right(row.owner))


def authors_have_right(binding: Bound) -> bool:
    """Return True if all who entered the command of this binding may run commands. Reads the
    database."""
    return all(author and has_command_right(author) for author in binding.authors)


def may_perform_command(
    row: Run, run: RunState, effect: Effect, binding: Bound | None = None
) -> bool:
    """Return True if this command, or call that starts a process, may be performed: the operator
    allowed commands; `binding` was entered, and the starter allowed all or a person this one, each
    with the right to run commands. Reads the database."""
    if not settings.SIGNALBOX_COMMANDS or (binding and not authors_have_right(binding)):
        return False
    if may_run_commands(row):
        return True
    if effect.key in run.allowed and allowed_by_right(row, "effect.allowed", "key", effect.key):
        return True
    tool = _tool(effect)
    return tool in run.allowed_tools and allowed_by_right(row, "tool.allowed", "name", tool)


def is_allowed(run: RunState, effect: Effect) -> bool:
    """Return True if a person allowed this effect, or its tool for the rest of the run."""
    return effect.key in run.allowed or _tool(effect) in run.allowed_tools


def _tool(effect: Effect) -> str:
    return effect.name if isinstance(effect, CallTool) else ""


def command_left_to_person(row: Run) -> LeftToPerson:
    """The reason why a command is left to a person."""
    if not settings.SIGNALBOX_COMMANDS:
        return LeftToPerson(reason=NOT_ON_SERVER)
    wanted = row.options.get("commands") is True
    return LeftToPerson(reason=NO_RIGHT if wanted else NOT_IN_RUN, can_allow=True)


def call_left_to_person(row: Run, name: str, kind: str, binding: Bound) -> LeftToPerson:
    """The reason why a call through this kind of binding is left to a person. Reads the
    database."""
    left = command_left_to_person(row)
    entered = authors_have_right(binding)
    why = left.reason if entered else NO_RIGHT_TO_BIND
    reason = f"{name} is bound ({kind}) and was not called, because it starts a process. {why}"
    return LeftToPerson(reason=reason, can_allow=left.can_allow and entered)


def unbound(effect: CallTool) -> LeftToPerson:
    """The reason why a call without a binding is left to a person."""
    return LeftToPerson(reason=f"{effect.name} is not bound to anything. Bind it under Tools.")


def asks_first(effect: CallTool, kind: str) -> LeftToPerson:
    """The reason why a call through a binding with `ask` is left to a person."""
    reason = f"{effect.name} is bound ({kind}) and was not called. {ASKS_FIRST}"
    return LeftToPerson(reason=reason, can_allow=True)
