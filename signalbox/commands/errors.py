"""Errors of the command line, and the exit codes."""

from __future__ import annotations

OK = 0
FINDINGS = 1
REFUSED = 1
FAILED = 1
CONFLICT = 1
UNREADABLE = 2
BUDGET_EXHAUSTED = 3
WAITING = 4
MISTAKE = 70
"""An internal error: what `sysexits.h` calls an internal software error."""


class Trouble(Exception):
    """An error message, and its exit code."""

    def __init__(self, message: str, *, hint: str = "", code: int = UNREADABLE) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code
