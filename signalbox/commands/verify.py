"""`signalbox verify`: recorded runs and cases checked against the current pack, with the first
divergence of each.

A run is a file of events, one per line as `signalbox run --json` prints them, a saved script, or a
case. No model is called and nothing of the pack is executed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping

from signalbox.commands.errors import FAILED, OK, Trouble
from signalbox.commands.junit import Case, Suite, write_suites
from signalbox.commands.packs import pack_at, packs_at
from signalbox.commands.recorded_runs import RecordedRuns, accept, cases_of, listed_runs, verified
from signalbox.commands.run_files import run_files
from signalbox.project.settings_file import project_of
from workflows.core.engine.replay.script_file import ScriptFile
from workflows.core.engine.replay.verify import Verdict
from workflows.providers.recorded_costs import spent_by_state


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
        costs = [line for one in checked for line in _spending(one)]
        print("\n".join([*(f"{name}: accepted." for name in accepted), *costs, _as_text(verdicts)]))
    return OK if all(verdict.holds for verdict in verdicts.values()) else FAILED


def _spending(runs: RecordedRuns) -> Iterator[str]:
    """For each run of another runtime, what each state of it has used."""
    for name in runs.foreign:
        log = runs.recordings[name]
        assert not isinstance(log, ScriptFile)
        yield f"{name}: recorded by {log[0].fields.get('driver')}."
        yield from (f"  {state}: {one.text()}" for state, one in spent_by_state(log).items())


def _checked(options: argparse.Namespace) -> Iterator[RecordedRuns]:
    project = project_of(options.path or ".", options.config)
    if options.path and options.runs:
        names = [name for argument in options.runs for name in run_files(argument)]
        yield verified(pack_at(options.path), names, options.profile, project)
        return
    places = (
        [options.path]
        if options.path
        else [str(project.folder / name) for name in project.recorded_runs]
    )
    packs = [pack for place in places for pack in packs_at(place)]
    runs = [(pack, [*cases_of(pack), *listed_runs(pack, project)]) for pack in packs]
    if not any(names for _, names in runs):
        raise Trouble(
            "There are no recorded runs and no cases to verify.",
            hint="Name a pack and its runs, list them in [verify.runs] of .signalbox.toml, or keep "
            "a run as a case of its pack.",
        )
    for pack, names in runs:
        if names:
            yield verified(pack, names, options.profile, project)


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
            lines.append(f"{name}: holds, {verdict.events} events. {verdict.note}".rstrip())
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
