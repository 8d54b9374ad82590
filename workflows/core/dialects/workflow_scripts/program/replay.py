"""One run of a script in QuickJS: calls in order, each answered from outside.

The oldest call is answered first, and only when the script has nothing else to do. The sequence of
calls then does not depend on how a runtime schedules its promises.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from workflows.core.dialects.workflow_scripts.graph.walk import call_sites
from workflows.core.dialects.workflow_scripts.program.engine import MOST_MEMORY
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.patterns.javascript import EngineError, Session
from workflows.core.text import spans

MOST_MILLISECONDS = 2_000
"""Time of one run."""
STEP_SECONDS = 0.2
"""Processor time of code between two calls."""
MOST_STACK = 256 << 10
MOST_JOBS = 100_000
"""Pending jobs between two calls."""
JOBS_PER_CHECK = 20
MOST_CALLS = 1_000


@dataclass(frozen=True, kw_only=True)
class Status:
    """A run at rest. `call` is the call that waits for its answer; `failure` is the reason of a run
    that threw or reached a limit."""

    ended: bool
    failure: str = ""
    result: Any = None
    call: Mapping[str, Any] | None = None


@cache
def _harness() -> str:
    return (files(__package__) / "harness.js").read_text("utf-8")


def instrumented(source: ScriptSource) -> str:
    """The body of the script, with the number of its call site at each call of `agent`. It is a
    function of its own, so that it can declare the names that the runtime gives."""
    changes = []
    for number, node in enumerate(call_sites(source.root)):
        callee = node.child_by_field_name("function")
        if callee is not None:
            changes.append((callee.start_byte, callee.end_byte, f"__agent({number})".encode()))
    statement = source.meta.statement
    if statement is not None:
        changes.append((statement.start_byte, statement.start_byte + 6, b"      "))
    data = spans.apply(source.data, sorted(changes)).removeprefix(b"\xef\xbb\xbf")
    return f"'use strict'; return (async () => {{{data.decode('utf-8', 'replace')}\n}})()"


class Replay:
    """A run that continues with each answer. After a limit it stays ended."""

    def __init__(
        self,
        body: str,
        args: Any = None,
        *,
        has_args: bool = True,
        budget: int | None = None,
        tokens: int = 0,
        lenient: bool = False,
        traced: bool = False,
    ) -> None:
        settings = {
            "cap": MOST_CALLS,
            "budget": budget,
            "tokens": tokens,
            "lenient": lenient,
            "traced": traced,
        }
        self.status = Status(ended=False)
        self.limited = False
        try:
            self._session = Session(
                _harness(),
                body,
                json.dumps(args) if has_args else "",
                json.dumps(settings),
                seconds=STEP_SECONDS,
                memory=MOST_MEMORY,
                stack=MOST_STACK,
            )
            self._rest()
        except EngineError as error:
            self._stop(error)

    def _stop(self, error: EngineError) -> None:
        self.limited = True
        self.status = Status(ended=True, failure=str(error))

    def answer(self, value: Any = None, *, throws: str = "") -> Status:
        """Answer the oldest call."""
        if self.status.ended or self.status.call is None:
            return self.status
        answer = {"throws": throws} if throws else {"value": value}
        try:
            self._session.call(json.dumps(answer))
            self._rest()
        except EngineError as error:
            self._stop(error)
        return self.status

    def reads(self) -> tuple[list[tuple[str | int, ...]], list[str]] | None:
        """Of traced `args`: the paths that the script has read in vain, and what it has logged or
        caught. None after a limit."""
        if self.limited:
            return None
        paths, notes = json.loads(self._session.call("reads"))
        numbered = [[int(one) if one.isdecimal() else one for one in path] for path in paths]
        return list(map(tuple, numbered)), notes

    def _rest(self) -> None:
        """Do what is pending, and look."""
        for number in range(1, MOST_JOBS + 1):
            if not self._session.job():
                break
            if number % JOBS_PER_CHECK == 0:
                _check_time(float(self._session.call("elapsed")))
        else:
            raise EngineError("The script never comes to rest.")
        shown = json.loads(self._session.call(""))
        _check_time(shown["elapsed"])
        stuck = not shown["ended"] and shown["next"] is None
        self.status = Status(
            ended=shown["ended"] or stuck,
            failure="The script waits for something that never happens."
            if stuck
            else shown["failure"] or "",
            result=shown["result"],
            call=None if shown["ended"] else shown["next"],
        )

    def started(self) -> Mapping[int, int]:
        """The number of calls that were started, by call site; -1 is every other call."""
        sites = json.loads(self._session.call("sites"))
        return {int(site): number for site, number in sites.items()}


def _check_time(milliseconds: float) -> None:
    if milliseconds > MOST_MILLISECONDS:
        raise EngineError("The script takes too long.")
