"""The result of a run on the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from signalbox.commands.errors import UNREADABLE, Trouble

LONGEST = 2_000


def result_lines(result: Mapping[str, Any]) -> list[str]:
    """The result for people: end, answer, files, artifacts and totals."""
    totals = result["totals"]
    ends = ", ".join(result["ends"])
    lines = ["", f"Result: {result['status']}" + (f" in {ends}" if ends else "")]
    if result["answer"]:
        text = result["answer"]
        short = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        lines += [f"  {line}" for line in short.splitlines()]
    if result["artifacts"]:
        lines.append(f"Artifacts: {', '.join(one['name'] for one in result['artifacts'])}")
    if result["files"]:
        lines.append(f"Changed files: {', '.join(result['files'])}")
    tokens = totals["input_tokens"] + totals["output_tokens"]
    used = [
        f"{totals['visits']} state visits",
        f"{totals['model_calls']} model calls",
        *([f"{tokens:,} tokens"] if tokens else []),
        *([f"${totals['cost']:.4f}"] if totals["cost"] else []),
        f"{totals['seconds']:.1f} s",
    ]
    return [*lines, f"Totals: {', '.join(used)}"]


def write_result(path: str, result: Mapping[str, Any]) -> None:
    """Write the result as JSON. Raises Trouble if the file cannot be written."""
    try:
        text = json.dumps(result, ensure_ascii=False, indent=2)
        Path(path).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise Trouble(f"{path}: {error.strerror or error}", code=UNREADABLE) from error
