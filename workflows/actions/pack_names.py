"""The name of a pack in its files: id, display name, and the names of files."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.auth.models import User

from workflows.actions.edits import carry_out, edit
from workflows.core.dialects.base import Dialect
from workflows.core.pack.edits import SetField
from workflows.core.pack.files import Files
from workflows.core.pack.relocation import file_name_of, relocations
from workflows.models import Pack
from workflows.opened_packs.pack_names import name_value
from workflows.opened_packs.view import Opened
from workflows.selectors.sources import opened


def named(dialect: Dialect, files: Files, name: str) -> Files:
    """The files of a sample as a new pack of this name."""
    id = file_name_of(name)
    location = dialect.recognises(files)[0]
    if dialect.id_in_paths:
        old = location.name
        files = Files(
            {
                path.replace(old, id): data.replace(old.encode(), id.encode())
                for path, data in files.items()
            }
        )
    elif len(files) == 1 and dialect.name_fields:
        (place,) = next(relocations(location.main, tuple(files), id)).values()
        files = Files({place: files[location.main]})
    read = Opened(dialect, files)
    return carry_out(read, tuple(_edits(read, name=name, id=id))).files


def put_in_files(pack: Pack, name: str, author: User | None) -> None:
    """Set the display name in the files of a pack, if they have one. The id stays, because others
    refer to it. Raises as `edits.edit`."""
    if edits := tuple(_edits(opened(pack), name=name)):
        edit(pack.pk, pack.head, edits, author)


def _edits(read: Opened, **values: str) -> Iterator[SetField]:
    for field in read.dialect.name_fields:
        value = values.get(field.of)
        if value and name_value(read, field) not in (None, value):
            yield SetField(element=field.element, field=f"/{field.key}", value=value)
