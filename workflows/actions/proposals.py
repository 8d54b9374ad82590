"""Edits that are only tried: their consequences for a pack, as its revisions stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.contrib.auth.models import User

from workflows.actions.edits import carry_out
from workflows.consequences.consequences import Consequences
from workflows.core.pack.edits import Edit, RemoveFile, WriteFile
from workflows.errors import BadRequest, Stale
from workflows.selectors.consequences import completed_runs, consequences_of
from workflows.selectors.packs import pack_named
from workflows.selectors.sources import opened

MOST_EDITS = 100


def proposed(
    pack_id: int, base: int, edits: Sequence[Edit], user: User, *, rehearse: bool = True
) -> Consequences:
    """The consequences of all these edits of the newest revision, which has to be `base`. Writes
    nothing. Raises Stale, BadRequest, Refused (with the edit), NotThere and TookTooLong."""
    pack = pack_named(pack_id)
    if base != pack.head:
        raise Stale(
            f"The newest revision is {pack.head}, and this proposal expects {base}.",
            hint=f"Read the pack again, and propose the edits for revision {pack.head}.",
            where="base",
        )
    if not 1 <= len(edits) <= MOST_EDITS:
        raise BadRequest(
            f"A proposal has 1 to {MOST_EDITS} edits or files, and this one has {len(edits)}.",
            where="edits",
        )
    head = opened(pack)
    after = carry_out(head, edits)
    runs = completed_runs(pack, user)
    return consequences_of(pack, head.files, after.files, edits, runs=runs, rehearse=rehearse)


def edits_of_files(files: Mapping[str, str | None]) -> tuple[Edit, ...]:
    """The edits that write these texts by path; None removes a file."""
    return tuple(
        RemoveFile(path=path) if text is None else WriteFile(path=path, text=text)
        for path, text in files.items()
    )
