"""Conversion of placeholders in stage bodies to neutral ones, and back (stages.md section 4)."""

from __future__ import annotations

from collections.abc import Callable

from workflows.core.convert.neutral import Ref, Text, joined, word
from workflows.core.dialects.stages.format.templates import Placeholder, placeholders


def read_text(body: str, of: Callable[[Placeholder], Ref | None]) -> Text:
    """The body in pieces. `of` converts a placeholder; None leaves it as text."""
    pieces: list[str | Ref] = []
    cursor = 0
    for placeholder in placeholders(body):
        ref = of(placeholder)
        if ref is not None:
            pieces += [body[cursor : placeholder.span[0]], ref]
            cursor = placeholder.span[1]
    return joined((*pieces, body[cursor:]))


def write_text(text: Text) -> str:
    """The text as a body."""
    return "".join(piece if isinstance(piece, str) else _placeholder(piece) for piece in text)


def _placeholder(ref: Ref) -> str:
    match ref.kind:
        case "input" | "slot":
            return "{{ctx." + word(ref.name) + "}}"
        case "came":
            path = f".{ref.name}" if ref.name else ""
            return "{{ctx.upstream[0].parsed" + path + "}}"
        case "state":
            return "{{stage." + ref.name + "}}"
        case "run" if ref.name in ("workflowRunId", "stageExecutionId"):
            return "{{ctx." + ref.name + "}}"
    return f"({ref.name})"


def path_of(steps: tuple[str | int, ...]) -> str:
    """The steps of a placeholder as a dotted path: `files[0].name`."""
    path = ""
    for step in steps:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            path += f".{step}" if path else step
    return path
