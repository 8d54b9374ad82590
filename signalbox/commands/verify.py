"""`signalbox verify`: recorded runs checked against the current pack, with the first divergence of
each.

A run is a file of events, one per line as `signalbox run --json` prints them, or a saved script. No
model is called and nothing of the pack is executed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from signalbox.commands.errors import FAILED, OK, Trouble
from signalbox.commands.junit import Case, Suite, write_suites
from signalbox.commands.packs import pack_at, packs_at
from signalbox.commands.recorded_runs import RecordedRuns, accept, recorded_in, verified
from signalbox.commands.run_costs import cost_lines
from signalbox.commands.run_files import run_files
from signalbox.project.settings_file import project_of
from workflows.core.engine.replay.verify import Verdict


def run(options: argparse.Namespace) -> int:
    """Exit 0 if all runs match, 1 if some diverge, 2 if one cannot be read."""
    checked = list(_checked(options))
    if options.accept:
        checked = [accept(one) for one in checked]
    if options.junit:
        write_suites(options.junit, [_suite(one) for one in checked])
    verdicts = {name: verdict for one in checked for name, verdict in one.verdicts.items()}
    if options.format == "json":
        print(_as_json(verdicts))
    else:
        accepted = [name for one in checked for name in one.accepted]
        costs = [line for one in checked for line in cost_lines(one)]
        print("\n".join([*(f"{name}: accepted." for name in accepted), *costs, _as_text(verdicts)]))
    return OK if all(verdict.holds for verdict in verdicts.values()) else FAILED


def _checked(options: argparse.Namespace) -> Iterator[RecordedRuns]:
    project = project_of(options.path or ".", options.config)
    if options.path and options.runs:
        names = [name for argument in options.runs for name in run_files(argument)]
        yield verified(pack_at(options.path), names, options.profile, project)
        return
    listed = dict(recorded_in(project))
    if options.path:
        main = Path(packs_at(options.path)[0].home / packs_at(options.path)[0].location.main)
        listed = {pack: runs for pack, runs in listed.items() if Path(pack) == main}
    if not listed:
        raise Trouble(
            "There are no recorded runs to verify.",
            hint="Name a pack and its runs, or list them in [verify.runs] of .signalbox.toml.",
        )
    for pack, names in listed.items():
        yield verified(pack_at(pack), names, options.profile, project)


def _suite(one: RecordedRuns) -> Suite:
    cases = [
        Case(
            name=name,
            result="failure" if verdict.divergence else "",
            message=verdict.divergence.message if verdict.divergence else "",
        )
        for name, verdict in one.verdicts.items()
    ]
    return Suite(name=one.pack.shown, cases=cases)


def _as_text(verdicts: Mapping[str, Verdict]) -> str:
    lines = []
    for name, verdict in verdicts.items():
        if verdict.divergence:
            lines.append(f"{name}: departs. {verdict.divergence.message}")
        else:
            lines.append(f"{name}: holds, {verdict.events} events.")
        if verdict.reworded:
            numbers = ", ".join(map(str, verdict.reworded[:8]))
            more = ", …" if len(verdict.reworded) > 8 else ""
            lines.append(f"  Reworded: event {numbers}{more}.")
    departed = sum(not verdict.holds for verdict in verdicts.values())
    return "\n".join(
        [*lines, f"{len(verdicts) - departed} of {len(verdicts)} runs without divergence."]
    )


def _as_json(verdicts: Mapping[str, Verdict]) -> str:
    body = {"runs": [{"run": name, **verdict.to_json()} for name, verdict in verdicts.items()]}
    return json.dumps(body, indent=2, ensure_ascii=False)
