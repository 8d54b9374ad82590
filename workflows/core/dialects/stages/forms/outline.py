"""The outline: elements of a pack that are not states: the pipeline, fields of ctx, grants,
files."""

from __future__ import annotations

from workflows.core.dialects.stages.edits.objects import ADDABLE
from workflows.core.dialects.stages.format.elements import grants, setups
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.forms import Section


def outline(source: StagesSource) -> tuple[Section, ...]:
    """The pipeline first, then the fields and grants of stages, then files."""
    unused = {file.path for file in source.unused}
    sections = [
        ("pack", "Pipeline", [("pack", "Pipeline")] if source.readable else []),
        ("setup", "Context fields", [(f"setup:{key}", key) for key in setups(source)]),
        ("grant", "Grants", [(f"grant:{key}", key) for key in grants(source)]),
        (
            "file",
            "Files",
            [
                (f"file:{path}", f"{path} (unused)" if path in unused else path)
                for path in source.files
            ],
        ),
    ]
    return tuple(
        Section(kind=kind, title=title, items=tuple(items), addable=kind in ADDABLE)
        for kind, title, items in sections
    )
