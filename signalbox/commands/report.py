"""Packs and their findings, as `signalbox check` reports them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from signalbox.commands.packs import PackHere
from signalbox.project.baseline import Known
from signalbox.project.settings_file import Project
from workflows.core.pack.call_bound import CallBound
from workflows.core.pack.findings import Finding, Level
from workflows.core.rules.check import summary
from workflows.providers.call_costs import RunCost

if TYPE_CHECKING:
    from signalbox.commands.coverage import Coverage
    from signalbox.commands.recorded_runs import RecordedRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One pack and its findings: those to report, and those in the baseline."""

    pack: PackHere
    profile: str
    findings: tuple[Finding, ...]
    readable: bool
    known: tuple[Finding, ...] = ()
    bound: CallBound | None = None
    """The worst case of a run; None for a pack without limits, or that cannot be read."""
    cost: RunCost | None = None
    """The cost of these calls; None if the project neither limits it nor assumes tokens."""
    bound_before: CallBound | None = None
    """The worst case at the revision of `--since`."""
    project: Project = field(default_factory=lambda: Project(folder=Path()))

    def path_of(self, finding: Finding) -> str:
        """The file of a finding, relative to the working directory."""
        return self.pack.show(finding.place.path or self.pack.location.main)

    @property
    def failing(self) -> tuple[Finding, ...]:
        """The findings that make the exit code 1."""
        levels: dict[str, set[Level]] = {"error": {"error"}, "warning": {"error", "warning"}}
        bad = levels.get(self.project.fail_on, set())
        return tuple(finding for finding in self.findings if finding.level in bad)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All packs of one command. `gone` are entries of the baseline without a finding."""

    packs: Sequence[Checked]
    gone: Sequence[Known] = ()
    coverage: Mapping[str, Coverage | str] = field(default_factory=dict)
    """Pack → its coverage, or the reason why it cannot run. Empty without `--rehearse`."""
    runs: Sequence[RecordedRuns] = ()
    """The recorded runs of the packs. Empty without `--verify`."""

    drawings: Mapping[str, str] = field(default_factory=dict)
    """Pack → the changes of its graph as Mermaid. Empty without `--since`."""

    @property
    def counts(self) -> dict[Level, int]:
        """Number of findings of each level in all packs together."""
        return summary(finding for one in self.packs for finding in one.findings)

    @property
    def gates_hold(self) -> bool:
        """True if the coverage is sufficient and no recorded run diverges. A pack that cannot run
        has a finding about it, which decides."""
        covered = all(one.passes for one in self.coverage.values() if not isinstance(one, str))
        return covered and all(
            verdict.holds for one in self.runs for verdict in one.verdicts.values()
        )

    @property
    def known(self) -> int:
        """Number of findings in the baseline."""
        return sum(len(one.known) for one in self.packs)
