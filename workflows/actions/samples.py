"""Samples in the gallery of a new database."""

from __future__ import annotations

from django.db import transaction

from workflows.actions.packs import create_from_sample
from workflows.core.dialects import dialects
from workflows.models import Pack
from workflows.selectors.samples import STARTING_POINTS


@transaction.atomic
def load_samples() -> tuple[Pack, ...]:
    """Import every sample that is worth opening into a database without packs.

    A deleted sample does not return while any pack is left.
    """
    if Pack.objects.exists():
        return ()
    return tuple(
        create_from_sample(f"{dialect.name}/{key}", owner=None, keep=True)
        for dialect in dialects().values()
        for key in dialect.samples()
        if key not in STARTING_POINTS
    )
