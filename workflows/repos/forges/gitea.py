"""Gitea and Forgejo, for example codeberg.org.

Their API is described at https://docs.gitea.com/api/ and by each server at /api/swagger.
"""

from __future__ import annotations

from collections.abc import Mapping

from workflows.core.triggers.webhook_signature import has_hex_signature
from workflows.repos.forges.base import mapping
from workflows.repos.forges.rest import RestForge, Row


class Gitea(RestForge):
    """The API has no filter for the branch, so the open pull requests are read."""

    name = "gitea"
    label = "Gitea or Forgejo"
    git_user = "oauth2"
    hosts: tuple[str, ...] = ("codeberg.org", "gitea.com")
    labels: tuple[str, ...] = ("gitea", "forgejo")
    scheme = "token"
    rights = "Use a token with the scope write:repository."
    query = {"state": "open", "sort": "recentupdate", "limit": "50"}

    def api_url(self, web: str) -> str:
        return f"{web.rstrip('/')}/api/v1"

    def repository(self, row: Row, side: str) -> object:
        return mapping(row.get(side)).get("repo_id")

    def is_authentic(
        self, secret: str, headers: Mapping[str, str], body: bytes, now: float
    ) -> bool:
        names = ("x-gitea-signature", "x-forgejo-signature")
        return True in [has_hex_signature(secret, headers.get(name), body) for name in names]


FORGE = Gitea()
