"""Texts of the list of runs: durations, tokens, costs, and links that sort."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

COLUMNS = (
    ("pack", "Pack"),
    ("status", "Status"),
    ("end", "End"),
    ("reason", "Result"),
    ("driver", "Driver"),
    ("events", "Events"),
    ("duration", "Duration"),
    ("tokens", "Tokens"),
    ("cost", "Cost"),
    ("", "By"),
    ("started", "Started"),
)
"""Columns: name to sort by, "" for none; and title."""
SHOWN_LEVELS = 4
"""Levels of a JSON answer that a line lists."""
NUMBERS = ("events", "duration", "tokens", "cost")


def columns(filters: Mapping[str, str]) -> list[dict[str, str]]:
    """The heads of the table, with the query that sorts by each."""
    current = filters.get("sort") or "-started"
    heads = []
    for name, title in COLUMNS:
        down = f"-{name}"
        other = name if current == down else down
        heads.append(
            {
                "title": title,
                "query": urlencode({**filters, "sort": other}) if name else "",
                "order": _order(current, name),
                "number": "number" if name in NUMBERS else "",
            }
        )
    return heads


def _order(current: str, name: str) -> str:
    if not name or current.removeprefix("-") != name:
        return ""
    return "descending" if current.startswith("-") else "ascending"


def run_row(row: Mapping[str, Any]) -> dict[str, str]:
    """Texts of one run."""
    seconds, waited = row["seconds"], row["waited_seconds"]
    tokens = row["input_tokens"] + row["output_tokens"]
    failed = row["status"] not in ("completed", "running")
    return {
        "took": "" if seconds is None else duration_text(max(0.0, seconds - waited)),
        "waited": duration_text(waited) if waited >= 1 else "",
        "tokens": f"{tokens:,}" if tokens else "",
        "tokens_title": f"{row['input_tokens']:,} in, {row['output_tokens']:,} out",
        "cost_text": cost_text(row["cost"]) if row["cost"] else "",
        "result": (row["reason"] if failed else "") or answer_line(row["answer"]) or row["reason"],
    }


def answer_line(answer: str) -> str:
    """An answer for one line. The fields of a JSON value are listed by name, as in the result line
    of a run's page: `decision: approve · notes: short`."""
    try:
        value = json.loads(answer) if answer[:1] in ("{", "[") else None
    except (ValueError, RecursionError):
        value = None
    return answer if value is None else _fields_text(value, SHOWN_LEVELS)


def _fields_text(value: Any, depth: int) -> str:
    match value:
        case None:
            return "–"
        case bool():
            return str(value).lower()
        case dict() | list() if depth == 0:
            return "…"
        case dict():
            fields = ((name, _fields_text(field, depth - 1)) for name, field in value.items())
            return " · ".join(f"{name}: {text}" for name, text in fields)
        case list():
            return ", ".join(_fields_text(item, depth - 1) for item in value)
    return str(value)


def duration_text(seconds: float) -> str:
    """A duration as `40 ms`, `3.2 s`, `3 min 5 s` or `2 h 10 min`, as the canvas shows it."""
    milliseconds = round(max(0.0, seconds) * 1000)
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    if milliseconds < 59_950:
        return f"{seconds:.1f} s"
    minutes, left = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {left} s"
    return f"{minutes // 60} h {minutes % 60} min"


def cost_text(cost: float) -> str:
    """A cost in USD, with as many decimals as small amounts need."""
    if not cost:
        return "$0"
    # Half of the last digit is rounded up, however the sum of its parts was rounded.
    return f"${cost + 1e-9:,.{2 if cost >= 1 else 3 if cost >= 0.01 else 5}f}"


def sums_text(sums: Mapping[str, Any]) -> str:
    """One line about all runs of a list, as `42 runs · 120,000 tokens · $1.24`."""
    count = sums["runs"]
    tokens = sums["input_tokens"] + sums["output_tokens"]
    counted = "1 run" if count == 1 else f"{count:,} runs"
    if trials := sums["trials"]:
        counted += " and 1 trial" if trials == 1 else f" and {trials:,} trials"
    parts = [counted, f"{tokens:,} tokens"]
    return " · ".join([*parts, cost_text(sums["cost"])])


def cost_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of the table of costs."""
    return [
        {
            **row,
            "name": row["name"] or "nobody",
            "tokens": f"{row['input_tokens'] + row['output_tokens']:,}",
            "cost": cost_text(row["cost"]),
        }
        for row in rows
    ]
