"""Notes that runs of a pack store for later runs. Each function is one transaction."""

from __future__ import annotations

from django.db import transaction

from roles.rows import found
from workflows.db.text import is_storable
from workflows.errors import BadRequest, NotThere
from workflows.models import Note, Pack

MOST = 1_000
LONGEST_KEY = 200
LONGEST = 64 * 1024
"""Maximum length of one note, in characters."""


def keys(pack: int) -> list[str]:
    """Keys of all notes, in order."""
    return list(Note.objects.filter(pack_id=pack).order_by("key").values_list("key", flat=True))


def read(pack: int, key: str) -> str:
    """Text of a note. Raises NotThere."""
    note = found(
        Note.objects.filter(pack_id=pack, key=key[: LONGEST_KEY + 1]),
        NotThere(f"There is no note {key[:80]!r}."),
    )
    return note.text


@transaction.atomic
def write(pack: int, key: str, text: str) -> None:
    """Store a note, replacing one with the same key. Raises BadRequest."""
    if not key or len(key) > LONGEST_KEY or not is_storable(key):
        raise BadRequest(f"The key of a note has 1 to {LONGEST_KEY} plain characters.")
    if len(text) > LONGEST or not is_storable(text):
        raise BadRequest(f"A note is plain text of at most {LONGEST:,} characters.")
    Pack.objects.select_for_update().get(pk=pack)
    theirs = Note.objects.filter(pack_id=pack)
    if not theirs.filter(key=key).exists() and theirs.count() >= MOST:
        raise BadRequest(f"There are {MOST:,} notes already; delete some first.")
    Note.objects.update_or_create(pack_id=pack, key=key, defaults={"text": text})


def delete(pack: int, key: str) -> None:
    """Delete a note. A missing one is no error, since the request may be a repetition."""
    Note.objects.filter(pack_id=pack, key=key[: LONGEST_KEY + 1]).delete()
