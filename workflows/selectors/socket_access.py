"""The packs and runs that a user may watch over a socket."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import User

from roles.rights import visible
from workflows.db.integers import MAX_INTEGER
from workflows.models import Pack, Run


def readable_packs(user: User, packs: Collection[str]) -> set[str]:
    """The ids among these of packs that exist and that the user may read."""
    ids = {int(pack) for pack in packs if int(pack) <= MAX_INTEGER}
    rows = visible(Pack.objects.filter(pk__in=ids), user)
    return {str(pack) for pack in rows.values_list("pk", flat=True)}


def readable_runs(user: User, runs: Collection[str]) -> set[str]:
    """The ids among these of runs that exist and that the user may read."""
    rows = visible(Run.objects.filter(pk__in=runs), user)
    return {str(run) for run in rows.values_list("pk", flat=True)}
