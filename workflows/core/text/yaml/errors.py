"""Errors of YAML texts, and reasons why an edit of one is refused."""

from __future__ import annotations

import re

from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.reader import ReaderError

_BREAK = re.compile(r"\r\n|\n|\r")
_HARD_SPACE = re.compile(r"^[ \t]*[\u00a0\u202f\u3000]", re.MULTILINE)


class YamlTextError(Exception):
    """Not YAML that can be read, or an edit that cannot be written without harm.

    `line` and `column` count from 1, `offset` is in bytes, `hint` is the next step or empty.
    """

    def __init__(
        self, message: str, *, line: int, column: int, offset: int, hint: str = ""
    ) -> None:
        super().__init__(f"{message} (line {line}, column {column})")
        self.message = message
        self.line = line
        self.column = column
        self.offset = offset
        self.hint = hint


def at_text(
    message: str, skipped: int, text: str, position: int, *, hint: str = ""
) -> YamlTextError:
    """An error at a character of `text`, which begins `skipped` bytes into the file."""
    before = text[:position]
    line_starts = [0, *(match.end() for match in _BREAK.finditer(before))]
    return YamlTextError(
        message,
        line=len(line_starts),
        column=len(before) - line_starts[-1] + 1,
        offset=skipped + len(before.encode("utf-8")),
        hint=hint,
    )


_OPEN = "This list or mapping is not closed, or a comma is missing."


def explained(error: Exception, skipped: int, text: str) -> YamlTextError:
    """The error of the reader, reworded with its place."""
    if isinstance(error, ReaderError):
        code = error.character if isinstance(error.character, int) else ord(error.character)
        message = f"The character U+{code:04X} is not allowed in YAML."
        return at_text(message, skipped, text, text.find(chr(code)), hint="Remove it.")
    if hard := _HARD_SPACE.search(text):
        message = "This line is indented with no-break spaces, which YAML does not count."
        return at_text(message, skipped, text, hard.start(), hint="Use ordinary spaces.")
    if isinstance(error, MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        problem, hint = _plain(" ".join(str(error.problem or error.context or "").split()))
        if error.context_mark and problem == _OPEN:
            mark = error.context_mark
        return at_text(problem, skipped, text, mark.index if mark else 0, hint=hint)
    return at_text("This is not YAML that can be read.", skipped, text, 0)


def _plain(problem: str) -> tuple[str, str]:
    if "'\\t'" in problem or "tab" in problem:
        return "A tab is used where only spaces are allowed.", "Use spaces."
    if problem.startswith("mapping values are not allowed"):
        return (
            "Found a second ':' where a value is expected.",
            "Quote the value, or indent the line under its key.",
        )
    if problem.startswith("could not find expected ':'"):
        return "A ':' is missing after the key.", "Write 'key: value'."
    if problem.startswith(("expected <block end>", "did not find expected <block end>")):
        return (
            "The indentation does not fit the lines above.",
            "Begin the lines of one block in the same column.",
        )
    if "found unexpected end of stream" in problem:
        return "A quoted text is never closed.", "Add the closing quote."
    if problem.startswith("expected ',' or"):
        return _OPEN, "Write ']' or '}' at its end."
    return (problem[:1].upper() + problem[1:]).rstrip(".") + ".", ""
