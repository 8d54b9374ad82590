"""Levels of isolation: which ones this machine has, and which one is in force.

A level counts only if a command that ran in it could not read a file that it must not read.
"""

from __future__ import annotations

import secrets
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from workflows.runner.isolation import command_line
from workflows.runner.isolation.options import CommandOptions, command_options
from workflows.runner.isolation.view import command_view

Level: TypeAlias = Literal["bubblewrap", "namespaces", "landlock", "none"]
LEVELS: tuple[Level, ...] = ("bubblewrap", "namespaces", "landlock")
"""From the best to the least."""
NONE: Level = "none"
PROBE_SECONDS = 20.0
DESCRIPTIONS: dict[Level, str] = {
    "bubblewrap": "bubblewrap: own files, processes and devices",
    "namespaces": "namespaces of the kernel: own files, processes and devices",
    "landlock": "Landlock: files and signals are restricted, other processes are listed",
    "none": "no isolation: commands can read what the server can read",
}


class NoIsolation(Exception):
    """Commands are not isolated as required. `hint`: the next step."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def level_in_force() -> Level:
    """The level that the operator named, or else the best one here. Raises NoIsolation."""
    named = command_options().isolation
    if not named:
        best = best_level()
        if best is None:
            raise NoIsolation(
                "Commands cannot be isolated on this machine: it has no bubblewrap, no "
                "unprivileged namespaces and no Landlock.",
                "Install bubblewrap, or accept commands without isolation with "
                "SIGNALBOX_ISOLATION=none.",
            )
        return best
    if named not in (*LEVELS, NONE):
        raise NoIsolation(
            f"SIGNALBOX_ISOLATION is {named!r}, which is not a level of isolation.",
            f"Use one of {', '.join((*LEVELS, NONE))}, or leave it out.",
        )
    level: Level = named
    if level != NONE and not is_available(level):
        raise NoIsolation(
            f"SIGNALBOX_ISOLATION is {named!r}, which does not work on this machine.",
            "Leave it out to use the best level that works.",
        )
    return level


def isolation_in_words() -> str:
    """The level in force, or the reason why there is none, for pages and the terminal."""
    try:
        return DESCRIPTIONS[level_in_force()]
    except NoIsolation as none:
        return none.message


def best_level() -> Level | None:
    """The best level that works here; None without one. The first call takes a moment."""
    return next((level for level in LEVELS if is_available(level)), None)


@cache
def is_available(level: Level) -> bool:
    """Return True if a command in this level ran, and could not read a hidden file."""
    if not sys.platform.startswith("linux"):
        return False
    if level == "bubblewrap" and shutil.which("bwrap", path=command_line.PATH) is None:
        return False
    with tempfile.TemporaryDirectory(prefix="signalbox-probe-") as folder:
        room, secret = Path(folder, "room"), Path(folder, "secret")
        room.mkdir()
        secret.write_text("hidden")
        canary = f"signalbox-{secrets.token_hex(8)}"
        neighbour = subprocess.Popen(
            ("sleep", "60"), env={"PATH": command_line.PATH, "CANARY": canary}
        )
        try:
            return _runs(level, room, secret, canary)
        finally:
            neighbour.kill()
            neighbour.wait()


def _runs(level: Level, room: Path, secret: Path, canary: str) -> bool:
    options = command_options()
    hidden = CommandOptions(
        isolation=level,
        data=secret.parent,
        repositories=(),
        paths=(),
        limits=options.limits,
        memory_of_all=options.memory_of_all,
    )
    # Reading the file or the environment of a process must fail; writing to the folder must not.
    script = f'! cat "{secret}" && ! grep -qs {canary} /proc/[0-9]*/environ && echo yes > done'
    start = command_line.prepare(
        ("sh", "-c", script),
        level=level,
        folder=room,
        environment={"PATH": command_line.PATH},
        view=command_view(hidden, writable=(room,), readable=()),
        limits=options.limits,
    )
    with start:
        try:
            done = subprocess.run(
                start.command,
                env=start.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=start.pass_fds,
                timeout=PROBE_SECONDS,
                check=False,
                start_new_session=True,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
    return done.returncode == 0 and (room / "done").exists()
