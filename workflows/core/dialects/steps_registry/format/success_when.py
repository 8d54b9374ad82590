"""`successWhen`: the condition on a command's result under which its validator passes.

`empty`, `contains:text` and `matches:regex` are about standard output, `exitCode:N` about the exit
code. A validator of the type `file` passes if its command ends with 0.
"""

from __future__ import annotations

from typing import Any

from workflows.core.patterns import PatternError, javascript
from workflows.core.text.tolerant import as_str


def succeeded(validator: dict[str, Any], exit: int, stdout: str, *, silence_counts: bool) -> bool:
    """True if a result matches `successWhen`. An unknown condition counts as failed.

    The silence of a command that failed is no result: `git status` prints nothing outside a
    repository. Climpt ignores the exit code there and passes (`silence_counts`).
    """
    if validator.get("type") == "file":
        return exit == 0
    if is_silent_failure(validator, exit, stdout) and not silence_counts:
        return False
    kind, colon, rest = as_str(validator.get("successWhen")).partition(":")
    match kind:
        case "empty" if not colon:
            return not stdout.strip()
        case "exitCode":
            return rest.strip() == str(exit)
        case "contains" if colon:
            return rest in stdout
        case "matches" if colon:
            return matches(rest, stdout)
    return False


def is_silent_failure(validator: dict[str, Any], exit: int, stdout: str) -> bool:
    """True if the command failed without output, and `successWhen` is about its output."""
    kind = as_str(validator.get("successWhen")).partition(":")[0]
    return exit != 0 and not stdout.strip() and kind != "exitCode"


def passes_on_silence(validator: dict[str, Any]) -> bool:
    """True if a command that fails without output passes where silence counts."""
    return succeeded(validator, 1, "", silence_counts=True) and is_silent_failure(validator, 1, "")


def matches(pattern: str, text: str) -> bool:
    """Match a JavaScript pattern of the pack. A pattern that cannot be used does not match."""
    try:
        return javascript.search(pattern, text)
    except PatternError:
        return False


def semantic_pattern(word: str) -> str:
    """The pattern of a member of `semanticMatch` between slashes; "" for a plain word."""
    return word[1:-1] if len(word) > 2 and word[0] == word[-1] == "/" else ""
