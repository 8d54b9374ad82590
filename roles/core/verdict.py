"""Verdict of a gate: from its tool, from JSON, from its first marker, or none.

Section 5.2, in this order. Without a clear verdict the question is repeated once, and then the gate
fails: a gate never passes by default.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Outcome = Literal["pass", "fail", "inconclusive"]
Decided = Literal["tool", "json", "marker", "none"]
ATTEMPTS = 2
"""Number of questions to a gate before a missing verdict is a fail."""
LOOKED_AT = 200
"""Number of braces of an answer that are tried as the start of a JSON object."""

TOOL: Mapping[str, Any] = {
    "name": "gate_verdict",
    "description": "Report whether the work passes this gate.",
    "parameters": {
        "type": "object",
        "properties": {
            "verdict": {"type": "string", "enum": ["pass", "fail"]},
            "reasoning": {"type": "string"},
        },
        "required": ["verdict", "reasoning"],
    },
}

_WORD = r"[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*"
_MARKER = re.compile(r"\s*(?P<word>[A-Z][A-Z0-9_]+(?:-[A-Z0-9_]+)*)(?!-?[A-Za-z0-9_])")
_FIRST = re.compile(rf"[ \t*_`#>]*(?P<word>{_WORD})")
"""The first word of a line, after Markdown markup."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    verdict: Outcome
    decided_by: Decided
    reasoning: str = ""


Next = Literal["pass", "fail", "retry"]


def read_verdict(
    text: str, output_templates: Mapping[str, str], tool: Mapping[str, Any] | str | None = None
) -> Verdict:
    """The verdict in the answer `text`; `tool` is the arguments of the verdict tool's call, or its
    verdict alone, if the model called it."""
    called = tool if isinstance(tool, Mapping) else {"verdict": tool}
    verdict = _passes(called.get("verdict"))
    if verdict:
        reasoning = called.get("reasoning")
        return Verdict(
            verdict=verdict,
            decided_by="tool",
            reasoning=reasoning if isinstance(reasoning, str) else "",
        )
    verdicts = list(_in_json(text))
    if verdicts and len({one.verdict for one in verdicts}) == 1:
        return verdicts[-1]
    if verdicts:
        return Verdict(verdict="inconclusive", decided_by="none")
    return _by_marker(text, output_templates)


def follow(verdict: Verdict, attempt: int) -> Next:
    """The next action; `attempt` counts from 1. Raises nothing and never passes by default."""
    if verdict.verdict != "inconclusive":
        return verdict.verdict
    return "retry" if attempt < ATTEMPTS else "fail"


def markers(output_templates: Mapping[str, str]) -> tuple[str, str] | None:
    """The upper-case words that a pass and a fail begin with; None if they do not differ."""
    passing = _MARKER.match(output_templates.get("gate_pass", ""))
    failing = _MARKER.match(output_templates.get("gate_fail", ""))
    if not passing or not failing or passing["word"] == failing["word"]:
        return None
    return passing["word"], failing["word"]


def _by_marker(text: str, output_templates: Mapping[str, str]) -> Verdict:
    words = markers(output_templates)
    line = next((line for line in text.splitlines() if line.strip()), "")
    first = _FIRST.match(line.lstrip())
    if words and first and first["word"] in words:
        verdict: Outcome = "pass" if first["word"] == words[0] else "fail"
        return Verdict(verdict=verdict, decided_by="marker")
    return Verdict(verdict="inconclusive", decided_by="none")


def _in_json(text: str) -> Iterator[Verdict]:
    """Every object in the text that has a verdict of pass or fail."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    for _ in range(LOOKED_AT):
        if at < 0:
            return
        end = at + 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            value = None
        verdict = _passes(value.get("verdict")) if isinstance(value, dict) else None
        if verdict:
            reasoning = value.get("reasoning")
            yield Verdict(
                verdict=verdict,
                decided_by="json",
                reasoning=reasoning if isinstance(reasoning, str) else "",
            )
        at = text.find("{", end)


def _passes(value: Any) -> Literal["pass", "fail"] | None:
    word = value.strip().casefold() if isinstance(value, str) else ""
    return "pass" if word == "pass" else "fail" if word == "fail" else None
