"""The coverage of a pack's transitions in a rehearsal, and the gaps that are allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from signalbox.commands.errors import FAILED, Trouble
from signalbox.commands.junit import Case, Suite
from signalbox.commands.packs import PackHere
from signalbox.commands.session_tools import session_tools
from signalbox.project.baseline import KnownCoverage
from workflows.bindings.run_context import in_context
from workflows.core.engine.program import CannotRun
from workflows.core.engine.rehearsal.rehearse import Rehearsal, rehearse


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The rehearsal of one pack. `needed`: percentage; None if every transition must be taken.
    `base`: the coverage before a change, which is enough for a pack that had less than needed."""

    pack: PackHere
    rehearsal: Rehearsal
    allowed: frozenset[str] = frozenset()
    needed: float | None = None
    base: KnownCoverage | None = None

    @property
    def gaps(self) -> tuple[str, ...]:
        """Transitions that were never taken and are not allowed gaps."""
        return tuple(id for id in self.rehearsal.unreached if id not in self.allowed)

    @property
    def closed(self) -> tuple[str, ...]:
        """Allowed gaps that were taken."""
        taken = set(self.rehearsal.transitions) - set(self.rehearsal.unreached)
        return tuple(sorted(self.allowed & taken))

    @property
    def percentage(self) -> float:
        """Transitions taken, in per cent of those that are no allowed gap. 100 if there are
        none."""
        taken = len(self.rehearsal.transitions) - len(self.rehearsal.unreached)
        total = taken + len(self.gaps)
        return 100 * taken / total if total else 100.0

    @property
    def known(self) -> KnownCoverage:
        """The coverage as a baseline keeps it."""
        return KnownCoverage(round(self.percentage, 2), bool(self.rehearsal.failed))

    @property
    def passes(self) -> bool:
        """True if enough transitions were taken and a run did not fail. With a base, the pack
        may be as bad as the base."""
        enough = not self.gaps if self.needed is None else self.percentage >= self.needed
        if self.base is None:
            return enough and not self.rehearsal.failed
        kept = enough or self.known.percentage >= self.base.percentage
        return kept and (self.base.failed or not self.rehearsal.failed)

    @property
    def change(self) -> str:
        """The percentage; with a base that it differs from, both: "89 → 82%"."""
        now = f"{self.percentage:.0f}"
        before = now if self.base is None else f"{self.base.percentage:.0f}"
        return f"{now}%" if before == now else f"{before} → {now}%"

    @property
    def suite(self) -> Suite:
        """A case for each transition, and one for the coverage."""
        unreached = set(self.rehearsal.unreached)
        cases = [
            Case(name=id)
            if id not in unreached
            else Case(name=id, result="skipped", message="This gap is allowed.")
            if id in self.allowed
            else Case(
                name=id,
                result="skipped" if self.passes else "failure",
                message="No run took this transition.",
            )
            for id in self.rehearsal.transitions
        ]
        message = f"{self.change} of the transitions were taken."
        notes = "\n".join([message, *self.rehearsal.notes])
        total = Case(name="coverage", result="" if self.passes else "failure", message=notes)
        return Suite(name=self.pack.shown, cases=[*cases, total])


def coverage_of(
    pack: PackHere,
    profile: str | None,
    *,
    runs: int,
    seed: int,
    inputs: Mapping[str, str],
    allowed: frozenset[str] = frozenset(),
    needed: float | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> Coverage:
    """Rehearse a pack. `is_over`: as in `rehearse`. Raises Trouble if it cannot run."""
    source, graph, name = pack.graph(profile)
    try:
        tools: dict[str, dict[str, Any]] = session_tools(pack.dialect, source)
        program = in_context(pack.dialect.program(source, name), "", {}, tools)
    except CannotRun as cannot:
        raise Trouble(f"{pack.shown} cannot run: {cannot.message}", code=FAILED) from cannot
    rehearsal = rehearse(program, graph, runs=runs, seed=seed, inputs=inputs, is_over=is_over)
    return Coverage(pack=pack, rehearsal=rehearsal, allowed=allowed, needed=needed)
