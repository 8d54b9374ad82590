"""Webhooks of forges: a delivery asks for a fetch."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from workflows.actions import repositories as actions
from workflows.errors import NotProven
from workflows.models import Repository
from workflows.security.encryption import DecryptionFailed, decrypt


def received(id: int, headers: Mapping[str, str], body: bytes) -> None:
    """Let a worker fetch if the delivery proves the repository's secret. `headers`: by lower-case
    name. Raises NotProven, also for a repository that does not exist."""
    row = Repository.objects.filter(pk=id).first()
    try:
        secret = decrypt(row.sealed_hook_secret) if row else ""
    except DecryptionFailed:
        secret = ""
    if not secret or not _is_proven(secret, headers, body):
        raise NotProven("No repository has this number and secret.")
    actions.request_fetch(id)


def _is_proven(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    wanted = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    signatures = (
        headers.get("x-hub-signature-256", "").removeprefix("sha256="),
        headers.get("x-gitea-signature", ""),
    )
    if any(hmac.compare_digest(one.encode(), wanted.encode()) for one in signatures if one):
        return True
    return hmac.compare_digest(headers.get("x-gitlab-token", "").encode(), secret.encode())
