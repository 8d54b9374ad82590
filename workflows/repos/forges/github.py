"""GitHub: github.com, ghe.com and GitHub Enterprise Server.

Its REST API is described at https://docs.github.com/rest/pulls/pulls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

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

API_VERSION = "2022-11-28"
"""The version whose pull requests name their merge commit; 2026-03-10 removed it."""


class GitHub:
    name = "github"
    label = "GitHub"
    git_user = "x-access-token"
    hosts: tuple[str, ...] = ("github.com", "ssh.github.com")
    labels: tuple[str, ...] = ("github", "ghe")

    def api_url(self, web: str) -> str:
        parts = urlsplit(web)
        host = (parts.hostname or "").removeprefix("www.")
        if host == "github.com" or host.endswith(".ghe.com"):
            return f"https://api.{host}"
        return f"{web.rstrip('/')}/api/v3"

    def open_request(
        self, login: ForgeLogin, project: str, *, head: str, base: str, title: str, body: str
    ) -> PullRequest:
        api = _api(login, project)

        def create() -> PullRequest:
            fields = {
                "title": title_of(title),
                "head": head,
                "base": base,
                "body": shortened(body, MAX_BODY),
            }
            return _read(mapping(api.post(f"/repos/{api.project}/pulls", fields)))

        return open_once(lambda: self.find_open(login, project, head, base), create)

    def find_open(
        self, login: ForgeLogin, project: str, head: str, base: str = ""
    ) -> PullRequest | None:
        api = _api(login, project)
        owner = api.project.partition("/")[0]
        query = {"state": "open", "head": f"{owner}:{head}", "per_page": "100"}
        rows = (
            row
            for row in api.rows(f"/repos/{api.project}/pulls", query)
            if _branch(row, "head") == head and _repository(row, "head") == _repository(row, "base")
        )
        row = best_match(rows, base, lambda row: _branch(row, "base"))
        return None if row is None else _read(row)

    def status(self, login: ForgeLogin, project: str, number: int) -> PullRequest:
        api = _api(login, project)
        return _read(mapping(api.get(f"/repos/{api.project}/pulls/{int(number)}")))

    def is_authentic(
        self, secret: str, headers: Mapping[str, str], body: bytes, now: float
    ) -> bool:
        return has_hex_signature(secret, headers.get("x-hub-signature-256"), body)


def api_of(login: ForgeLogin, project: str, rights: str) -> Api:
    """The API with the headers of its version."""
    return Api(
        label=GitHub.label,
        login=login,
        project=project,
        scheme="Bearer",
        headers={
            "accept": "application/vnd.github+json",
            "x-github-api-version": API_VERSION,
        },
        rights=rights,
    )


def _api(login: ForgeLogin, project: str) -> Api:
    path = project_path(login.api_url, project)
    return api_of(login, path, "Use a token that may read and write Contents and Pull requests.")


def _read(row: Mapping[str, Any]) -> PullRequest:
    """Before the merge, `merge_commit_sha` is a commit that only tests whether it is possible."""
    merged = row.get("merged") is True or bool(row.get("merged_at"))
    status: Status = "merged" if merged else "closed" if row.get("state") == "closed" else "open"
    commit = commit_of(row.get("merge_commit_sha")) if merged else ""
    return request_of(row, number="number", url="html_url", status=status, merge_commit=commit)


def _branch(row: Mapping[str, Any], side: str) -> object:
    return mapping(row.get(side)).get("ref")


def _repository(row: Mapping[str, Any], side: str) -> object:
    """The id of a side's repository. A deleted fork is null."""
    return mapping(mapping(row.get(side)).get("repo")).get("id")


FORGE = GitHub()
