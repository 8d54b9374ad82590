"""The outline, which lists elements without a state, and the palette of the canvas."""

from __future__ import annotations

from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.forms import PaletteItem, Section, palette_of


def outline(source: RegistrySource) -> tuple[Section, ...]:
    """Entries, validators, failure patterns, validation steps, agent.json, files: in file order."""
    entries = tuple((f"entry:{key}", f"{key or 'entryStep'} → {id}") for key, id in source.entries)
    sections = [Section(kind="entry", title="Entries", items=entries, addable=True)]
    for kind, table, title in (
        ("validator", "validators", "Validators"),
        ("failurePattern", "failurePatterns", "Failure patterns"),
        ("validationStep", "validationSteps", "Validation steps"),
    ):
        items = tuple((f"{kind}:{key}", key) for key in source.table(table))
        sections.append(Section(kind=kind, title=title, items=items, addable=True))
    if source.agent:
        sections.append(Section(kind="agent", title="Agent", items=(("agent:", "agent.json"),)))
    files = tuple((f"file:{path}", _display_path(source, path)) for path in source.files)
    sections.append(Section(kind="file", title="Files", items=files, addable=True))
    return tuple(sections)


def _display_path(source: RegistrySource, path: str) -> str:
    return path.removeprefix(f"{source.folder}/") if source.folder else path


ID_PATTERN = r"^[^|\x00-\x1f]+$"
ID_RULE = "Use any characters except |."


def palette() -> tuple[PaletteItem, ...]:
    """The four kinds of steps."""
    return palette_of(
        (
            "work",
            "Work step",
            "Does part of the work. Intents: next, repeat, jump, handoff.",
            "continuation.step",
        ),
        (
            "verification",
            "Verification step",
            "Checks the work. Intents: next, repeat, jump, escalate.",
            "verification.step",
        ),
        (
            "closure",
            "Closure step",
            "Ends the run with closing, once its validators pass.",
            "closure.step",
        ),
        ("section", "Section", "A fragment of a prompt, outside the flow.", "section.context"),
        id_pattern=ID_PATTERN,
        id_rule=ID_RULE,
    )
