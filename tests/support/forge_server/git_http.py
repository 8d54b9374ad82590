"""Git over HTTP: `git http-backend` behind the authentication of the forge."""

from __future__ import annotations

import re
import subprocess

from tests.support.forge_server.access import Access
from tests.support.forge_server.projects import Project
from tests.support.forge_server.requests import ApiAnswer, ForgeRequest, Refusal
from tests.support.git_program import ENVIRONMENT

PATH = re.compile(
    r"/(?P<project>.+?)(?:\.git)?(?P<rest>/info/refs|/git-upload-pack|/git-receive-pack)"
)
WRITES = "git-receive-pack"


def authorised(request: ForgeRequest, project: Project | None, access: Access | None) -> str:
    """The user of a request of git. Raises Refusal as GitHub does: 404 hides a project that the
    token may not read, 403 refuses a push."""
    pushes = WRITES in request.path or request.query.get("service") == WRITES
    if access is None:
        if request.basic is None and project is not None and project.public and not pushes:
            return "anonymous"
        raise Refusal(
            401, b"Invalid username or token.\n", www_authenticate='Basic realm="Git"', **_plain()
        )
    if not request.basic or not request.basic[0]:
        raise Refusal(401, b"A user name is missing.\n", **_plain())
    if project is None or not access.sees(project.name):
        raise Refusal(404, b"Repository not found.\n", **_plain())
    if pushes and not access.may_push:
        raise Refusal(403, b"Write access to repository not granted.\n", **_plain())
    return access.user


def run(request: ForgeRequest, project: Project, rest: str, user: str) -> ApiAnswer:
    """The answer of git."""
    before = project.branches
    done = subprocess.run(
        ["git", "http-backend"],
        cwd=project.repository.folder,
        env={
            **ENVIRONMENT,
            "GIT_PROJECT_ROOT": str(project.repository.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": rest,
            "REQUEST_METHOD": request.method,
            "QUERY_STRING": "&".join(f"{name}={value}" for name, value in request.query.items()),
            "CONTENT_TYPE": request.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(request.body)),
            "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
            "REMOTE_USER": user,
            "REMOTE_ADDR": "127.0.0.1",
        },
        input=request.body,
        capture_output=True,
        check=True,
    )
    if rest.endswith(WRITES):
        project.moved(before, user)
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().splitlines())
    status = int(headers.pop("Status", "200").split(" ")[0])
    return ApiAnswer(status=status, body=body, headers=headers)


def _plain() -> dict[str, str]:
    return {"content_type": "text/plain"}
