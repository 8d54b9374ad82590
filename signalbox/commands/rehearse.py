"""`signalbox rehearse`: many walks without a model."""

from __future__ import annotations

import argparse
import json

from signalbox.commands.errors import FAILED, OK, Trouble
from signalbox.commands.inputs import read_inputs
from signalbox.commands.packs import pack_at
from signalbox.commands.session_tools import session_tools
from workflows.core.engine.program import CannotRun
from workflows.core.engine.rehearsal.rehearse import Rehearsal, rehearse
from workflows.core.rules.kit import count_of
from workflows.run_context import in_context


def run(options: argparse.Namespace) -> int:
    """Exit 0 if every transition was taken and at least one run did not fail, 1 otherwise."""
    inputs = read_inputs(options.input, options.input_file)
    pack = pack_at(options.path)
    source, graph, profile = pack.graph(options.profile)
    try:
        tools = session_tools(pack.dialect, source)
        program = in_context(pack.dialect.program(source, profile), "", {}, tools)
    except CannotRun as cannot:
        raise Trouble(f"{pack.shown} cannot run: {cannot.message}", code=FAILED) from cannot
    seen = rehearse(program, graph, runs=options.runs, seed=options.seed, inputs=inputs)
    print(json.dumps(seen.to_json(), indent=2, ensure_ascii=False) if options.json else text(seen))
    return FAILED if seen.unreached or seen.failed else OK


def text(seen: Rehearsal) -> str:
    """For people: coverage, final statuses, and transitions that were never taken."""
    lines = [
        _summary(seen),
        "Ended: " + ", ".join(f"{word} {count}" for word, count in seen.outcomes.items()) + ".",
        *seen.notes,
    ]
    if seen.unreached:
        lines += ["Never taken:", *(f"  {id}" for id in seen.unreached)]
    if seen.shortest:
        lines.append("Shortest walk found to each:")
    for id, walk in seen.shortest.items():
        lines.append(f"  {id} ({len(walk)}): " + " → ".join(walk[-6:]))
    return "\n".join(lines)


def _summary(seen: Rehearsal) -> str:
    total = len(seen.transitions)
    taken = total - len(seen.unreached)
    runs = count_of(seen.runs, "run")
    if seen.failed:
        return f"Every run failed ({runs}, {taken} of {total} transitions taken)."
    if seen.coverage is None:
        return f"{runs}. The pack has no transitions to take."
    return f"{runs}, {taken} of {total} transitions taken ({seen.coverage:.0%})."
