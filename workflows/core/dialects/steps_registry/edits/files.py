"""Whole files: the text view, and what no form covers."""

from __future__ import annotations

from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import EditRefused, RemoveFile, WriteFile
from workflows.core.pack.files import clean_path


def write_file(source: RegistrySource, edit: WriteFile) -> RegistrySource:
    """Replace or add one file."""
    return source.write({clean_path(edit.path): edit.text.encode("utf-8")})


def remove_file(source: RegistrySource, edit: RemoveFile) -> RegistrySource:
    """Remove one file; the registry itself stays."""
    if edit.path not in source.files:
        raise EditRefused(f"There is no file {edit.path!r}.", where=edit.path)
    if edit.path == source.main:
        raise EditRefused("Without its registry this would be no pack.", where=edit.path)
    return source.write({edit.path: None})
