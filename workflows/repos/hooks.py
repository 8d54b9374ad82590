"""Webhooks of forges: a delivery asks for a fetch."""

from __future__ import annotations

import time
from collections.abc import Mapping

from workflows.actions import repositories as actions
from workflows.errors import NotProven
from workflows.models import Repository
from workflows.repos.forges.verify import is_authentic
from workflows.security.encryption import DecryptionFailed, decrypt


def received(id: int, headers: Mapping[str, str], body: bytes) -> None:
    """Let a worker fetch if the delivery proves the repository's secret. `headers`: by lower-case
    name. Raises NotProven, also for a repository that does not exist."""
    row = Repository.objects.filter(pk=id).first()
    try:
        secret = decrypt(row.sealed_hook_secret) if row else ""
    except DecryptionFailed:
        secret = ""
    if not is_authentic(secret, headers, body, now=time.time()):
        raise NotProven("No repository has this number and secret.")
    actions.request_fetch(id)
