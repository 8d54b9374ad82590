"""The program and the budget of a stored run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from workflows.actions.role_prompts import with_roles
from workflows.bindings.run_context import in_context, run_context, tools_context
from workflows.bindings.step_kinds import STARTED_BY
from workflows.core.engine.program import Budget, Program
from workflows.core.prompts.modes import PREAMBLES
from workflows.errors import BadRequest, CannotStart
from workflows.models import Run
from workflows.opened_packs.view import Opened
from workflows.selectors.repositories import commit_of
from workflows.selectors.run_starts import how_started
from workflows.selectors.sources import opened

STARTED_WITH = ("budget", "mode", "workspace", "simulated_inputs")
"""Options that `run.started` repeats."""
LIMITS = frozenset(item.name for item in fields(Budget))


def program_of(row: Run) -> Program:
    """The program of this run's revision. Raises CannotRun, and CannotStart if the pack is
    unreadable."""
    options = row.options
    program = in_context(
        _program(opened(row.pack, row.revision), row.profile),
        options.get("mode") or "",
        options.get("templates") or {},
        options.get("session_tools"),
    )
    roles = options.get("roles")
    if not roles:
        return program
    return with_roles(program, roles, row.pack, options.get("mode", ""), row.owner_id)


def _program(pack: Opened, profile: str) -> Program:
    if not pack.source.readable:
        raise CannotStart(
            "This pack cannot be read, so it cannot run.",
            hint="; ".join(finding.message for finding in pack.source.findings[:3]),
        )
    return pack.under(profile).program


def budget_of(row: Run) -> Budget | None:
    """The limits set at the start of the run. Raises BadRequest for an invalid one."""
    return check_budget(row.options.get("budget") or {})


def check_budget(limits: Mapping[str, Any]) -> Budget | None:
    """Validate limits, None for none. Raises BadRequest."""
    if not hasattr(limits, "items"):
        raise BadRequest("A budget is an object of limits by name.", where="budget")
    for name, limit in limits.items():
        if name not in LIMITS:
            raise BadRequest(
                f"There is no limit {name!r} in a budget.",
                hint="Known: " + ", ".join(sorted(LIMITS)),
            )
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int | float)):
            raise BadRequest(f"The limit {name!r} is not a number.", where=f"budget.{name}")
    return Budget(**limits) if limits else None


def start_fields(row: Run) -> dict[str, Any]:
    """Fields of `run.started`: the driver, the limits, the run context, and how it was started."""
    options = row.options
    choices = {name: options[name] for name in STARTED_WITH if options.get(name)}
    beside = run_context(options.get("roles") or {}, options.get("templates") or {})
    session = options.get("session_tools")
    tools = {} if session is None else {"tools": tools_context(session)}
    commit = commit_of(row.pack, row.revision)
    named = {"commit": commit} if commit else {}
    return {"driver": row.driver, **choices, **beside, **tools, **named, **how_started(row)}


def started_by(row: Run) -> str:
    """The origin of the run: its trigger, the ticket or chat for which a user started it, else the
    user or the API."""
    if row.source in (Run.Source.SCHEDULE, Run.Source.WEBHOOK):
        return str(row.source)
    return str(row.options.get("started_by") or row.source)


def check_started_by(options: Mapping[str, Any]) -> None:
    """Raise BadRequest unless a user started the run for a ticket or a chat."""
    origin = options.get("started_by") or STARTED_BY[0]
    if origin not in STARTED_BY:
        raise BadRequest(
            f"A user starts a run for one of: {', '.join(STARTED_BY)}; not {origin!r:.60}.",
            where="started_by",
        )


def check_mode(options: Mapping[str, Any]) -> None:
    """Raise BadRequest for an unknown mode; "" is allowed."""
    mode = options.get("mode", "")
    if mode and not (isinstance(mode, str) and mode in PREAMBLES):
        raise BadRequest(
            f"Unknown mode {mode!r:.60}. Modes: {', '.join(PREAMBLES)}.",
            where="mode",
        )
