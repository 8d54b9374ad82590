"""Texts of runs, for the pages that show them. The canvas shows the same."""

from __future__ import annotations

import re

from django import template

register = template.Library()

_LIMIT = re.compile(r"\bmax_(\w+) ([\d.e+]+) reached limit ([\d.e+]+)")
_LIMITS = {
    "total_visits": ("{}", "visits"),
    "tool_calls": ("{}", "tool calls"),
    "model_calls": ("{}", "model calls"),
    "tokens": ("{}", "tokens"),
    "wall_time_sec": ("{} s", ""),
    "cost": ("${}", ""),
}
"""Name of a limit → how an amount is shown, and the noun after the amount that was used."""


@register.filter
def status_text(status: str) -> str:
    """The status of a run as a badge shows it."""
    return "out of budget" if status == "budget_exhausted" else status


@register.filter
def reason_text(reason: str) -> str:
    """Rewrite a reached limit in a reason: PromptPack fixes the wording
    `max_model_calls 3 reached limit 3`, shown as `3 model calls; the limit is 3`."""

    def shown(match: re.Match[str]) -> str:
        name, used, most = match.groups()
        if name not in _LIMITS:
            return match[0]
        amount, noun = _LIMITS[name]
        return f"{f'{amount.format(used)} {noun}'.strip()}; the limit is {amount.format(most)}"

    return _LIMIT.sub(shown, reason)
