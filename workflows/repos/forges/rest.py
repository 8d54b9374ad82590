"""Forges with a REST API that lists the pull requests of a project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.repos.forges.api import Api, open_once
from workflows.repos.forges.base import (
    MAX_BODY,
    Forge,
    ForgeLogin,
    PullRequest,
    Status,
    best_match,
    mapping,
    project_path,
    request_of,
    shortened,
    title_of,
)

Row = Mapping[str, Any]
"""A pull request as the API writes it."""


class RestForge(Forge):
    """A forge whose API is like GitHub's. The attributes are the differences."""

    scheme = "Bearer"
    """The word before the token in its header."""
    rights: str
    """The next step of a user whose token may not do something."""
    headers: Mapping[str, str] = {}
    nested = False
    """Groups of projects can be in groups."""
    query: Mapping[str, str]
    """Parameters of the list of open pull requests."""
    fields = {"head": "head", "base": "base", "title": "title", "body": "body"}
    """Our names → those of a new pull request."""
    number, url = "number", "html_url"
    """The fields of a pull request's number and page."""

    def api(self, login: ForgeLogin, project: str, rights: str = "") -> Api:
        """The API of one project. Raises RepositoryRefused."""
        return Api(
            label=self.label,
            login=login,
            project=project_path(login.api_url, project, nested=self.nested),
            scheme=self.scheme,
            rights=rights or self.rights,
            headers=self.headers,
        )

    def requests(self, api: Api) -> str:
        """The path of the pull requests."""
        return f"/repos/{api.project}/pulls"

    def of_branch(self, api: Api, head: str) -> Mapping[str, str]:
        """Further parameters that leave the pull requests of one branch."""
        return {}

    def branch(self, row: Row, side: str) -> object:
        """The branch of the side `head` or `base`."""
        return mapping(row.get(side)).get("ref")

    def repository(self, row: Row, side: str) -> object:
        """The id of a side's repository; that of a deleted fork is null."""
        return mapping(mapping(row.get(side)).get("repo")).get("id")

    def status_of(self, row: Row) -> Status:
        if row.get("merged") is True or row.get("merged_at"):
            return "merged"
        return "closed" if row.get("state") == "closed" else "open"

    def text_of(self, body: str) -> str:
        """A description, as the forge may have it."""
        return shortened(body, MAX_BODY)

    def open_request(
        self, login: ForgeLogin, project: str, *, head: str, base: str, title: str, body: str
    ) -> PullRequest:
        api = self.api(login, project)
        values = {"head": head, "base": base, "title": title_of(title), "body": self.text_of(body)}
        sent = {self.fields[name]: value for name, value in values.items()}
        return open_once(
            lambda: self.find_open(login, project, head, base),
            lambda: self._read(mapping(api.post(self.requests(api), sent))),
        )

    def find_open(
        self, login: ForgeLogin, project: str, head: str, base: str = ""
    ) -> PullRequest | None:
        api = self.api(login, project)
        rows = (
            row
            for row in api.rows(self.requests(api), {**self.query, **self.of_branch(api, head)})
            if self.branch(row, "head") == head
            and self.repository(row, "head") == self.repository(row, "base")
        )
        row = best_match(rows, base, lambda row: self.branch(row, "base"))
        return None if row is None else self._read(row)

    def status(self, login: ForgeLogin, project: str, number: int) -> PullRequest:
        api = self.api(login, project)
        return self._read(mapping(api.get(f"{self.requests(api)}/{int(number)}")))

    def _read(self, row: Row) -> PullRequest:
        return request_of(row, number=self.number, url=self.url, status=self.status_of(row))
