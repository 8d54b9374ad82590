"""Idempotent starts of runs: once per key, for any number of repeated requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError

from workflows.actions import runs
from workflows.db.text import is_storable
from workflows.errors import BadRequest, KeyTaken
from workflows.models import Pack, Run

LONGEST_KEY = 200


def start_once(
    pack: Pack, *, key: str, owner: User, driver: str, options: Mapping[str, Any], **arguments: Any
) -> tuple[Run, bool]:
    """The run that this user starts under this key, and True if it was started now; "" always
    starts a new one. `arguments`: as of `runs.start`.

    Raises as `runs.start` does, BadRequest for an invalid key, and KeyTaken if the key started a
    different run.
    """
    if len(key) > LONGEST_KEY or not is_storable(key):
        raise BadRequest(f"A key has at most {LONGEST_KEY} characters.", where="Idempotency-Key")
    request = {"driver": driver, "options": options, **arguments}
    before = _begun(key, owner)
    if before is None:
        try:
            return runs.start(pack, owner=owner, key=key, **request), True
        except IntegrityError:
            before = _begun(key, owner)
            if before is None:
                raise
    if before.pack_id != pack.pk or not _is_of(before, **request):
        raise KeyTaken(run=str(before.pk), where="Idempotency-Key")
    return before, False


def _begun(key: str, owner: User) -> Run | None:
    return Run.objects.filter(owner=owner, key=key).first() if key else None


def _is_of(
    run: Run,
    *,
    driver: str,
    options: Mapping[str, Any],
    revision: int | None = None,
    profile: str = "",
    **_: Any,
) -> bool:
    """Return True if the run was started with the same request. Defaults may have changed since, so
    left-out fields are not compared."""
    return (
        run.driver == driver
        and revision in (None, run.revision)
        and profile in ("", run.profile)
        and _compared(run.options) == _compared(options)
    )


def _compared(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as they were requested: the commit of a workspace's ref was added since."""
    chosen = runs.start_options(options)
    workspace = chosen.get("workspace") or {}
    if workspace:
        chosen["workspace"] = {name: word for name, word in workspace.items() if name != "base"}
    return chosen
