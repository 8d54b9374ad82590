"""GitLab: gitlab.com and servers of one's own. Its pull requests are called merge requests.

Its REST API is described at https://docs.gitlab.com/api/merge_requests/.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping

from workflows.core.triggers.webhook_signature import has_standard_signature
from workflows.repos.forges.api import Api
from workflows.repos.forges.base import Status, quoted
from workflows.repos.forges.rest import RestForge, Row

SIGNING_TOKEN = "whsec_"
"""The beginning of a secret that GitLab can sign with; it sends others as they are."""

_STATUSES: Mapping[object, Status] = {"merged": "merged", "closed": "closed"}
"""The others are `opened`, and `locked` during a merge."""
_QUICK_ACTION = re.compile(r"^([ \t]*)/", re.MULTILINE)


class GitLab(RestForge):
    name = "gitlab"
    label = "GitLab"
    git_user = "oauth2"
    hosts: tuple[str, ...] = ("gitlab.com", "altssh.gitlab.com")
    labels: tuple[str, ...] = ("gitlab",)
    rights = "Use a token with the scope api and at least the role Developer."
    nested = True
    query = {"state": "opened", "per_page": "100"}
    fields = {
        "head": "source_branch", "base": "target_branch", "title": "title", "body": "description"
    }  # fmt: skip
    number, url = "iid", "web_url"

    def api_url(self, web: str) -> str:
        return f"{web.rstrip('/')}/api/v4"

    def requests(self, api: Api) -> str:
        return f"/projects/{quoted(api.project)}/merge_requests"

    def of_branch(self, api: Api, head: str) -> Mapping[str, str]:
        return {"source_branch": head}

    def branch(self, row: Row, side: str) -> object:
        return row.get(self.fields[side])

    def repository(self, row: Row, side: str) -> object:
        return row.get({"head": "source_project_id", "base": "target_project_id"}[side])

    def status_of(self, row: Row) -> Status:
        return _STATUSES.get(row.get("state"), "open")

    def text_of(self, body: str) -> str:
        return without_quick_actions(super().text_of(body))

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


FORGE = GitLab()
