"""GitLab: gitlab.com and servers of one's own. Its pull requests are called merge requests.

Its REST API is described at https://docs.gitlab.com/api/merge_requests/.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from typing import Any

from workflows.core.triggers.webhook_signature import has_standard_signature
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
    quoted,
    request_of,
    shortened,
    title_of,
)

SIGNING_TOKEN = "whsec_"
"""The beginning of a secret that GitLab can sign with; it sends others as they are."""

_STATUSES: Mapping[object, Status] = {"merged": "merged", "closed": "closed"}
"""The others are `opened`, and `locked` during a merge."""
_QUICK_ACTION = re.compile(r"^([ \t]*)/", re.MULTILINE)


class GitLab:
    name = "gitlab"
    label = "GitLab"
    git_user = "oauth2"
    hosts: tuple[str, ...] = ("gitlab.com", "altssh.gitlab.com")
    labels: tuple[str, ...] = ("gitlab",)

    def api_url(self, web: str) -> str:
        return f"{web.rstrip('/')}/api/v4"

    def open_request(
        self, login: ForgeLogin, project: str, *, head: str, base: str, title: str, body: str
    ) -> PullRequest:
        api = _api(login, project)

        def create() -> PullRequest:
            fields = {
                "source_branch": head,
                "target_branch": base,
                "title": title_of(title),
                "description": without_quick_actions(shortened(body, MAX_BODY)),
            }
            return _read(mapping(api.post(_path(api), fields)))

        return open_once(lambda: self.find_open(login, project, head, base), create)

    def find_open(
        self, login: ForgeLogin, project: str, head: str, base: str = ""
    ) -> PullRequest | None:
        api = _api(login, project)
        query = {"state": "opened", "source_branch": head, "per_page": "100"}
        rows = (
            row
            for row in api.rows(_path(api), query)
            if row.get("source_branch") == head
            and row.get("source_project_id") == row.get("target_project_id")
        )
        row = best_match(rows, base, lambda row: row.get("target_branch"))
        return None if row is None else _read(row)

    def status(self, login: ForgeLogin, project: str, number: int) -> PullRequest:
        api = _api(login, project)
        return _read(mapping(api.get(f"{_path(api)}/{int(number)}")))

    def is_authentic(
        self, secret: str, headers: Mapping[str, str], body: bytes, now: float
    ) -> bool:
        sent = hashlib.sha256(headers.get("x-gitlab-token", "").encode()).digest()
        same = hmac.compare_digest(sent, hashlib.sha256(secret.encode()).digest())
        signs = secret.startswith(SIGNING_TOKEN)
        return (signs and has_standard_signature(secret, headers, body, now)) or same


def without_quick_actions(text: str) -> str:
    """A description in which no line is a command such as `/merge`. GitLab would carry it out with
    the rights of the token, and the text can be that of a pack."""
    return _QUICK_ACTION.sub(r"\1\\/", text)


def _api(login: ForgeLogin, project: str) -> Api:
    return Api(
        label=GitLab.label,
        login=login,
        project=project_path(login.api_url, project, nested=True),
        scheme="Bearer",
        rights="Use a token with the scope api and at least the role Developer.",
    )


def _path(api: Api) -> str:
    return f"/projects/{quoted(api.project)}/merge_requests"


def _read(row: Mapping[str, Any]) -> PullRequest:
    """A merge by fast-forward has no commit of its own: the target is then at the squashed commit,
    or at the newest commit of the branch."""
    status = _STATUSES.get(row.get("state"), "open")
    commits = (row.get("merge_commit_sha"), row.get("squash_commit_sha"), row.get("sha"))
    commit = commit_of(*commits) if status == "merged" else ""
    return request_of(row, number="iid", url="web_url", status=status, merge_commit=commit)


FORGE = GitLab()
