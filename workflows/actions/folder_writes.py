"""The revision of a pack that an opened folder has."""

from __future__ import annotations

from django.db import transaction

from workflows.models import Pack
from workflows.notifications import bus


def record(pack_id: int, number: int, problem: str, checkout: str) -> None:
    """Record the revision that the folder has, and why it has no newer one ("" for no reason).
    Open pages get both, and the branch that is checked out."""
    # An update of these columns alone: the pack itself did not change.
    Pack.objects.filter(pk=pack_id).update(written=number, unwritten=problem[:400])
    written = bus.PackWritten(pack=pack_id, number=number, problem=problem, checkout=checkout)
    transaction.on_commit(lambda: bus.notify(written))
