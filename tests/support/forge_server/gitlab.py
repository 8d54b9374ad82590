"""GitLab's API for merge requests, below /api/v4.

Paths, fields and refusals are those of https://docs.gitlab.com/api/merge_requests/. GitLab ignores
unknown fields; this server refuses them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from tests.support.forge_server.access import Access
from tests.support.forge_server.projects import Project, Pull
from tests.support.forge_server.requests import ApiAnswer, ForgeRequest, Refusal

if TYPE_CHECKING:
    from tests.support.forge_server.server import ForgeServer

PREFIX = "/api/v4"
FIELDS = {
    "source_branch", "target_branch", "title", "description", "target_project_id", "assignee_id",
    "assignee_ids", "reviewer_ids", "labels", "milestone_id", "remove_source_branch",
    "allow_collaboration", "squash",
}  # fmt: skip
FILTERS = {"state", "source_branch", "target_branch", "order_by", "sort", "per_page", "page"}
STATES = {"open": "opened", "closed": "closed", "merged": "merged"}
MAX_TITLE = 255
REQUESTS = re.compile(r"/projects/(?P<project>[^/]+)/merge_requests(?:/(?P<number>\d+))?")
QUICK_ACTION = re.compile(r"^/(merge|close|approve|assign|label)\b", re.MULTILINE)


def answer(server: ForgeServer, request: ForgeRequest, path: str) -> ApiAnswer:
    """The answer of the API. Raises Refusal."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    token = request.headers.get("private-token", token if scheme.lower() == "bearer" else "")
    access = server.access_of(token) if token else None
    if access is None and (token or scheme or request.method != "GET"):
        raise Refusal(401, {"message": "401 Unauthorized"})
    match = REQUESTS.fullmatch(path)
    # A path that is not encoded has too many segments.
    project = server.find("gitlab", unquote(match["project"])) if match else None
    if match is None or project is None or not _sees(access, project):
        raise Refusal(404, {"message": "404 Project Not Found"})
    if match["number"]:
        try:
            pull = project.pull(int(match["number"]))
        except KeyError:
            raise Refusal(404, {"message": "404 Not found"}) from None
        return ApiAnswer(body=_row(project, pull))
    if request.method == "GET":
        return ApiAnswer(body=[_row(project, one) for one in _listed(project, request)])
    return _create(project, request, access)


def _create(project: Project, request: ForgeRequest, access: Access | None) -> ApiAnswer:
    if access is None or not access.may_open:
        raise Refusal(
            403,
            {
                "error": "insufficient_scope",
                "error_description": "The request requires higher privileges than provided by the "
                "access token.",
                "scope": "api",
            },
        )
    fields = request.json
    if unknown := set(fields) - FIELDS:
        raise Refusal(400, {"error": f"{', '.join(sorted(unknown))} is invalid"})
    for name in ("source_branch", "target_branch", "title"):
        if not isinstance(fields.get(name), str) or not fields[name].strip():
            raise Refusal(400, {"error": f"{name} is missing"})
    head, base = fields["source_branch"], fields["target_branch"]
    if len(fields["title"]) > MAX_TITLE:
        problem = [f"is too long (maximum is {MAX_TITLE} characters)"]
        raise Refusal(400, {"message": {"title": problem}})
    for name, branch in (("Source", head), ("Target", base)):
        if branch not in project.branches:
            raise Refusal(422, {"error": [f'{name} branch "{branch}" does not exist']})
    if head == base:
        problem = "You can't use same project/branch for source and target"
        raise Refusal(422, {"error": [problem]})
    for pull in project.pulls:
        if (pull.state, pull.head, pull.base) == ("open", head, base):
            problem = (
                f"Another open merge request already exists for this source branch: !{pull.number}"
            )
            raise Refusal(409, {"message": [problem]})
    body = fields.get("description") or ""
    pull = project.open(head=head, base=base, title=fields["title"], body=body, user=access.user)
    if QUICK_ACTION.search(body):
        project.merge(pull.number)
    return ApiAnswer(status=201, body=_row(project, pull))


def _listed(project: Project, request: ForgeRequest) -> list[Pull]:
    query = request.query
    if unknown := set(query) - FILTERS:
        raise Refusal(400, {"error": f"{', '.join(sorted(unknown))} is invalid"})
    state = query.get("state", "all")
    if state not in (*STATES.values(), "locked", "all"):
        raise Refusal(400, {"error": "state does not have a valid value"})
    rows = [
        pull
        for pull in reversed(project.pulls)
        if state in ("all", STATES[pull.state])
        and query.get("source_branch", pull.head) == pull.head
        and query.get("target_branch", pull.base) == pull.base
    ]
    size, page = int(query.get("per_page", 20)), int(query.get("page", 1))
    return rows[(page - 1) * size : page * size]


def _row(project: Project, pull: Pull) -> dict[str, Any]:
    """A squash and a rebase are merged by fast-forward, as in projects with that method."""
    return {
        "id": 1000 * project.id + pull.number,
        "iid": pull.number,
        "project_id": project.id,
        "source_project_id": project.id,
        "target_project_id": project.id,
        "title": pull.title,
        "description": pull.body,
        "state": STATES[pull.state],
        "draft": pull.title.startswith("Draft:"),
        "source_branch": pull.head,
        "target_branch": pull.base,
        "author": {"username": pull.user},
        "sha": pull.sha,
        "merge_commit_sha": (pull.merge_commit or None) if pull.way == "merge" else None,
        "squash_commit_sha": pull.merge_commit if pull.way == "squash" else None,
        "web_url": f"{project.web}/-/merge_requests/{pull.number}",
    }


def _sees(access: Access | None, project: Project) -> bool:
    return project.public if access is None else access.sees(project.name)
