"""Git on the files that a run left, in the isolation of the run's commands."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workflows.errors import RepositoryRefused
from workflows.runner import sandbox
from workflows.runner.isolation.levels import NoIsolation, level_in_force
from workflows.runner.isolation.options import command_options
from workflows.runner.sandbox import CommandFiles


def run_confined(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    writable: Sequence[Path],
    readable: Sequence[Path],
    timeout: float,
) -> None:
    """Run a command that sees these paths only. Blocks. Raises RepositoryRefused if it fails."""
    if _has_no_isolation():
        code, errors = _plain(command, folder, environment, timeout)
    else:
        work = sandbox.run(
            command,
            folder=folder,
            timeout=timeout,
            extra=environment,
            files=CommandFiles(writable=tuple(writable), readable=tuple(readable)),
        )
        # This thread may have an event loop of its own.
        with ThreadPoolExecutor(1) as threads:
            result = threads.submit(asyncio.run, work).result()
        code, errors = result.exit, result.stderr
    if code:
        lines = errors.strip().splitlines() or [f"exit {code}"]
        raise RepositoryRefused(f"Git failed: {lines[0][:300]}", where="workspace")


def _has_no_isolation() -> bool:
    """True on a machine that has no isolation. A server runs no command there, so only tools wrote
    the files, and none of them writes what git reads as its configuration. The command line runs
    commands there as its user, without limits."""
    try:
        level_in_force()
    except NoIsolation:
        return not command_options().isolation
    return False


def _plain(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float
) -> tuple[int, str]:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={"PATH": sandbox.PATH, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return sandbox.NOT_FOUND, str(error)
    return done.returncode, done.stderr.decode(errors="replace")
