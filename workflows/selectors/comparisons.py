"""Comparison of two runs of one pack, for the API and the page."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from workflows.core.engine.replay.compare_runs import ComparedRun, Comparison, VisitPair, compare
from workflows.core.engine.visits import Visit, VisitAnswer
from workflows.errors import BadRequest
from workflows.models import Run
from workflows.selectors.runs import log, run_json

LONGEST = 4000
"""Maximum number of characters shown of an answer or value; the rest is in the run's log."""


def compared(left: Run, right: Run) -> Comparison:
    """Compare two runs. Raises BadRequest for runs of different packs."""
    if left.pack_id != right.pack_id:
        raise BadRequest(
            f"These runs belong to two packs, {left.pack.name} and {right.pack.name}.",
            hint="Compare two runs of one pack.",
            where="other",
        )
    return compare(log(left), log(right))


def run_before(run: Run) -> Run | None:
    """The pack's run that was started before this one."""
    earlier = Run.objects.filter(pack=run.pack_id, created_at__lt=run.created_at)
    return earlier.order_by("-created_at", "pk").first()


def comparison_json(comparison: Comparison, left: Run, right: Run) -> dict[str, Any]:
    """The whole comparison. `shared`: number of events that the newer run copied from the run it
    was forked from."""
    kept = comparison.left.kept, comparison.right.kept
    return {
        "left": {"run": run_json(left), **_figures(comparison.left)},
        "right": {"run": run_json(right), **_figures(comparison.right)},
        "same": comparison.same,
        "shared": _shared(left, right),
        "agree": comparison.agree,
        "departure": asdict(comparison.divergence) if comparison.divergence else None,
        "rows": [_row(row, comparison.diverges(row)) for row in comparison.rows],
        "states": _counts(comparison.states),
        "transitions": _counts(comparison.transitions),
        "artifacts": [
            {
                "name": name,
                **{
                    side: _kept(*values[name]) if name in values else None
                    for side, values in zip(("left", "right"), kept, strict=True)
                },
            }
            for name in comparison.artifacts
        ],
    }


def _figures(side: ComparedRun) -> dict[str, Any]:
    run = side.run
    return {
        "events": side.events,
        "seconds": round(side.seconds, 3),
        "visits": side.visits,
        "transitions": run.transitions,
        "model_calls": run.model_calls,
        "tool_calls": run.tool_calls,
        "input_tokens": run.input_tokens,
        "output_tokens": run.output_tokens,
        "cost": run.cost,
    }


def _shared(left: Run, right: Run) -> int:
    for one, other in ((left, right), (right, left)):
        origin = one.options.get("forked_from") or {}
        if origin.get("run") == str(other.pk):
            return int(origin["at"])
    return 0


def _row(row: VisitPair, departs: bool) -> dict[str, Any]:
    stay = row.visit
    return {
        "position": stay.position,
        "state": stay.state,
        "visit": stay.visit,
        "how": row.how,
        "departs": departs,
        "reworded": row.reworded,
        "left": _stay(row.left),
        "right": _stay(row.right),
        "answers": [{"left": _answer(was), "right": _answer(now)} for was, now in row.answers],
    }


def _stay(stay: Visit | None) -> dict[str, Any] | None:
    if stay is None:
        return None
    arrow = None
    if taken := stay.exit:
        arrow = {"transition": taken.to, "label": taken.label, "target": taken.target}
    return {"n": stay.n, "until": stay.until, "arrow": arrow}


def _answer(answer: VisitAnswer | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    lines = [f"{name}: {_as_text(value)}" for name, value in answer.what.items()]
    return {"n": answer.n, "type": answer.type, "text": _cut("\n".join(lines))}


def _kept(value: Any, n: int) -> dict[str, Any]:
    return {"n": n, "text": _cut(_as_text(value))}


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _counts(counts: dict[str, tuple[int, int]]) -> list[dict[str, Any]]:
    return [{"id": id, "left": left, "right": right} for id, (left, right) in counts.items()]
