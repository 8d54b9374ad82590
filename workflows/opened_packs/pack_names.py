"""The name that a pack has in its own files."""

from __future__ import annotations

from workflows.core.dialects.base import NameField
from workflows.core.pack.edits import EditRefused
from workflows.opened_packs.view import Opened


def name_in_files(read: Opened) -> str | None:
    """The display name in the pack's files; None if they have none."""
    names = (name_value(read, field) for field in read.dialect.name_fields if field.of == "name")
    return next((name for name in names if isinstance(name, str)), None)


def name_value(read: Opened, field: NameField) -> object:
    """The value of the field; None if the pack has no such field."""
    if not read.readable:
        return None
    try:
        form = read.under(read.dialect.profiles[0]).form(field.element)
    except EditRefused:
        return None
    return form["values"].get(field.key)
