"""`signalbox check`: findings of every pack, for people and for machines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from signalbox.commands.agent_limit import assumptions, bound_of, cost_of, over_limit
from signalbox.commands.base_version import coverage, without_base
from signalbox.commands.check_output import print_report, suite, write_outputs
from signalbox.commands.errors import FINDINGS, OK, UNREADABLE, Trouble
from signalbox.commands.junit import write_suites
from signalbox.commands.packs import PackHere, packs_at
from signalbox.commands.report import Checked, Report
from signalbox.project import baseline as baselines
from signalbox.project.baseline import Baseline, read_baseline, write_baseline
from signalbox.project.repository import changed_since, repository_of
from signalbox.project.selection import known_families, unknown_codes
from signalbox.project.settings_file import Project, project_of
from signalbox.terminal import print_lines
from workflows.core.dialects import dialects
from workflows.core.pack.findings import Finding
from workflows.core.rules.check import check

if TYPE_CHECKING:
    from signalbox.commands.recorded_runs import RecordedRuns


def run(options: argparse.Namespace) -> int:
    """Exit 0 clean, 1 with findings at or above `--fail-on`, 2 if a pack is unreadable."""
    if options.fix:
        from signalbox.commands.check_fix import fix_packs

        print_lines(fix_packs(lambda: selected_packs(options), options), sys.stderr)
    checked = checked_packs(options)
    if options.write_baseline:
        return _write(checked, options)
    report = replace(
        compared(checked, options),
        coverage=dict(coverage(checked, options)) if options.rehearse else {},
        runs=list(_recorded(checked, options)) if options.verify else (),
        drawings=_drawings(checked, options),
    )
    print_report(report, options)
    write_outputs(report, options.output)
    if options.junit:
        write_suites(options.junit, [suite(one) for one in report.packs])
    return exit_code(report)


def checked_packs(options: argparse.Namespace) -> list[Checked]:
    """Every pack of the paths with all its findings."""
    return [_checked(pack, project, options) for project, pack in selected_packs(options)]


def exit_code(report: Report) -> int:
    """The exit code for these findings. An unreadable pack whose findings are all in the baseline
    is no reason to fail."""
    if any(not one.readable and one.findings for one in report.packs):
        return UNREADABLE
    failing = any(one.failing for one in report.packs) or not report.gates_hold
    return FINDINGS if failing else OK


def selected_packs(options: argparse.Namespace) -> Iterator[tuple[Project, PackHere]]:
    """Every pack of the paths once, with its settings; with `--since`, those with changes."""
    visited: set[tuple[str, str]] = set()
    changes = cache(partial(_changes, since=options.since))
    for path in ["-"] if options.stdin else options.paths:
        project = _with_options(project_of(path, options.config), options)
        for pack in _packs(path, options):
            key = str(pack.home / pack.location.main), pack.dialect.name
            if key not in visited and (options.since is None or _is_changed(pack, changes)):
                visited.add(key)
                yield project, pack


def _packs(path: str, options: argparse.Namespace) -> list[PackHere]:
    try:
        return packs_at(path, of_parts=True)
    except Trouble:
        if options.skip_unknown and Path(path).is_file():
            return []
        raise


class Changes(NamedTuple):
    """Absolute paths of files that differ from a revision, and those of them that are gone."""

    changed: frozenset[str]
    removed: frozenset[Path]


def _changes(root: Path, *, since: str) -> Changes:
    """The changes of the repository at this root."""
    repository = repository_of(root)
    assert repository is not None
    changed = changed_since(repository, since)
    removed = frozenset(path for path in changed if not path.exists())
    return Changes(frozenset(map(str, changed)), removed)


def _is_changed(pack: PackHere, changes: Callable[[Path], Changes]) -> bool:
    """True if a file of the pack differs from the revision. A removed file counts for the packs
    around it, because it was perhaps a part of them."""
    repository = repository_of(pack.home)
    if repository is None or pack.root is None:
        raise Trouble(
            f"--since needs a git repository, and {pack.shown} is in none.",
            hint="Leave the option out to check every pack.",
        )
    changed, removed = changes(repository.root)
    if any(f"{pack.root}/{path}" in changed for path in pack.files):
        return True
    if not removed:
        return False
    near = {(pack.root / path).parent for path in pack.files}
    folder = (pack.root / pack.location.main).parent
    return any(
        path.parent in near or (len(pack.files) > 1 and folder in path.parents) for path in removed
    )


def _with_options(project: Project, options: argparse.Namespace) -> Project:
    """The settings, with those of the command line instead of the file's."""
    changes: dict[str, object] = {}
    select, ignore = _codes(options.select), _codes(options.ignore)
    if select or ignore:
        changes["selection"] = replace(
            project.selection,
            select=select or project.selection.select,
            ignore=ignore or project.selection.ignore,
        )
    if options.fail_on:
        changes["fail_on"] = options.fail_on
    if options.max_agents is not None:
        changes["max_agents"] = options.max_agents
    if options.max_cost is not None:
        changes["max_cost"] = options.max_cost
    if options.session_model:
        changes["session_model"] = options.session_model
    if options.assume:
        changes["assume"] = {**project.assume, **assumptions(options.assume)}
    if options.no_baseline:
        changes["baseline"] = None
    elif options.baseline:
        changes["baseline"] = Path(options.baseline).absolute()
    elif project.baseline is None:
        usual = project.folder / baselines.NAME
        changes["baseline"] = usual if options.write_baseline or usual.exists() else None
    return replace(project, **changes)  # type: ignore[arg-type]


def _codes(lists: Iterable[str]) -> tuple[str, ...]:
    codes = tuple(code.strip() for each in lists for code in each.split(",") if code.strip())
    for code in unknown_codes(codes):
        families = ", ".join(sorted(known_families()))
        raise Trouble(
            f"{code!r} is not a finding code or the beginning of one.",
            hint=f"Codes begin with {families}.",
        )
    return codes


def _profile(pack: PackHere, project: Project, wanted: str | None) -> str | None:
    """The profile of a pack. Formats without the profile of the command line keep their own, so
    that a folder with several formats can be checked. Raises Trouble for one that none has."""
    profiles = [name for dialect in dialects().values() for name in dialect.profiles]
    if wanted and (wanted in pack.dialect.profiles or wanted not in profiles):
        return wanted
    return project.profile_for(pack.dialect.profiles)


def _checked(pack: PackHere, project: Project, options: argparse.Namespace) -> Checked:
    profile = pack.profile(_profile(pack, project, options.profile))
    source = pack.dialect.read(pack.files)
    findings = check(pack.dialect, source, profile)
    bound = bound_of(pack, source, profile, project) if source.readable else None
    cost = cost_of(bound, project)
    findings = (*over_limit(pack, bound, cost, project), *findings)
    checked = Checked(
        pack=pack,
        profile=profile,
        findings=findings,
        readable=source.readable,
        bound=bound,
        cost=cost,
        project=project,
    )
    if not source.readable:
        return checked
    counted = selected_findings(pack, project, findings)
    own = tuple(one for one in counted if not (options.own_profile and one.other_profile))
    return replace(checked, findings=own)


def selected_findings(
    pack: PackHere, project: Project, findings: Iterable[Finding]
) -> tuple[Finding, ...]:
    """The findings that the settings do not leave out."""
    here = Baseline(file=project.folder / baselines.NAME)
    return tuple(
        one
        for one in findings
        if project.selection.includes(
            one.code, here.relative(pack.home / (one.place.path or pack.location.main))
        )
    )


def compared(checked: list[Checked], options: argparse.Namespace) -> Report:
    """The report, with the findings of each baseline set apart."""
    packs, gone = [], []
    for file, mine in _by_baseline(checked):
        if file is None:
            packs += [without_base(one, options) for one in mine]
            continue
        baseline = read_baseline(file, _shown(file))
        results, over = baseline.compare(
            {(one.pack.home, one.pack.location.main): one.findings for one in mine}
        )
        chosen = mine[0].project.selection
        gone += [entry for entry in over if chosen.includes(entry.code, entry.path)]
        for one in mine:
            result = results[one.pack.home, one.pack.location.main]
            one = replace(one, findings=result.new, known=result.known)
            packs.append(without_base(one, options))
    return Report(packs=packs, gone=gone)


def _drawings(checked: list[Checked], options: argparse.Namespace) -> dict[str, str]:
    """The changes of each graph, for a comment on a change."""
    formats = {options.format, *(format for format, _ in options.output)}
    if "markdown" not in formats or not options.since:
        return {}
    from signalbox.commands.drawn_diff import drawings

    return dict(drawings(checked, options.since))


def _recorded(checked: list[Checked], options: argparse.Namespace) -> Iterator[RecordedRuns]:
    """The cases of the packs that are checked, and their runs in [verify.runs]."""
    from signalbox.commands.recorded_runs import cases_of, listed_runs, verified

    for one in checked:
        names = [*cases_of(one.pack), *listed_runs(one.pack, one.project)] if one.readable else []
        if names:
            yield verified(one.pack, names, options.profile, one.project)


def _write(checked: list[Checked], options: argparse.Namespace) -> int:
    """Write the present findings of these packs; entries of other packs stay."""
    for file, mine in _by_baseline(checked):
        assert file is not None
        old = read_baseline(file, _shown(file)) if file.exists() else Baseline(file=file)
        here = {old.relative(one.pack.home / one.pack.location.main) for one in mine}
        chosen = mine[0].project.selection
        entries = [
            entry
            for entry in old.entries
            if (file.parent / entry.pack).exists()
            and (entry.pack not in here or not chosen.includes(entry.code, entry.path))
        ]
        for one in mine:
            home, main = one.pack.home, one.pack.location.main
            entries += [old.known(home, main, finding) for finding in one.findings]
        rehearsed = {
            pack: known
            for pack, known in old.coverage.items()
            if (file.parent / pack).exists() and not (options.rehearse and pack in here)
        }
        if options.rehearse:
            for one in mine:
                main = old.relative(one.pack.home / one.pack.location.main)
                for _, covered in coverage([one], options):
                    if not isinstance(covered, str):
                        rehearsed[main] = covered.known
        number = write_baseline(file, entries, rehearsed)
        print(f"{_shown(file)}: {number} known finding{'' if number == 1 else 's'}.")
    return OK


def _by_baseline(checked: list[Checked]) -> list[tuple[Path | None, list[Checked]]]:
    groups: dict[Path | None, list[Checked]] = {}
    for one in checked:
        groups.setdefault(one.project.baseline, []).append(one)
    return list(groups.items())


def _shown(file: Path) -> str:
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)
