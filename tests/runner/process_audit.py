"""Every operation on packs, in a process that audits the processes it would start.

Every sample and every n-th pack of the corpus is read, checked, drawn, rehearsed, converted and
run. n is the one argument: `python -m tests.runner.process_audit 1`. A JSON object goes to stdout:
how much was done, and which events of the interpreter's audit hook began a process or called
another machine.

The texts of this server's own roles are rendered in processes that the server starts for itself;
no pack can bring one, so no role is bound here. Packs are checked in such a process as well, which
is recognised by its command.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from contextlib import suppress
from typing import Any

from roles.processes.pool import BEGIN
from workflows.isolation.pack_processes import CHILD

STARTS = {
    "subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.spawn", "os.fork",
    "os.forkpty", "pty.spawn", "os.startfile",
}  # fmt: skip
CALLS = {"socket.connect", "socket.sendto", "socket.getaddrinfo"}
HERE = ("127.", "::1", "localhost")
LIMITED = [sys.executable, "-I", "-c", BEGIN.format(module=CHILD)]
"""The server's own process for work with limits, whose command no pack can change."""
heard: list[str] = []
done = {"packs": 0, "converted": 0, "runs": 0, "bound": 0, "tools": 0, "commands": 0, "yes": 0}
ran: set[str] = set()
BUDGET = {"total_visits": 12, "model_calls": 12, "tool_calls": 12}
MOST_TURNS = 25
"""Number of times a run is continued after an answer."""
TOUCH = ["touch", "was-here"]
BINDINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("command", {}),
    ("mcp", {"command": TOUCH}),
    ("command", {"command": TOUCH}),
)
"""Bindings that start a process: a shell line, an MCP server, a fixed command."""


def hear(event: str, arguments: tuple[Any, ...]) -> None:
    if event in STARTS:
        if event == "subprocess.Popen" and list(arguments[1][:4]) == LIMITED:
            return
        heard.append(f"{event} {arguments[:1]!r}")
    elif event in CALLS:
        told = arguments[0] if event == "socket.getaddrinfo" else arguments[1]
        host = told[0] if isinstance(told, tuple) else told
        if not isinstance(host, str) or not host.startswith(HERE):
            heard.append(f"{event} {host!r}")


def main(every: int) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "signalbox.settings"
    import django
    from django.conf import settings

    settings.DATABASES["default"]["OPTIONS"]["init_command"] = (
        "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;"
    )
    django.setup()
    from django.core.management import call_command

    from tests.support.packs import all_packs, samples
    from workflows.models import RunEvent
    from workflows.runner.tools import tools

    tools()
    call_command("migrate", verbosity=0)
    known, ours = all_packs(), len(list(samples()))
    sys.addaudithook(hear)
    began = time.process_time()
    for pack in (*known[:ours], *known[ours::every]):
        look_at(pack)
        run_all(pack)
    for what, type in (("tools", "tool.called"), ("commands", "command.asked")):
        done[what] = RunEvent.objects.filter(type=type).count()
    spent = round(time.process_time() - began, 1)
    print(json.dumps({"heard": heard, **done, "dialects": sorted(ran), "seconds": spent}))


def look_at(pack: Any) -> None:
    """Read, check, draw, rehearse and convert."""
    from workflows.core.convert.conversion import CannotConvert, convert, converts
    from workflows.core.dialects import dialects
    from workflows.core.engine.program import CannotRun
    from workflows.core.engine.rehearsal.rehearse import Limits, rehearse
    from workflows.core.rules.check import check

    dialect = dialects()[pack.dialect]
    source, profile = dialect.read(pack.files), dialect.profiles[0]
    graph = dialect.graph(source, profile)
    check(dialect, source, profile, graph)
    done["packs"] += 1
    if not source.readable:
        return
    dialect.outline(source)
    with suppress(CannotRun):
        program = dialect.program(source, profile)
        rehearse(program, graph, runs=2, limits=Limits(steps=60))
    for target in dialects().values():
        if converts(dialect, target):
            with suppress(CannotConvert):
                convert(dialect, source, profile, target)
                done["converted"] += 1


def run_all(known: Any) -> None:
    """Run every pack with its tools bound to kinds that start a process. The starter allows
    commands, the operator does not, and every question is approved."""
    from tests.support.people import operator
    from workflows.actions import packs, runs, tool_bindings
    from workflows.errors import CallerError
    from workflows.selectors.sources import view

    try:
        (pack,) = packs.import_files(known.files, owner=None).packs
    except (CallerError, ValueError):
        return
    tools = view(pack).drawn.tools
    for number, tool in enumerate(tools):
        kind, settings = BINDINGS[number % len(BINDINGS)]
        tool_bindings.bind(pack, tool.name, kind=kind, settings=settings, author=operator())
        done["bound"] += 1
    calls = [{"name": tool.name, "arguments": {"command": "touch x"}} for tool in tools[:5]]
    script = {"replies": [{"tool_calls": calls} if calls else {"text": "x"}], "repeat_last": True}
    for driver in ("rehearsal", "script"):
        options = {"budget": BUDGET, "commands": True, "script": script}
        try:
            row = runs.start(pack, driver=driver, options=options, owner=operator())
        except CallerError:
            continue
        done["runs"] += 1
        ran.add(pack.dialect)
        play(row)


def play(row: Any) -> None:
    """On one thread, as far as a person's yes leads."""
    from workflows.actions import runs
    from workflows.core.engine.effects import Wait
    from workflows.core.engine.fold import pending_effects
    from workflows.core.engine.signals import Approve, TimeUp
    from workflows.errors import SignalRefused
    from workflows.runner.effects import perform
    from workflows.runner.executor import RunCannotContinue

    for _ in range(MOST_TURNS):
        log = runs.work_of(row.pk)
        waiting = pending_effects(log.run)
        if log.run.finished or not waiting:
            return
        effect, now = waiting[0], time.time()
        if isinstance(effect, Wait):
            runs.deliver(row.pk, TimeUp(at=now, key=effect.key))
            continue
        try:
            said = asyncio.run(perform(log, effect))
        except RunCannotContinue:
            return
        if said is not None:
            runs.deliver(row.pk, said)
            continue
        try:
            runs.signal(row.pk, Approve(at=now, key=effect.key, approve=True))
        except SignalRefused:
            return
        done["yes"] += 1


if __name__ == "__main__":
    main(int(sys.argv[1]))
