"""`signalbox rehearse`: many walks without a model."""

from __future__ import annotations

import argparse
import json

from signalbox.commands.coverage import Coverage, coverage_of
from signalbox.commands.errors import FAILED, OK, Trouble
from signalbox.commands.inputs import read_inputs
from signalbox.commands.junit import Case, Suite, write_suites
from signalbox.commands.packs import PackHere, packs_at
from signalbox.project.settings_file import Project, project_of
from workflows.core.engine.rehearsal.rehearse import Rehearsal
from workflows.core.rules.kit import count_of


def run(options: argparse.Namespace) -> int:
    """Exit 0 if enough transitions of every pack were taken and at least one run of it did not
    fail, 1 otherwise."""
    project = project_of(options.path, options.config)
    packs = packs_at(options.path)
    if len(packs) == 1:
        covered = _covered(packs[0], project, options)
        _require_known(options.allow_gap, [covered])
        if options.junit:
            write_suites(options.junit, [covered.suite])
        if options.json:
            print(json.dumps(_as_json(covered), indent=2, ensure_ascii=False))
        else:
            print(text(covered))
        return OK if covered.passes else FAILED
    return _several(packs, project, options)


def _several(packs: list[PackHere], project: Project, options: argparse.Namespace) -> int:
    """A pack that cannot run fails, and the others are rehearsed."""
    covered: dict[str, Coverage | str] = {}
    for pack in packs:
        try:
            covered[pack.shown] = _covered(pack, project, options)
        except Trouble as trouble:
            covered[pack.shown] = trouble.message
    results = [one for one in covered.values() if isinstance(one, Coverage)]
    _require_known(options.allow_gap, results)
    if options.junit:
        write_suites(options.junit, [_suite(name, one) for name, one in covered.items()])
    if options.json:
        body = [
            {"path": name, **(_as_json(one) if isinstance(one, Coverage) else {"error": one})}
            for name, one in covered.items()
        ]
        print(json.dumps({"packs": body}, indent=2, ensure_ascii=False))
    else:
        for name, one in covered.items():
            print(f"{name}: " + (text(one) if isinstance(one, Coverage) else one))
    passes = len(results) == len(covered) and all(one.passes for one in results)
    return OK if passes else FAILED


def _covered(pack: PackHere, project: Project, options: argparse.Namespace) -> Coverage:
    least = options.min_coverage
    return coverage_of(
        pack,
        options.profile or project.profile_for(pack.dialect.profiles),
        runs=options.runs,
        seed=options.seed,
        inputs=read_inputs(options.input, options.input_file),
        allowed=frozenset([*project.allowed_gaps, *options.allow_gap]),
        needed=project.min_coverage if least is None else least,
    )


def _require_known(gaps: list[str], covered: list[Coverage]) -> None:
    for id in gaps:
        if not any(id in one.rehearsal.transitions for one in covered):
            raise Trouble(
                f"--allow-gap {id!r}: there is no such transition.",
                hint="Transitions are written as source|label|target.",
            )


def _suite(name: str, covered: Coverage | str) -> Suite:
    if isinstance(covered, Coverage):
        return covered.suite
    return Suite(name=name, cases=[Case(name="coverage", result="error", message=covered)])


def _as_json(covered: Coverage) -> dict[str, object]:
    return {**covered.rehearsal.to_json(), "gaps": list(covered.gaps), "passes": covered.passes}


def text(covered: Coverage) -> str:
    """For people: coverage, final statuses, and transitions that were never taken."""
    rehearsal = covered.rehearsal
    lines = [
        _summary(rehearsal),
        "Ended: "
        + ", ".join(f"{word} {count}" for word, count in rehearsal.outcomes.items())
        + ".",
        *rehearsal.notes,
    ]
    if covered.gaps:
        lines += ["Never taken:", *(f"  {id}" for id in covered.gaps)]
    allowed = len(rehearsal.unreached) - len(covered.gaps)
    if allowed:
        lines.append(f"Never taken and allowed: {count_of(allowed, 'gap')}.")
    if covered.closed:
        lines += ["Allowed gaps that were taken:", *(f"  {id}" for id in covered.closed)]
    if covered.needed is not None:
        lines.append(f"Coverage {covered.percentage:.1f}%, required {covered.needed:g}%.")
    if rehearsal.shortest:
        lines.append("Shortest walk found to each:")
    for id, walk in rehearsal.shortest.items():
        lines.append(f"  {id} ({len(walk)}): " + " → ".join(walk[-6:]))
    return "\n".join(lines)


def _summary(rehearsal: Rehearsal) -> str:
    total = len(rehearsal.transitions)
    taken = total - len(rehearsal.unreached)
    runs = count_of(rehearsal.runs, "run")
    if rehearsal.failed:
        return f"Every run failed ({runs}, {taken} of {total} transitions taken)."
    if rehearsal.coverage is None:
        return f"{runs}. The pack has no transitions to take."
    return f"{runs}, {taken} of {total} transitions taken ({rehearsal.coverage:.0%})."
