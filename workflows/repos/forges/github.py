"""GitHub: github.com, ghe.com and GitHub Enterprise Server.

Its REST API is described at https://docs.github.com/rest/pulls/pulls.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from workflows.core.triggers.webhook_signature import has_hex_signature
from workflows.repos.forges.api import Api
from workflows.repos.forges.rest import RestForge

API_VERSION = "2022-11-28"
"""The version whose pull requests name their merge commit; 2026-03-10 removed it."""


class GitHub(RestForge):
    name = "github"
    label = "GitHub"
    git_user = "x-access-token"
    hosts: tuple[str, ...] = ("github.com", "ssh.github.com")
    labels: tuple[str, ...] = ("github", "ghe")
    rights = "Use a token that may read and write Contents and Pull requests."
    headers = {"accept": "application/vnd.github+json", "x-github-api-version": API_VERSION}
    query = {"state": "open", "per_page": "100"}

    def api_url(self, web: str) -> str:
        parts = urlsplit(web)
        host = (parts.hostname or "").removeprefix("www.")
        if host == "github.com" or host.endswith(".ghe.com"):
            return f"https://api.{host}"
        return f"{web.rstrip('/')}/api/v3"

    def of_branch(self, api: Api, head: str) -> Mapping[str, str]:
        return {"head": f"{api.project.partition('/')[0]}:{head}"}

    def is_authentic(
        self, secret: str, headers: Mapping[str, str], body: bytes, now: float
    ) -> bool:
        return has_hex_signature(secret, headers.get("x-hub-signature-256"), body)


FORGE = GitHub()
