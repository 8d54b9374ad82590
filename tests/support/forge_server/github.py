"""GitHub's API for pull requests and Apps, below /api/v3 as on GitHub Enterprise Server.

Paths, fields and refusals are those of https://docs.github.com/rest/pulls/pulls.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.support.forge_server.access import Access
from tests.support.forge_server.projects import Project, Pull
from tests.support.forge_server.requests import ApiAnswer, ForgeRequest, Refusal

if TYPE_CHECKING:
    from tests.support.forge_server.server import ForgeServer

PREFIX = "/api/v3"
FIELDS = {"title", "head", "head_repo", "base", "body", "maintainer_can_modify", "draft", "issue"}
FILTERS = {"state", "head", "base", "sort", "direction", "per_page", "page"}
VERSIONS = ("2022-11-28", "2026-03-10")
MAX_TITLE, MAX_BODY = 256, 65_536
DOCS = "https://docs.github.com/rest"
PULLS = re.compile(r"/repos/(?P<project>[^/]+/[^/]+)/pulls(?:/(?P<number>\d+))?")
TOKENS = re.compile(r"/app/installations/(?P<id>\d+)/access_tokens")


def answer(server: ForgeServer, request: ForgeRequest, path: str) -> ApiAnswer:
    """The answer of the API. Raises Refusal."""
    if not request.headers.get("user-agent"):
        raise Refusal(403, b"Request forbidden by administrative rules.")
    version = request.headers.get("x-github-api-version", VERSIONS[0])
    if version not in VERSIONS:
        raise _refusal(400, f"Version {version!r} is not supported.")
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme and scheme.lower() not in ("bearer", "token"):
        raise _refusal(401, "Bad credentials")
    if (match := TOKENS.fullmatch(path)) and request.method == "POST":
        return _installation_token(server, request, match["id"], token)
    access = server.access_of(token) if token else None
    if token and access is None:
        raise _refusal(401, "Bad credentials")
    match = PULLS.fullmatch(path)
    project = server.find("github", match["project"]) if match else None
    if match is None or project is None or not _sees(access, project):
        raise _refusal(404, "Not Found")
    newest = version == VERSIONS[-1]
    if match["number"]:
        pull = _pull(project, int(match["number"]))
        return ApiAnswer(body=_row(project, pull, newest, single=True))
    if request.method == "GET":
        return ApiAnswer(body=[_row(project, one, newest) for one in _listed(project, request)])
    return _create(project, request, access, newest)


def _create(
    project: Project, request: ForgeRequest, access: Access | None, newest: bool
) -> ApiAnswer:
    if access is None:
        raise _refusal(401, "Requires authentication")
    if not access.may_open:
        raise _refusal(403, "Resource not accessible by personal access token")
    fields = request.json
    for name in fields:
        if name not in FIELDS:
            raise _refusal(422, f'Invalid request.\n\n"{name}" is not a permitted key.')
    for name in ("title", "head", "base"):
        if not isinstance(fields.get(name), str) or not fields[name].strip():
            raise _invalid({"resource": "PullRequest", "field": name, "code": "missing_field"})
    head, base = fields["head"].removeprefix(f"{_owner(project)}:"), fields["base"]
    body = fields.get("body") or ""
    branches = project.branches
    for name, branch in (("head", head), ("base", base)):
        if branch not in branches:
            raise _invalid({"resource": "PullRequest", "field": name, "code": "invalid"})
    if len(fields["title"]) > MAX_TITLE or len(body) > MAX_BODY:
        raise _custom(f"body is too long (maximum is {MAX_BODY} characters)")
    for pull in project.pulls:
        if (pull.state, pull.head, pull.base) == ("open", head, base):
            raise _custom(f"A pull request already exists for {_owner(project)}:{head}.")
    if not project.repository.git("rev-list", "-1", f"{branches[base]}..{branches[head]}"):
        raise _custom(f"No commits between {base} and {head}")
    pull = project.open(head=head, base=base, title=fields["title"], body=body, user=access.user)
    return ApiAnswer(status=201, body=_row(project, pull, newest, single=True))


def _listed(project: Project, request: ForgeRequest) -> list[Pull]:
    query = request.query
    if unknown := set(query) - FILTERS:
        raise _refusal(422, f"There is no parameter {unknown}.")
    state = query.get("state", "open")
    owner, _, branch = query.get("head", "").partition(":")
    rows = [
        pull
        for pull in reversed(project.pulls)
        if (state == "all" or (pull.state == "open") == (state == "open"))
        and query.get("base", pull.base) == pull.base
        # GitHub ignores a filter without an owner.
        and (not branch or (owner, branch) == (_owner(project), pull.head))
    ]
    size, page = int(query.get("per_page", 30)), int(query.get("page", 1))
    return rows[(page - 1) * size : page * size]


def _row(project: Project, pull: Pull, newest: bool, *, single: bool = False) -> dict[str, Any]:
    merged = pull.state == "merged"
    repository = {"id": project.id, "full_name": project.name}
    owner = _owner(project)
    row: dict[str, Any] = {
        "id": 1000 * project.id + pull.number,
        "number": pull.number,
        "url": f"{project.web}/pulls/{pull.number}",
        "html_url": f"{project.web}/pull/{pull.number}",
        "state": "open" if pull.state == "open" else "closed",
        "title": pull.title,
        "body": pull.body,
        "draft": False,
        "user": {"login": pull.user},
        "merged_at": "2026-01-01T00:00:00Z" if merged else None,
        "head": {"label": f"{owner}:{pull.head}", "ref": pull.head, "sha": pull.sha,
                 "repo": repository},
        "base": {"label": f"{owner}:{pull.base}", "ref": pull.base, "repo": repository},
    }  # fmt: skip
    if single:
        row |= {"merged": merged, "mergeable": None if merged else True}
    if not newest:
        # While a pull request is open, this is a commit that only tests the merge.
        row["merge_commit_sha"] = pull.merge_commit or "f" * 40
    return row


def _installation_token(
    server: ForgeServer, request: ForgeRequest, id: str, statement: str
) -> ApiAnswer:
    app = next((one for one in server.apps if one.installation_id == id), None)
    problem = app.problem(statement) if app else ""
    if problem:
        raise _refusal(401, problem)
    if app is None:
        raise _refusal(404, "Not Found")
    fields = request.json if request.body else {}
    if unknown := set(fields) - {"repositories", "repository_ids", "permissions"}:
        raise _refusal(422, f'Invalid request.\n\n"{unknown}" is not a permitted key.')
    names = fields.get("repositories")
    chosen = {name for name in app.projects if not names or name.rpartition("/")[2] in names}
    if names and len(chosen) < len(names):
        raise _refusal(
            422,
            "There is at least one repository that does not exist or is not accessible to the "
            "parent installation.",
        )
    token = server.add_token(user="packs[bot]", projects=chosen, prefix="ghs_")
    end = datetime.now(UTC) + timedelta(hours=1)
    body: Mapping[str, Any] = {
        "token": token,
        "expires_at": end.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "permissions": {"contents": "write", "pull_requests": "write", "metadata": "read"},
        "repository_selection": "selected",
    }
    return ApiAnswer(status=201, body=body)


def _pull(project: Project, number: int) -> Pull:
    try:
        return project.pull(number)
    except KeyError:
        raise _refusal(404, "Not Found") from None


def _sees(access: Access | None, project: Project) -> bool:
    return project.public if access is None else access.sees(project.name)


def _owner(project: Project) -> str:
    return project.name.partition("/")[0]


def _custom(message: str) -> Refusal:
    return _invalid({"resource": "PullRequest", "code": "custom", "message": message})


def _invalid(error: Mapping[str, str]) -> Refusal:
    return _refusal(422, "Validation Failed", errors=[error])


def _refusal(status: int, message: str, **more: Any) -> Refusal:
    body = {"message": message, **more, "documentation_url": DOCS, "status": str(status)}
    return Refusal(status, body)
