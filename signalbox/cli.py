"""The `signalbox` command: its subcommands, and the exit codes of failures.

Works on files without a database, so that it fits CI and a pre-commit hook. Each subcommand is a
module of `signalbox.commands`, imported on use.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from signalbox.arguments import parser
from signalbox.commands.errors import MISTAKE, UNREADABLE, trouble_of
from signalbox.escaped_text import escaped_stream
from workflows.installation import missing_library


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code; errors are printed on standard error."""
    before = sys.stdout, sys.stderr
    try:
        return _main(argv)
    finally:
        sys.stdout, sys.stderr = before


def _main(argv: Sequence[str] | None) -> int:
    options = parser().parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    for_programs = getattr(options, "json", False) or getattr(options, "format", "text") != "text"
    if for_programs and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # In every locale.
    sys.stdout, sys.stderr = escaped_stream(sys.stdout), escaped_stream(sys.stderr)
    try:
        code: int = import_module(f"signalbox.commands.{options.module}").run(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREADABLE
    except KeyboardInterrupt:
        return _say("Stopped.", code=130)
    except Exception as bug:
        if trouble := trouble_of(bug):
            return _say(trouble.message, trouble.hint, trouble.code)
        if os.environ.get("SIGNALBOX_TRACEBACK"):
            raise
        if missing := missing_library(bug):
            return _say(f"signalbox {options.command} needs a library: {missing}")
        return _say(
            f"Internal error: {type(bug).__name__}: {bug}",
            "Please report it. SIGNALBOX_TRACEBACK=1 prints the traceback.",
            MISTAKE,
        )


def _say(message: str, hint: str = "", code: int = UNREADABLE) -> int:
    sys.stdout.flush()
    print(f"signalbox: {message}", file=sys.stderr)
    if hint:
        print(f"  {hint}", file=sys.stderr)
    return code
