"""Edits of whole files: the text view. A PromptPack has one file."""

from __future__ import annotations

from workflows.core.dialects.promptpack.source import PackSource, read
from workflows.core.pack.edits import EditRefused, RemoveFile, WriteFile
from workflows.core.pack.files import Files


def write(source: PackSource, edit: WriteFile) -> PackSource:
    """Replace the text of the pack."""
    if edit.path != source.main:
        raise EditRefused(
            "A PromptPack has one file.",
            where=edit.path,
            hint=f"Write to {source.main} instead.",
        )
    return read(Files.of({**source.files, edit.path: edit.text.encode("utf-8")}))


def remove(source: PackSource, edit: RemoveFile) -> PackSource:
    """Raises EditRefused: without its file there is no pack."""
    raise EditRefused(
        "A PromptPack has one file, which cannot be removed.",
        hint="Delete the pack itself instead.",
    )
