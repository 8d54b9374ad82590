"""The outline, which lists agents and labels, and the palette of the canvas."""

from __future__ import annotations

from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.pack.forms import PaletteItem, Section, palette_of


def outline(source: WorkflowSource) -> tuple[Section, ...]:
    """Agents and labels, in file order."""
    parts = source.parts
    agents = tuple((f"agent:{id}", id) for id in parts.agents)
    labels = tuple((f"label:{name}", f"{name} → {id}") for name, id in parts.labels.items())
    return (
        Section(kind="agent", title="Agents", items=agents, addable=True),
        Section(kind="label", title="Labels", items=labels, addable=True),
    )


def palette() -> tuple[PaletteItem, ...]:
    """The three types of phases."""
    return palette_of(
        (
            "actionable",
            "Phase",
            "An agent works on the issue. Its outcome selects the next phase.",
            "work-pending",
        ),
        ("terminal", "Terminal phase", "The work on the issue is complete.", "done"),
        ("blocking", "Blocking phase", "The issue waits for a person.", "blocked"),
        id_pattern="^[^|]+$",
        id_rule="Use any characters except |.",
    )
