"""`signalbox check --fix`: safe fixes, written to the files of the packs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from signalbox.commands.errors import Trouble
from signalbox.commands.output import write_files
from signalbox.commands.packs import PackHere, forget_packs
from signalbox.project.baseline import NAME, Baseline
from signalbox.project.settings_file import Project
from signalbox.terminal import Line
from workflows.core.rules.kit import count_of
from workflows.core.rules.safe_fixes import apply_safe_fixes

Find = Callable[[], Iterator[tuple[Project, PackHere]]]


def fix_packs(find: Find, options: argparse.Namespace) -> Iterator[Line]:
    """Fix every pack and report each change. Packs can share files, so they are read again after
    each one that has changed."""
    done: set[tuple[str, str]] = set()
    number = 0
    while True:
        left = ((project, pack) for project, pack in find() if _key(pack) not in done)
        project, pack = next(left, (None, None))
        if project is None or pack is None:
            break
        done.add(_key(pack))
        for line in _fix(project, pack, options):
            number += 1
            yield line
    yield [f"{count_of(number, 'finding')} fixed." if number else "No safe fix applies."]


def _fix(project: Project, pack: PackHere, options: argparse.Namespace) -> Iterator[Line]:
    if pack.root is None:
        raise Trouble("--fix cannot write to standard input.", hint="Name a file or a folder.")
    source = pack.dialect.read(pack.files)
    if not source.readable:
        return
    profile = pack.profile(options.profile or project.profile_for(pack.dialect.profiles))
    here = Baseline(file=project.folder / NAME)
    main = pack.location.main
    outcome = apply_safe_fixes(
        pack.dialect,
        source,
        profile,
        lambda one: project.selection.includes(
            one.code, here.relative(pack.home / (one.place.path or main))
        ),
    )
    if not outcome.fixed:
        return
    write_files(pack.root, pack.files.difference(outcome.source.files))
    forget_packs()
    for finding in outcome.fixed:
        assert finding.fix is not None
        place = f"{pack.show(finding.place.path or main)}:{max(1, finding.place.line)}: "
        change = f" {finding.code} {finding.message} ({finding.fix.label})"
        yield [place, ("fixed", "green"), change]


def _key(pack: PackHere) -> tuple[str, str]:
    return str(pack.home / pack.location.main), pack.dialect.name
