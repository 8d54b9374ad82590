"""The API of Gitea and Forgejo for pull requests, below /api/v1.

Paths, fields and refusals are those of `routers/api/v1/repo/pull.go` of Gitea. Gitea ignores
unknown fields; this server refuses them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.support.forge_server.access import Access
from tests.support.forge_server.projects import Project, Pull
from tests.support.forge_server.requests import ApiAnswer, ForgeRequest, Refusal

if TYPE_CHECKING:
    from tests.support.forge_server.server import ForgeServer

PREFIX = "/api/v1"
FIELDS = {
    "head", "base", "title", "body", "assignee", "assignees", "milestone", "labels", "due_date",
    "reviewers", "team_reviewers",
}  # fmt: skip
FILTERS = {"state", "sort", "milestone", "labels", "poster", "base_branch", "page", "limit"}
MAX_TITLE = 255
MAX_PAGE = 50
PULLS = re.compile(r"/repos/(?P<project>[^/]+/[^/]+)/pulls(?:/(?P<number>\d+))?")


def answer(server: ForgeServer, request: ForgeRequest, path: str) -> ApiAnswer:
    """The answer of the API. Raises Refusal."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    access = server.access_of(token) if scheme.lower() in ("token", "bearer") else None
    if access is None and (scheme or request.method != "GET"):
        raise _refusal(401, "invalid username, password or token")
    match = PULLS.fullmatch(path)
    project = server.find("gitea", match["project"]) if match else None
    if match is None or project is None or not _sees(access, project):
        raise _not_found()
    if match["number"]:
        try:
            pull = project.pull(int(match["number"]))
        except KeyError:
            raise _not_found() from None
        return ApiAnswer(body=_row(project, pull))
    if request.method == "GET":
        return ApiAnswer(body=[_row(project, one) for one in _listed(project, request)])
    return _create(project, request, access)


def _create(project: Project, request: ForgeRequest, access: Access | None) -> ApiAnswer:
    if access is None or not access.may_open:
        raise _refusal(
            403, "token does not have at least one of required scope(s): [write:repository]"
        )
    fields = request.json
    if unknown := set(fields) - FIELDS:
        raise _refusal(422, f"unknown fields: {sorted(unknown)}")
    for name in ("head", "base", "title"):
        if not isinstance(fields.get(name), str) or not fields[name].strip():
            raise _refusal(422, f"[{name.capitalize()}]: Required")
    head, base = fields["head"], fields["base"]
    if head == base:
        problem = "Invalid PullRequest: There are no changes between the head and the base"
        raise _refusal(422, problem)
    if head not in project.branches or base not in project.branches:
        raise _not_found()
    if len(fields["title"]) > MAX_TITLE:
        raise _refusal(500, "")
    for pull in project.pulls:
        if (pull.state, pull.head, pull.base) == ("open", head, base):
            problem = (
                f"pull request already exists for these targets [id: {pull.number}, issue_id: "
                f"{pull.number}, head_repo_id: {project.id}, base_repo_id: {project.id}, "
                f"head_branch: {head}, base_branch: {base}]"
            )
            raise _refusal(409, problem)
    body = fields.get("body") or ""
    pull = project.open(head=head, base=base, title=fields["title"], body=body, user=access.user)
    return ApiAnswer(status=201, body=_row(project, pull))


def _listed(project: Project, request: ForgeRequest) -> list[Pull]:
    query = request.query
    if unknown := set(query) - FILTERS:
        raise _refusal(422, f"unknown parameters: {sorted(unknown)}")
    state = query.get("state", "open")
    rows = [
        pull
        for pull in reversed(project.pulls)
        if (state == "all" or (pull.state == "open") == (state == "open"))
        and query.get("base_branch", pull.base) == pull.base
    ]
    size, page = min(int(query.get("limit", 30)), MAX_PAGE), int(query.get("page", 1))
    return rows[(page - 1) * size : page * size]


def _row(project: Project, pull: Pull) -> dict[str, Any]:
    merged = pull.state == "merged"
    repository = {"id": project.id, "full_name": project.name}
    page = f"{project.web}/pulls/{pull.number}"
    exists = pull.head in project.branches
    return {
        "id": 1000 * project.id + pull.number,
        "url": page,
        "html_url": page,
        "number": pull.number,
        "state": "open" if pull.state == "open" else "closed",
        "title": pull.title,
        "body": pull.body,
        "draft": pull.title.startswith("WIP:"),
        "user": {"login": pull.user},
        "merged": merged,
        "mergeable": pull.state == "open",
        "merge_commit_sha": pull.merge_commit if merged else None,
        "head": {
            "label": pull.head,
            "ref": pull.head if exists else f"refs/pull/{pull.number}/head",
            "sha": pull.sha,
            "repo_id": project.id,
            "repo": repository,
        },
        "base": {"label": pull.base, "ref": pull.base, "repo_id": project.id, "repo": repository},
    }


def _sees(access: Access | None, project: Project) -> bool:
    return project.public if access is None else access.sees(project.name)


def _not_found() -> Refusal:
    return _refusal(404, "The target couldn't be found.", errors=None)


def _refusal(status: int, message: str, **more: Any) -> Refusal:
    return Refusal(status, {"message": message, **more, "url": "/api/swagger"})
