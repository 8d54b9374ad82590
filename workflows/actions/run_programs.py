"""The program and the budget of a stored run."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import fields
from typing import Any

from workflows.core.engine.program import Budget, Program
from workflows.errors import BadRequest, CannotStart
from workflows.models import Run
from workflows.selectors.sources import opened

KEPT = 64
_lock = threading.Lock()
_programs: OrderedDict[tuple[int, str], tuple[Any, Program]] = OrderedDict()
"""By identity of the parsed source, which is kept too, so that no other can take its place."""


def program_of(row: Run) -> Program:
    """How this run's revision runs. Raises CannotRun, CannotStart where it is not even readable."""
    pack = opened(row.pack, row.revision)
    key = (id(pack.source), row.profile)
    with _lock:
        kept = _programs.get(key)
        if kept is not None:
            _programs.move_to_end(key)
            return kept[1]
    if not pack.source.readable:
        raise CannotStart(
            "This pack cannot be read, so it cannot run.",
            hint="; ".join(finding.message for finding in pack.source.findings[:3]),
        )
    program = pack.dialect.program(pack.source, row.profile)
    with _lock:
        _programs[key] = (pack.source, program)
        while len(_programs) > KEPT:
            _programs.popitem(last=False)
    return program


def budget_of(row: Run) -> Budget | None:
    """The starter's own limits. Raises BadRequest for what is none."""
    limits = row.options.get("budget") or {}
    known = {item.name for item in fields(Budget)}
    for name, limit in limits.items():
        if name not in known:
            raise BadRequest(
                f"There is no limit {name!r} in a budget.",
                hint="Known: " + ", ".join(sorted(known)),
            )
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int | float)):
            raise BadRequest(f"The limit {name!r} is not a number.", where=f"budget.{name}")
    return Budget(**limits) if limits else None
