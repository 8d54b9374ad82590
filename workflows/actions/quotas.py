"""Quotas of each user for packs, runs and disk: settings of the operator, none by default.

A quota is checked when something begins. The log of a run that has begun may pass it, and requests
at the same time may pass it by a few.
"""

from __future__ import annotations

import time
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import F, Model, QuerySet, Sum, TextField
from django.db.models.functions import Cast, Length

from workflows.core.engine.run import FINISHED
from workflows.errors import QuotaReached
from workflows.models import Blob, Pack, Revision, Run, RunEvent

MIB = 1024 * 1024
MEASURED_AGAIN = 30.0
"""Seconds until the stored bytes of a user are counted again."""
_measured: dict[int, tuple[float, int]] = {}


def check_pack(owner: User | None) -> None:
    """Raise QuotaReached if this user has no room for another pack."""
    most = settings.SIGNALBOX_USER_PACKS
    if owner and most is not None and Pack.objects.filter(owner=owner).count() >= most:
        raise QuotaReached(
            f"{owner.get_username()} has {most} packs, the most that this server allows a user.",
            hint="Delete one that is not needed, or ask the operator for SIGNALBOX_USER_PACKS.",
        )
    check_disk(owner)


def check_run(owner: User | None) -> None:
    """Raise QuotaReached if this user has no room for another run."""
    most = settings.SIGNALBOX_USER_RUNS
    open_runs = Run.objects.filter(owner=owner).exclude(status__in=FINISHED)
    if owner and most is not None and open_runs.count() >= most:
        raise QuotaReached(
            f"{owner.get_username()} has {most} runs that have not ended, the most that this "
            "server allows a user.",
            hint="Wait for one, cancel one, or ask the operator for SIGNALBOX_USER_RUNS.",
        )
    check_disk(owner)


def check_disk(owner: User | None) -> None:
    """Raise QuotaReached if this user's packs, runs and workspaces fill their part of the disk."""
    most = settings.SIGNALBOX_USER_DISK
    if owner is None or most is None:
        return
    at, size = _measured.get(owner.pk, (0.0, 0))
    if not at or time.monotonic() - at > MEASURED_AGAIN:
        size = stored_bytes(owner)
        _measured[owner.pk] = time.monotonic(), size
    if size >= most * MIB:
        raise QuotaReached(
            f"{owner.get_username()} stores {size // MIB} MiB, and this server allows a user "
            f"{most}.",
            hint="Delete packs and runs, or ask the operator for SIGNALBOX_USER_DISK.",
        )


def stored_bytes(owner: User) -> int:
    """Bytes of this user's packs with their history, of the logs of their runs, and of the
    workspaces of these."""
    revisions = Revision.objects.filter(pack__owner=owner)
    manifests = revisions.exclude(manifest=None).values_list("manifest", flat=True)
    hashes = {hash for manifest in manifests for hash in (manifest or {}).values()}
    runs = Run.objects.filter(owner=owner)
    workspaces = Path(settings.DATA) / "workspaces"
    return (
        sum(_text(revisions, name) for name in ("changes", "edits", "layout"))
        + (Blob.objects.filter(pk__in=hashes).aggregate(sum=Sum("size"))["sum"] or 0)
        + _text(RunEvent.objects.filter(run__owner=owner), "fields")
        + _text(runs, "options")
        + sum(_files(workspaces / str(pk)) for pk in runs.values_list("pk", flat=True))
    )


def _text(rows: QuerySet[Model], name: str) -> int:
    text = Length(Cast(F(name), TextField()))
    return rows.order_by().aggregate(sum=Sum(text))["sum"] or 0


def _files(folder: Path) -> int:
    if not folder.is_dir():
        return 0
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
