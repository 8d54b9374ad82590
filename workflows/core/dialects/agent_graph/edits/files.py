"""Edits of files: the main file and the role templates."""

from __future__ import annotations

from workflows.core.dialects.agent_graph.recognise import template_paths
from workflows.core.dialects.agent_graph.source import GraphSource, read
from workflows.core.pack.edits import EditRefused, RemoveFile, WriteFile
from workflows.core.pack.files import Files
from workflows.core.prompts.role_templates.names import FOLDER, name_in


def write(source: GraphSource, edit: WriteFile) -> GraphSource:
    """Replace a file of the pack, or add a template."""
    data = edit.text.encode("utf-8")
    if edit.path == source.main:
        return read(Files.of({**source.files, edit.path: data}))
    if edit.path not in source.files and not name_in(edit.path, source.folder):
        raise EditRefused(
            "An agent graph has one JSON file and its role templates only.",
            where=edit.path,
            hint=f"Write to {source.main}, or to {FOLDER}/<name>.md in its folder.",
        )
    return source.with_files({edit.path: data})


def remove(source: GraphSource, edit: RemoveFile) -> GraphSource:
    """Remove a template."""
    if edit.path not in template_paths(source.files, source.folder):
        raise EditRefused(
            "Only role templates can be removed from an agent graph.",
            where=edit.path,
            hint="Delete the pack itself instead." if edit.path == source.main else "",
        )
    return source.with_files({edit.path: None})
