"""Gitea and Forgejo, for example codeberg.org.

Their API is described at https://docs.gitea.com/api/ and by each server at /api/swagger.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.triggers.webhook_signature import has_hex_signature
from workflows.repos.forges.api import Api, open_once
from workflows.repos.forges.base import (
    MAX_BODY,
    ForgeLogin,
    PullRequest,
    Status,
    best_match,
    commit_of,
    mapping,
    project_path,
    request_of,
    shortened,
    title_of,
)


class Gitea:
    name = "gitea"
    label = "Gitea or Forgejo"
    git_user = "oauth2"
    hosts: tuple[str, ...] = ("codeberg.org", "gitea.com")
    labels: tuple[str, ...] = ("gitea", "forgejo")

    def api_url(self, web: str) -> str:
        return f"{web.rstrip('/')}/api/v1"

    def open_request(
        self, login: ForgeLogin, project: str, *, head: str, base: str, title: str, body: str
    ) -> PullRequest:
        api = _api(login, project)

        def create() -> PullRequest:
            fields = {
                "head": head,
                "base": base,
                "title": title_of(title),
                "body": shortened(body, MAX_BODY),
            }
            return _read(mapping(api.post(f"/repos/{api.project}/pulls", fields)))

        return open_once(lambda: self.find_open(login, project, head, base), create)

    def find_open(
        self, login: ForgeLogin, project: str, head: str, base: str = ""
    ) -> PullRequest | None:
        """The API has no filter for the branch, so this reads the open pull requests."""
        api = _api(login, project)
        query = {"state": "open", "sort": "recentupdate", "limit": "50"}
        rows = (
            row
            for row in api.rows(f"/repos/{api.project}/pulls", query)
            if mapping(row.get("head")).get("ref") == head
            and mapping(row["head"]).get("repo_id") == mapping(row.get("base")).get("repo_id")
        )
        row = best_match(rows, base, lambda row: mapping(row.get("base")).get("ref"))
        return None if row is None else _read(row)

    def status(self, login: ForgeLogin, project: str, number: int) -> PullRequest:
        api = _api(login, project)
        return _read(mapping(api.get(f"/repos/{api.project}/pulls/{int(number)}")))

    def is_authentic(
        self, secret: str, headers: Mapping[str, str], body: bytes, now: float
    ) -> bool:
        names = ("x-gitea-signature", "x-forgejo-signature")
        return True in [has_hex_signature(secret, headers.get(name), body) for name in names]


def _api(login: ForgeLogin, project: str) -> Api:
    return Api(
        label=Gitea.label,
        login=login,
        project=project_path(login.api_url, project),
        scheme="token",
        rights="Use a token with the scope write:repository.",
    )


def _read(row: Mapping[str, Any]) -> PullRequest:
    merged = row.get("merged") is True
    status: Status = "merged" if merged else "closed" if row.get("state") == "closed" else "open"
    commit = commit_of(row.get("merge_commit_sha")) if merged else ""
    return request_of(row, number="number", url="html_url", status=status, merge_commit=commit)


FORGE = Gitea()
