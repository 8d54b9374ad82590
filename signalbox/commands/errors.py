"""Errors of the command line, and the exit codes."""

from __future__ import annotations

from workflows.core.pack.edits import BadEdit, EditRefused
from workflows.core.pack.files import BadFiles
from workflows.core.text.json.errors import JsonTextError

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


def trouble_of(error: Exception) -> Trouble | None:
    """The message for an error of the caller or of files; None for a bug."""
    match error:
        case Trouble():
            return error
        case BadFiles():
            return Trouble(_at(error.where, error.message), hint=error.hint)
        case EditRefused():
            message = f"Refused. {_at(error.where, error.message)}"
            return Trouble(message, hint=error.hint, code=REFUSED)
        case BadEdit():
            return Trouble(_at(error.where, error.message))
        case JsonTextError():
            return Trouble(f"line {error.line}, column {error.column}: {error.message}")
        case UnicodeDecodeError():
            byte = f"byte {error.start} is {error.object[error.start]:#04x}"
            return Trouble(f"This is not UTF-8 text: {byte}.")
        case OSError():
            return Trouble(_at(error.filename or "", f"{error.strerror or error}."))
        case _:
            return None


def _at(where: object, message: str) -> str:
    return f"{where}: {message}" if where else message
