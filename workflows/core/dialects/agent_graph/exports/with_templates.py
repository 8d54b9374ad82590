"""Export formats of an agent graph."""

from __future__ import annotations

import json

from workflows.core.dialects.agent_graph.schemas import schema
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.dialects.base import ExportFormat, ExportResult
from workflows.core.pack.edits import EditRefused
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding
from workflows.core.prompts.role_templates.names import path_of

NAME = "agent_graph.schema.json"


def _with_everything(source: GraphSource) -> ExportResult:
    """The pack with every template that its agents use, and the schema of the format."""
    if not source.readable:
        raise EditRefused("This file is not a readable agent graph.", hint="Open the text view.")
    made: dict[str, bytes] = dict(source.files)
    findings: list[Finding] = []
    for node in source.shape.nodes.values():
        resolved = source.role(node.role)
        if resolved is None:
            finding = Finding(
                code="AG206",
                level="warning",
                message=f"The role {node.role!r} of {node.id!r} has no template to take along.",
                place=source.locate(source.place("nodes", node.index)),
                hint="A server may have one; it is not part of the pack.",
            )
            findings.append(finding)
        else:
            name = resolved.template.name
            made.setdefault(path_of(name, source.folder), resolved.template.text.encode())
    folder = f"{source.folder}/" if source.folder else ""
    made.setdefault(f"{folder}{NAME}", (json.dumps(schema(), indent=2) + "\n").encode())
    return ExportResult(files=Files.of(made), findings=tuple(findings))


EXPORTS = (
    ExportFormat(
        name="agent_graph-whole",
        title="With all role templates",
        description="The pack, a copy of each shipped template that its agents use, and the JSON "
        "Schema of the format.",
        make=_with_everything,
    ),
)
