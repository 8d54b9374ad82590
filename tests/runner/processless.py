"""Everything there is to do with packs, in a process that counts the processes it starts.

Its arguments are folders of packs. A JSON object goes to stdout: how much was done, and which
events of the interpreter's audit hook began a process.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

STARTS = {
    "subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.spawn", "os.fork",
    "os.forkpty", "pty.spawn", "os.startfile",
}  # fmt: skip
started: list[str] = []
done = {"packs": 0, "runs": 0, "bound": 0, "tools": 0, "commands": 0}
STEPS = {"total_visits": 25, "model_calls": 25}


def hear(event: str, arguments: tuple[Any, ...]) -> None:
    if event in STARTS:
        started.append(f"{event} {arguments[:1]!r}")


def main(folders: list[str]) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "signalbox.settings"
    import django

    django.setup()
    from django.core.management import call_command

    from workflows.runner.tools import tools

    tools()
    call_command("migrate", verbosity=0)
    sys.addaudithook(hear)
    packs = list(taken_in(folders))
    for pack in packs:
        look_at(pack)
    asyncio.run(run_all(packs))
    print(json.dumps({"started": started, **done}))


def taken_in(folders: list[str]) -> Any:
    """The samples, and every pack below the folders."""
    from workflows.actions import packs
    from workflows.core.dialects import dialects
    from workflows.core.files import BadFiles, Files
    from workflows.errors import CallerError

    trees = [dict(files) for one in dialects().values() for files in one.samples().values()]
    trees += [tree for folder in folders for tree in trees_below(Path(folder))]
    for tree in trees:
        try:
            yield from packs.import_files(Files.of(tree), owner=None).packs
        except (CallerError, BadFiles):
            continue


def trees_below(root: Path) -> list[dict[str, bytes]]:
    """Each folder with files of its own, as one tree."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(one for one in folders if one != ".git")
        files = [Path(folder, name) for name in sorted(names)]
        tree = {path.name: path.read_bytes() for path in files if path.stat().st_size < 400_000}
        if tree:
            found.append(tree)
    return found


def look_at(pack: Any) -> None:
    """Read, check, draw and rehearse it, and bind its tools to what would start a process."""
    from workflows.actions import bindings
    from workflows.core.engine.program import CannotRun
    from workflows.errors import CallerError
    from workflows.selectors.rehearsals import rehearsed
    from workflows.selectors.sources import view

    done["packs"] += 1
    seen = view(pack)
    assert seen.findings is not None
    assert seen.graph is not None
    with suppress(CannotRun, CallerError):
        rehearsed(pack, runs=2, seed=1)
    for number, tool in enumerate(seen.tools):
        kind = ("command", "mcp", "command")[number % 3]
        touch = ["touch", "was-here"]
        settings = {"command": touch} if number % 3 else {}
        bindings.bind(pack, tool.name, kind=kind, settings=settings)
        done["bound"] += 1


async def run_all(packs: list[Any]) -> None:
    """With every driver that needs no model. The starter allows commands, the operator does not."""
    from asgiref.sync import sync_to_async

    from workflows.runner.worker import Worker

    worker = Worker()
    await worker.start()
    for pack in packs:
        await sync_to_async(begin)(pack)
    await worker.run_until_idle()
    await worker.stop()
    await sync_to_async(count)()


def begin(pack: Any) -> None:
    from workflows.actions import runs
    from workflows.core.dialects import dialects
    from workflows.errors import CallerError
    from workflows.selectors.sources import view

    assert pack.dialect in dialects()
    calls = [{"name": tool.name, "arguments": {"command": "touch x"}} for tool in view(pack).tools]
    script = {"replies": [{"tool_calls": calls[:5]} if calls else {"text": "x"}],
              "answers": [{"approve": True}], "repeat_last": True}  # fmt: skip
    for driver in ("rehearsal", "script", "manual"):
        options = {"budget": STEPS, "commands": True, "script": script}
        try:
            runs.start(pack, driver=driver, options=options)
        except CallerError:
            continue
        done["runs"] += 1


def count() -> None:
    from workflows.models import RunEvent

    done["tools"] = RunEvent.objects.filter(type="tool.called").count()
    done["commands"] = RunEvent.objects.filter(type="command.asked").count()


if __name__ == "__main__":
    main(sys.argv[1:])
