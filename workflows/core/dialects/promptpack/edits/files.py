"""Edits of whole files: the pack's own, and those of its skills."""

from __future__ import annotations

from posixpath import dirname

from workflows.core.dialects.promptpack.format.skill_files import paths_of
from workflows.core.dialects.promptpack.source import PackSource, read
from workflows.core.pack.edits import EditRefused, RemoveFile, WriteFile
from workflows.core.pack.files import Files


def write(source: PackSource, edit: WriteFile) -> PackSource:
    """Replace the text of the pack, or a file of a skill that it names by path."""
    if edit.path != source.main and not _is_skill_file(source, edit.path):
        raise EditRefused(
            "A PromptPack has one file, and the files of the skills that it names by path.",
            where=edit.path,
            hint=f"Write to {source.main} instead.",
        )
    return read(Files.of({**source.files, edit.path: edit.text.encode("utf-8")}))


def remove(source: PackSource, edit: RemoveFile) -> PackSource:
    """Remove a file of a skill. Raises EditRefused for the pack's own: without it there is no
    pack."""
    if edit.path == source.main or edit.path not in source.files:
        raise EditRefused(
            "Only files of skills can be removed from a PromptPack.",
            where=edit.path,
            hint="Delete the pack itself instead." if edit.path == source.main else "",
        )
    return read(source.files.changed({edit.path: None}))


def _is_skill_file(source: PackSource, path: str) -> bool:
    if path in source.files:
        return True
    candidate = {path: b""}
    skills = source.parts.tree.get("skills")
    return bool(paths_of(candidate, dirname(source.main), skills))
