"""Coverage and findings of a pack compared with its base: the baseline, or the revision of
`--since`."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from signalbox.commands.agent_limit import bound_of
from signalbox.commands.errors import Trouble
from signalbox.commands.packs import PackHere
from signalbox.commands.report import Checked
from signalbox.project.baseline import KnownCoverage, fingerprint, read_baseline
from workflows.core.pack.findings import Finding
from workflows.core.rules.check import check

if TYPE_CHECKING:
    from signalbox.commands.coverage import Coverage

REHEARSED_RUNS = 50
"""Number of runs of a rehearsal."""


def coverage(
    checked: Sequence[Checked], options: argparse.Namespace
) -> Iterator[tuple[str, Coverage | str]]:
    """The coverage of each readable pack, or the reason why it cannot run."""
    for one in checked:
        if not one.readable:
            continue
        try:
            covered = _covered(one, one.pack)
        except Trouble as trouble:
            yield one.pack.shown, trouble.message
            continue
        yield one.pack.shown, replace(covered, base=_base_coverage(one, options))


def _covered(one: Checked, pack: PackHere) -> Coverage:
    """The coverage of a version of a pack. Raises Trouble if it cannot run."""
    from signalbox.commands.coverage import coverage_of

    return coverage_of(
        pack,
        one.profile,
        runs=REHEARSED_RUNS,
        seed=1,
        inputs={},
        allowed=frozenset(one.project.allowed_gaps),
        needed=one.project.min_coverage,
    )


def _base_coverage(one: Checked, options: argparse.Namespace) -> KnownCoverage | None:
    """The coverage in the baseline, else that at the revision of `--since`."""
    file = one.project.baseline
    if file is not None and not options.write_baseline:
        baseline = read_baseline(file, str(file))
        main = baseline.relative(one.pack.home / one.pack.location.main)
        if main in baseline.coverage:
            return baseline.coverage[main]
    before = _before(one, options.since)
    try:
        return _covered(one, before).known if before else None
    except Trouble:
        return None


def _before(one: Checked, since: str | None) -> PackHere | None:
    """The pack at the point where the work tree left a revision."""
    if not since:
        return None
    from signalbox.commands.drawn_diff import pack_before

    return pack_before(one.pack, since)


def without_base(one: Checked, options: argparse.Namespace) -> Checked:
    """The findings that the pack had at the revision of `--since` set apart, and its worst case
    then."""
    before = _before(one, options.since)
    if before is None:
        return one
    source = before.dialect.read(before.files)
    if one.bound is not None and source.readable:
        one = replace(one, bound_before=bound_of(before, source, one.profile, one.project))
    if not one.findings:
        return one
    had = Counter(
        fingerprint(before.show(finding.place.path or before.location.main), finding)
        for finding in check(before.dialect, source, one.profile)
    )
    new: list[Finding] = []
    known: list[Finding] = []
    for finding in one.findings:
        key = fingerprint(one.path_of(finding), finding)
        (known if had[key] > 0 else new).append(finding)
        had[key] -= 1
    return replace(one, findings=tuple(new), known=(*one.known, *known))
