"""The jobs that run in a process of their own. Arguments and results are plain values of the core.

Each job reads the pack again from its files, which takes less than to copy a parsed pack.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from workflows.core.convert.conversion import Conversion, convert
from workflows.core.dialects import dialects
from workflows.core.engine.effects import ToolSpec
from workflows.core.engine.rehearsal.rehearse import Limits, Rehearsal, rehearse
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding, Rule
from workflows.core.rules.check import RuleStopped, check

RULE_SECONDS = 3.0
"""Time of one rule, in seconds."""


def converted(dialect: str, files: Files, profile: str, to: str) -> Conversion:
    """Convert a readable pack. Raises CannotConvert."""
    here = dialects()[dialect]
    return convert(here, here.read(files), profile, dialects()[to])


def rehearsed(
    dialect: str,
    files: Files,
    profile: str,
    *,
    tools: Mapping[str, ToolSpec],
    runs: int,
    seed: int,
    walk: Limits,
    seconds: float,
    keep: int = 0,
) -> Rehearsal:
    """Rehearse a readable pack; runs that do not fit into the time are left out. Raises
    CannotRun."""
    here = dialects()[dialect]
    source = here.read(files)
    program = here.program(source, profile).with_tools(tools)
    until = time.monotonic() + seconds
    return rehearse(
        program,
        here.graph(source, profile),
        runs=runs,
        seed=seed,
        limits=walk,
        is_over=lambda: time.monotonic() > until,
        keep=keep,
    )


def findings(dialect: str, files: Files, profile: str, seconds: float) -> tuple[Finding, ...]:
    """Every finding of a pack. A rule that takes too long has one finding that names it."""
    here = dialects()[dialect]
    until = time.monotonic() + seconds
    return check(here, here.read(files), profile, limit=lambda rule: _limited(rule, until))


@contextmanager
def _limited(rule: Rule, until: float) -> Iterator[None]:
    """Stop a rule by an alarm. Only for the main thread of a process of its own."""
    left = min(RULE_SECONDS, until - time.monotonic())
    if left <= 0:
        raise RuleStopped("checking the pack took too long")
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, left)
    try:
        yield
    except MemoryError:
        raise RuleStopped("it needs too much memory") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _stop(number: int, frame: FrameType | None) -> None:
    raise RuleStopped(f"it takes longer than {RULE_SECONDS:g} seconds on this pack")


JOBS: dict[str, Callable[..., Any]] = {
    "converted": converted,
    "rehearsed": rehearsed,
    "findings": findings,
}
