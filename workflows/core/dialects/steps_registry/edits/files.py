"""Whole files: the text view, and what no form covers."""

from __future__ import annotations

from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import EditRefused, RemoveFile, WriteFile
from workflows.core.pack.files import BadFiles, clean_path


def write_file(source: RegistrySource, edit: WriteFile) -> RegistrySource:
    """Replace or add one file."""
    try:
        path = clean_path(edit.path)
        return source.write({path: edit.text.encode("utf-8")})
    except (BadFiles, UnicodeEncodeError) as bad:
        raise EditRefused(str(bad), where=edit.path) from bad


def remove_file(source: RegistrySource, edit: RemoveFile) -> RegistrySource:
    """Remove one file; the registry itself stays."""
    if edit.path not in source.files:
        raise EditRefused(f"There is no file {edit.path!r}.", where=edit.path)
    if edit.path == source.main:
        raise EditRefused("Without its registry this would be no pack.", where=edit.path)
    return source.write({edit.path: None})
