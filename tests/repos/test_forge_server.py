"""The forge of the tests behaves as real ones do: for git, for their APIs and for webhooks."""

from __future__ import annotations

import os
import subprocess
import threading
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.support.checks import quick_and_slow
from tests.support.forge_server import ForgeServer, MergeConflict, Project
from tests.support.git_program import ENVIRONMENT, OPTIONS, GitRepository

FILES: dict[str, bytes | None] = {"a.txt": b"one\ntwo\nthree\n", "packs/b.json": b"{}\n"}
KINDS = ["github", "gitlab", "gitea"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ForgeServer]:
    with ForgeServer(tmp_path / "forge") as server:
        yield server


@pytest.fixture(params=quick_and_slow(["gitlab"], ["github", "gitea"]))
def project(request: pytest.FixtureRequest, server: ForgeServer) -> Project:
    return server.add(request.param, "team/packs", FILES)


def git(folder: Path, *words: str, token: str = "", user: str = "ada") -> tuple[int, str]:
    """Git with the token in a header, as a credential helper would send it after the first
    refusal."""
    options = list(OPTIONS)
    if token:
        basic = b64encode(f"{user}:{token}".encode()).decode()
        options += ["-c", f"http.extraHeader=Authorization: Basic {basic}"]
    done = subprocess.run(
        ["git", *options, *words],
        cwd=folder,
        env={**ENVIRONMENT, "GIT_TERMINAL_PROMPT": "0"},
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stderr.decode()


def cloned(project: Project, token: str, folder: Path) -> GitRepository:
    code, output = git(folder.parent, "clone", "--quiet", project.url, str(folder), token=token)
    assert code == 0, output
    return GitRepository(folder)


def branch_of(project: Project, text: bytes = b"one\n2\nthree\n", name: str = "fix") -> str:
    return project.commit({"a.txt": text}, "Change two", branch=name)


def opened(project: Project, head: str = "fix") -> int:
    pull = project.open(head=head, base="main", title="Change two", body="", user="ada")
    return pull.number


def test_git_clones_fetches_and_pushes(
    server: ForgeServer, project: Project, tmp_path: Path
) -> None:
    token = server.add_token()
    work = cloned(project, token, tmp_path / "work")
    assert work.show("HEAD", "packs/b.json") == b"{}\n"
    work.git("checkout", "--quiet", "-b", "fix")
    commit = work.commit({"a.txt": b"changed\n"})
    code, output = git(work.folder, "push", "--quiet", "origin", "fix", token=token)
    assert code == 0, output
    assert project.branches["fix"] == commit
    assert project.show("fix", "a.txt") == b"changed\n"
    theirs = project.commit({"a.txt": b"theirs\n"}, branch="fix")
    code, output = git(work.folder, "fetch", "--quiet", "origin", token=token)
    assert code == 0, output
    assert work.git("rev-parse", "origin/fix") == theirs
    assert [(one.branch, one.user, one.forced) for one in project.pushes[1:]] == [
        ("fix", "ada", False),
        ("fix", "grace", False),
    ]
    assert project.repository.is_clean()


def test_a_large_push_arrives_in_chunks(server: ForgeServer, tmp_path: Path) -> None:
    project = server.add("gitea", "team/packs", FILES)
    token = server.add_token()
    work = cloned(project, token, tmp_path / "work")
    data = os.urandom(3_000_000)
    commit = work.commit({"large.bin": data})
    code, output = git(work.folder, "push", "--quiet", "origin", "HEAD:main", token=token)
    assert code == 0, output
    assert project.branches["main"] == commit
    assert project.show("main", "large.bin") == data
    chunked = [one for one in server.requests if "transfer-encoding" in one.headers]
    assert chunked


def test_a_forced_push_is_recorded(server: ForgeServer, project: Project, tmp_path: Path) -> None:
    token = server.add_token()
    work = cloned(project, token, tmp_path / "work")
    work.git("commit", "--quiet", "--amend", "--message", "Other")
    assert git(work.folder, "push", "origin", "HEAD:main", token=token)[0] != 0
    code, output = git(work.folder, "push", "--force", "origin", "HEAD:main", token=token)
    assert code == 0, output
    assert [one.forced for one in project.pushes] == [False, True]


@pytest.mark.parametrize(
    ("rights", "user", "words", "status"),
    [
        ({}, "", "", 401),
        ({"projects": ["team/other"]}, "ada", "Repository not found", 404),
        ({"may_push": False}, "ada", "403", 403),
    ],
)
def test_git_is_refused_without_the_right(
    server: ForgeServer,
    project: Project,
    tmp_path: Path,
    rights: dict[str, Any],
    user: str,
    words: str,
    status: int,
) -> None:
    good = server.add_token()
    work = cloned(project, good, tmp_path / "work")
    work.commit({"a.txt": b"changed\n"})
    before = project.branches
    token = server.add_token(**rights)
    code, output = git(work.folder, "push", "origin", "HEAD:main", token=token, user=user)
    assert code != 0
    assert words in output
    assert server.requests[-1].status == status
    assert project.branches == before


@pytest.mark.parametrize("token", ["", "wrong"])
def test_git_is_refused_without_a_known_token(
    server: ForgeServer, project: Project, tmp_path: Path, token: str
) -> None:
    code, _ = git(tmp_path, "clone", project.url, "work", token=token)
    assert code != 0
    assert {one.status for one in server.requests} == {401}


def test_a_public_project_is_read_without_a_token_and_not_written(
    server: ForgeServer, tmp_path: Path
) -> None:
    project = server.add("gitea", "team/open", FILES, public=True)
    work = cloned(project, "", tmp_path / "work")
    work.commit({"a.txt": b"changed\n"})
    assert git(work.folder, "push", "origin", "HEAD:main")[0] != 0
    assert project.show("main", "a.txt") == FILES["a.txt"]


def test_a_protected_branch_refuses_a_push(
    server: ForgeServer, project: Project, tmp_path: Path
) -> None:
    token = server.add_token()
    project.protect("main")
    work = cloned(project, token, tmp_path / "work")
    work.commit({"a.txt": b"changed\n"})
    code, output = git(work.folder, "push", "origin", "HEAD:main", token=token)
    assert code != 0
    assert "GH006: Protected branch" in output
    assert git(work.folder, "push", "origin", "HEAD:refs/heads/fix", token=token)[0] == 0


def test_a_merge_commit_has_both_parents(project: Project) -> None:
    main, head = project.branches["main"], branch_of(project)
    made = project.merge(opened(project))
    assert project.branches["main"] == made
    assert project.repository.git("rev-parse", f"{made}^1", f"{made}^2").split() == [main, head]
    assert project.show("main", "a.txt") == b"one\n2\nthree\n"


def test_a_squash_is_one_commit(project: Project) -> None:
    main = project.branches["main"]
    branch_of(project)
    branch_of(project, b"one\n2\n3\n")
    made = project.merge(opened(project), "squash", delete_branch=True)
    assert project.repository.git("rev-list", f"{main}..{made}").split() == [made]
    assert project.show("main", "a.txt") == b"one\n2\n3\n"
    assert "fix" not in project.branches


def test_a_rebase_writes_the_commits_again(project: Project) -> None:
    head = branch_of(project)
    project.commit({"other.txt": b"other\n"})
    main = project.branches["main"]
    made = project.merge(opened(project), "rebase")
    assert made != head
    assert project.repository.git("rev-list", "--parents", f"{main}..{made}") == f"{made} {main}"
    assert project.show("main", "a.txt") == b"one\n2\nthree\n"
    assert project.show("main", "other.txt") == b"other\n"


@pytest.mark.parametrize("way", ["merge", "squash", "rebase"])
def test_a_conflict_is_not_merged(project: Project, way: Any) -> None:
    branch_of(project)
    number = opened(project)
    main = project.commit({"a.txt": b"one\nzwei\nthree\n"})
    with pytest.raises(MergeConflict):
        project.merge(number, way)
    assert project.branches["main"] == main
    assert project.pull(number).state == "open"


@pytest.mark.parametrize(
    ("kind", "fields", "status"),
    [
        ("github", {"head": "fix", "base": "main", "title": "T", "boddy": ""}, 422),
        ("github", {"head": "fix", "base": "main"}, 422),
        ("github", {"head": "none", "base": "main", "title": "T"}, 422),
        ("github", {"head": "main", "base": "main", "title": "T"}, 422),
        (
            "gitlab",
            {"source_branch": "fix", "target_branch": "main", "title": "T", "body": ""},
            400,
        ),
        ("gitlab", {"source_branch": "fix", "target_branch": "main", "title": ""}, 400),
        ("gitlab", {"source_branch": "none", "target_branch": "main", "title": "T"}, 422),
        ("gitea", {"head": "fix", "base": "main", "title": "T", "draft": True}, 422),
        ("gitea", {"head": "none", "base": "main", "title": "T"}, 404),
        ("gitea", {"head": "main", "base": "main", "title": "T"}, 422),
    ],
)
def test_an_api_refuses_wrong_fields(
    server: ForgeServer, kind: Any, fields: dict[str, Any], status: int
) -> None:
    project = server.add(kind, "team/packs", FILES)
    branch_of(project)
    path = (
        "/projects/team%2Fpacks/merge_requests" if kind == "gitlab" else "/repos/team/packs/pulls"
    )
    headers = {"authorization": f"Bearer {server.add_token()}"}
    answer = httpx2.post(server.api_url(kind) + path, json=fields, headers=headers)
    assert answer.status_code == status, answer.text
    assert project.pulls == []


@pytest.mark.parametrize("kind", KINDS)
def test_an_api_requires_a_token(server: ForgeServer, kind: Any) -> None:
    server.add(kind, "team/packs", FILES)
    path = (
        "/projects/team%2Fpacks/merge_requests" if kind == "gitlab" else "/repos/team/packs/pulls"
    )
    url = server.api_url(kind) + path
    assert httpx2.get(url).status_code == 404
    wrong = {"authorization": "Bearer wrong"}
    assert httpx2.get(url, headers=wrong).status_code == 401
    other = server.add_token(projects=["team/other"])
    assert httpx2.get(url, headers={"authorization": f"Bearer {other}"}).status_code == 404
    good = {"authorization": f"Bearer {server.add_token()}"}
    assert httpx2.get(url, headers=good).json() == []


def test_webhooks_report_pushes_and_pull_requests(server: ForgeServer, project: Project) -> None:
    received: list[tuple[dict[str, str], bytes]] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            received.append(({k.lower(): v for k, v in self.headers.items()}, body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is printed."""

    with HTTPServer(("127.0.0.1", 0), Receiver) as receiver:
        thread = threading.Thread(target=receiver.serve_forever, args=(0.05,))
        thread.start()
        project.hook(f"http://127.0.0.1:{receiver.server_port}/hook/", "s3cret")
        branch_of(project)
        project.merge(opened(project))
        deliveries = server.deliveries()
        receiver.shutdown()
        thread.join()
    assert [(one.event, one.status) for one in deliveries] == [
        ("push", 204), ("pull_request", 204), ("push", 204), ("pull_request", 204),
    ]  # fmt: skip
    assert [body for _, body in received] == [one.body for one in deliveries]


def test_leaks_are_found(server: ForgeServer, project: Project, tmp_path: Path) -> None:
    token = server.add_token()
    cloned(project, token, tmp_path / "work")
    assert server.leaks_of(token) == []
    url = server.api_url("gitea")
    httpx2.get(f"{url}/repos/a/b/pulls", params={"access_token": token})
    httpx2.post(f"{url}/repos/a/b/pulls", content=token.encode())
    httpx2.get(f"{url}/x", headers={"referer": b64encode(token.encode()).decode()})
    assert len(server.leaks_of(token)) == 3
