"""Milliseconds until the server has the consequences of proposed edits.

A pack of 200 states with 100 recorded runs of it, in a database of its own. The edits are at states
near the entry, through which every run goes, and the work runs in the processes for packs. The
rehearsal before the edits is kept with the revision, so only the first proposal makes it.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from typing import Any

from bench._rows import Row, print_rows

STATES, RUNS, ROUNDS = 200, 100, 5
ONE = [{"type": "set_field", "element": "state:s3", "field": "/description", "value": "A note."}]
TEN = [
    {"type": "connect", "source": f"s{n}", "target": f"s{n + 9}", "label": "More"}
    for n in range(1, 20, 2)
]


def main() -> None:
    with tempfile.TemporaryDirectory() as data:
        os.environ |= {"SIGNALBOX_DATA": data, "SIGNALBOX_DATABASE": ""}
        os.environ["DJANGO_SETTINGS_MODULE"] = "signalbox.settings"
        from signalbox.database import prepare

        prepare("serve")
        print_rows(_rows())


def _rows() -> list[Row]:
    from django.contrib.auth.models import User

    from workflows.actions import packs, proposals
    from workflows.core.engine.rehearsal.rehearse import rehearse
    from workflows.core.pack.edits import edits_from_json
    from workflows.models import Run, RunEvent
    from workflows.selectors.sources import opened, view

    user = User.objects.create_user("ada")
    pack = packs.import_files({"large.pack.json": _pack()}, owner=user).packs[0]
    here = view(pack)
    program = here.dialect.program(opened(pack).source, pack.profile)
    for seed in range(RUNS):
        log = rehearse(program, here.graph, runs=1, seed=seed, keep=1).log
        run = Run.objects.create(pack=pack, revision=1, status="completed", owner=user)
        RunEvent.objects.bulk_create(
            RunEvent(run=run, n=one.n, at=one.at, type=one.type, fields=one.fields) for one in log
        )

    def median(body: list[dict[str, Any]], rehearsed: bool) -> float:
        edits, times = edits_from_json(body), []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            proposals.proposed(pack.pk, 1, edits, user, rehearse=rehearsed)
            times.append((time.perf_counter() - began) * 1000)
        return statistics.median(times)

    return [
        Row(name="one edit, without coverage", value=median(ONE, False), unit="ms", goal=200),
        Row(name="one edit", value=median(ONE, True), unit="ms"),
        Row(name="ten edits", value=median(TEN, True), unit="ms", goal=1_000),
    ]


def _pack() -> bytes:
    """A workflow whose paths part and meet at the end."""
    last = STATES - 1
    prompt = {"id": "work", "name": "Work", "version": "1.0.0", "system_template": "Do the work."}
    states: dict[str, Any] = {
        f"s{n}": {
            "prompt_task": "work",
            "on_event": {"Next": f"s{min(2 * n + 1, last)}", "Skip": f"s{min(2 * n + 2, last)}"},
        }
        for n in range(last)
    }
    states[f"s{last}"] = {"prompt_task": "work", "terminal": True}
    body = {
        "id": "large", "name": "Large", "version": "1.0.0",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "prompts": {"work": prompt},
        "workflow": {"version": 1, "entry": "s0", "states": states},
    }  # fmt: skip
    return json.dumps(body, indent=2).encode()


if __name__ == "__main__":
    main()
