"""Results of evaluations as OpenTelemetry's conventions for generative AI have them: the checks of
answers, the verdicts of stages and the evals of prompt packs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.engine.events import Event

NAME = "gen_ai.evaluation.result"
TYPES = ("check.passed", "check.failed", "stages.assert", "promptpack.eval")


def evaluation(event: Event) -> dict[str, str | float] | None:
    """Attributes of the evaluation in an event; None if it has no result. The explanation is left
    out, because it may quote the answer."""
    fields = event.fields
    match event.type:
        case "check.passed" | "check.failed":
            named = [fields[name] for name in ("name", "check", "kind") if fields.get(name)]
            label = "pass" if event.type == "check.passed" else "fail"
            return _result(str(named[0]) if named else "check", label, fields)
        case "stages.assert" if fields.get("verdict"):
            return _result("assert", str(fields["verdict"]), fields)
        case "promptpack.eval" if not fields.get("skipped"):
            passed = fields.get("passed")
            label = "" if passed is None else ("pass" if passed else "fail")
            return _result(str(fields.get("id", "")), label, fields)
    return None


def _result(name: str, label: str, fields: Mapping[str, Any]) -> dict[str, str | float]:
    found: dict[str, str | float] = {"gen_ai.evaluation.name": name}
    if label:
        found["gen_ai.evaluation.score.label"] = label
    score = fields.get("score")
    if isinstance(score, int | float) and not isinstance(score, bool):
        found["gen_ai.evaluation.score.value"] = float(score)
    return found
