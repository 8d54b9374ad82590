"""Comparison of two runs of one pack. Works without JavaScript."""

from __future__ import annotations

import uuid
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from workflows.errors import CallerError
from workflows.selectors import runs as read
from workflows.selectors.comparisons import compared, comparison_json, run_before
from workflows.views.run_rows import cost_text, duration_text

FEW = 4
"""Number of equal visits that are shown one by one; longer stretches are folded into a line."""

FIGURES = (
    ("events", "Events"),
    ("visits", "States entered"),
    ("seconds", "Duration"),
    ("model_calls", "Model calls"),
    ("tool_calls", "Tool calls"),
    ("input_tokens", "Tokens in"),
    ("output_tokens", "Tokens out"),
    ("cost", "Cost"),
)
FORMATS = {"seconds": duration_text, "cost": cost_text}


@require_GET
def compare(request: HttpRequest, run: uuid.UUID, other: uuid.UUID) -> HttpResponse:
    """Both runs in two columns, with the point of divergence."""
    left, right = read.run_named(run), read.run_named(other)
    comparison = comparison_json(compared(left, right), left, right)
    context = {
        "found": comparison,
        "pack": left.pack,
        "stretches": stretches(comparison["rows"]),
        "several": len({row["position"] for row in comparison["rows"]}) > 1,
        "figures": figures(comparison),
        "counts": [*comparison["states"], *map(_arrow, comparison["transitions"])],
        "sides": [{"name": side, **comparison[side]} for side in ("left", "right")],
    }
    return render(request, "compare.html", context)


@require_GET
def compare_chosen(request: HttpRequest) -> HttpResponse:
    """Two runs of the table (`?run=…&run=…`), the older one on the left."""
    try:
        chosen = [read.run_named(id) for id in request.GET.getlist("run")]
    except CallerError as missing:
        messages.error(request, missing.message)
        return redirect("runs")
    if len(chosen) != 2 or chosen[0].pack_id != chosen[1].pack_id:
        messages.error(request, "Choose two runs of one pack to compare them.")
        return redirect("runs")
    left, right = sorted(chosen, key=lambda run: run.created_at)
    return redirect("compare", left.pk, right.pk)


@require_GET
def compare_with_before(request: HttpRequest, run: uuid.UUID) -> HttpResponse:
    """Compare a run with the pack's previous one."""
    this = read.run_named(run)
    before = run_before(this)
    if before is None:
        messages.error(request, f"This is the first run of {this.pack.name}: none is before it.")
        return redirect(f"{reverse('runs')}?{urlencode({'pack': this.pack_id})}")
    return redirect("compare", before.pk, this.pk)


def stretches(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows in order, with long equal stretches folded."""
    result = []
    for even, group in groupby(rows, key=lambda row: row["how"] == "same" and not row["departs"]):
        part = list(group)
        result.append({"rows": part, "folded": even and len(part) > FEW})
    return result


def figures(comparison: dict[str, Any]) -> list[dict[str, Any]]:
    """Title, both values, and the difference; without those that neither run has."""
    lines = []
    for name, title in FIGURES:
        left, right = comparison["left"][name], comparison["right"][name]
        apart = round(right - left, 6)
        text = FORMATS.get(name, "{:,}".format)
        more = f"+{text(apart)}" if apart > 0 else f"−{text(-apart)}"
        if left or right:
            shown = {"left": text(left), "right": text(right), "apart": more if apart else ""}
            lines.append({"title": title, **shown})
    return lines


def _arrow(count: dict[str, Any]) -> dict[str, Any]:
    """A transition's id (`source|label|target`) as text."""
    source, _, rest = count["id"].partition("|")
    label, _, target = rest.rpartition("|")
    return {**count, "id": " ".join(filter(None, (source, label and f"· {label}", f"→ {target}")))}
