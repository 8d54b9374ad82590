"""Exports to other formats."""

from __future__ import annotations

import json
from typing import Any

from workflows.core.dialects.base import ExportFormat, ExportResult
from workflows.core.dialects.workflow_scripts.graph.assumptions import call_bound
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.edits import EditRefused
from workflows.core.pack.files import Files


def _call_plan(source: ScriptSource) -> ExportResult:
    """The calls of a script and their bounds. Raises EditRefused for one without calls."""
    if not source.plan.states:
        raise EditRefused("The script calls no agent.", where=source.main)
    bound = call_bound(source, {})
    cost = source.plan.cost
    body: dict[str, Any] = {
        "name": source.name,
        "agents": bound.formula,
        "ceiling": None if bound.most is None else cost.total.ceiling,
        "unknowns": [str(one) for one in cost.total.unknowns],
        "phases": {name: str(one) for name, one in cost.phases.items()},
        "models": {name: str(one) for name, one in cost.models.items()},
        "calls": [
            {
                "id": site.id,
                "line": site.line,
                "label": site.label,
                "model": site.model,
                "agents": [str(state.count) for state in site.states],
            }
            for site in source.sites
        ],
    }
    # A string of a script may have half of a surrogate pair, which stays an escape in JSON.
    text = json.dumps(body, indent=2, ensure_ascii=False) + "\n"
    data = text.encode(errors="backslashreplace")
    return ExportResult(files=Files.of({f"{source.main}.calls.json": data}))


EXPORTS = (
    ExportFormat(
        name="workflow-script-calls",
        title="List of calls",
        description="Call sites with labels, models and the most agents of each, as JSON.",
        make=_call_plan,
    ),
)
