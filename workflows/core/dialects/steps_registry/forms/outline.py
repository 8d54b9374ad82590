"""The outline, which lists elements without a state, and the palette of the canvas."""

from __future__ import annotations

from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.forms import PaletteItem, Section


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
    return (
        PaletteItem(
            kind="work",
            title="Work step",
            description="Does part of the work. Intents: next, repeat, jump, handoff.",
            suggested_id="continuation.step",
            id_pattern=ID_PATTERN,
            id_rule=ID_RULE,
        ),
        PaletteItem(
            kind="verification",
            title="Verification step",
            description="Checks the work. Intents: next, repeat, jump, escalate.",
            suggested_id="verification.step",
            id_pattern=ID_PATTERN,
            id_rule=ID_RULE,
        ),
        PaletteItem(
            kind="closure",
            title="Closure step",
            description="Ends the run with closing, once its validators pass.",
            suggested_id="closure.step",
            id_pattern=ID_PATTERN,
            id_rule=ID_RULE,
        ),
        PaletteItem(
            kind="section",
            title="Section",
            description="A fragment of a prompt, outside the flow.",
            suggested_id="section.context",
            id_pattern=ID_PATTERN,
            id_rule=ID_RULE,
        ),
    )
