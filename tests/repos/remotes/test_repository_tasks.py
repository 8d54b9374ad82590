"""Work on repositories that outlasts its request: 202, progress, one at a time, killed servers."""

from __future__ import annotations

import fcntl
import json
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.repos.conftest import FIRST, PACK
from tests.repos.remotes.conftest import Team, edit
from tests.support.forge_server import ApiAnswer, ForgeRequest, ForgeServer
from tests.support.git_program import GitRepository, init
from tests.support.live_server import LiveServer
from workflows.actions import repositories
from workflows.actions import repository_tasks as actions
from workflows.models import Change, Repository, RepositoryTask
from workflows.repos import network_git
from workflows.repos.mirror import locked, mirror_folder
from workflows.repos.network_git import run
from workflows.runner import repository_tasks as tasks
from workflows.runner.repository_polls import fetch_due

threads = pytest.mark.threads
transactions = pytest.mark.django_db(transaction=True)


class Gate(ForgeServer):
    """A forge whose answers to git wait while the gate is closed. Requests then wait shortly."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.open = threading.Event()
        self.open.set()
        self.arrived = threading.Event()

    def answer(self, request: ForgeRequest) -> ApiAnswer:
        if "git-upload-pack" in request.path or "git-receive-pack" in request.path:
            self.arrived.set()
            self.open.wait(300)
        return super().answer(request)

    @contextmanager
    def closed(self) -> Iterator[None]:
        self.arrived.clear()
        self.open.clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tasks, "WAIT", 0.5)
            try:
                yield
            finally:
                self.open.set()


@pytest.fixture
def forge(tmp_path: Path, settings: Any) -> Iterator[Gate]:
    settings.DATA = tmp_path / "data"
    settings.DATA.mkdir()
    with Gate(tmp_path / "forge") as server:
        settings.SIGNALBOX_PRIVATE_HOSTS = [server.host]
        yield server


@pytest.fixture(autouse=True)
def _long_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "WAIT", 120)


def send(client: Client, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    answer = client.generic(
        method, f"/api/v1/{path}", json.dumps(body or {}), content_type="application/json"
    )
    return answer.status_code, answer.json() if answer.content else None


def connect(client: Client, forge: Gate) -> int:
    project = forge.add("gitea", "team/packs", PACK)
    status, row = send(
        client, "POST", "repositories/",
        {"url": project.url, "forge": "gitea", "credential": "token", "secret": forge.add_token()},
    )  # fmt: skip
    assert status == 201
    ended(client, row["task"])
    return int(row["id"])


def until(check: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 120
    while not (value := check()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return value


def ended(client: Client, task: Any) -> Any:
    path = f"repositories/{task['repository']}/tasks/{task['id']}/"
    return until(lambda: (row := send(client, "GET", path)[1])["status"] != "running" and row)


@threads
@transactions
def test_a_slow_fetch_leaves_the_request_and_shows_its_state(forge: Gate, site: Client) -> None:
    id = connect(site, forge)
    with forge.closed():
        status, task = send(site, "POST", f"repositories/{id}/fetch/")
        assert status == 202
        assert (task["kind"], task["status"], task["finished_at"]) == ("fetch", "running", None)
        page = site.get(f"/repositories/{id}/").content.decode()
        assert f'data-task="{task["id"]}"' in page
        assert "A fetch is running since" in page
        assert send(site, "GET", f"repositories/{id}/")[1]["task"]["status"] == "running"
    assert ended(site, task)["status"] == "done"
    assert "data-task=" not in site.get(f"/repositories/{id}/").content.decode()


@threads
@transactions
def test_one_task_of_a_repository_runs_at_a_time(forge: Gate, site: Client) -> None:
    id = connect(site, forge)
    with forge.closed():
        _, first = send(site, "POST", f"repositories/{id}/fetch/")
        _, second = send(site, "POST", f"repositories/{id}/fetch/")
        assert second["id"] == first["id"]
        status, refusal = send(
            site, "POST", f"repositories/{id}/track/", {"packs": ["a.flow.json"]}
        )
        assert status == 409
        assert refusal["message"].startswith("A fetch of this repository is running since")
    assert ended(site, first)["status"] == "done"


@threads
@transactions
def test_a_slow_proposal_is_pushed_after_its_request(forge: Gate, site: Client, ada: User) -> None:
    id = connect(site, forge)
    status, made = send(site, "POST", f"repositories/{id}/track/", {"packs": ["a.flow.json"]})
    assert status == 201
    pack = made["packs"][0]["id"]
    from workflows.models import Pack

    edit(Pack.objects.get(pk=pack), b"One", b"Eins")
    body = {"branch": "signalbox/tiny", "title": "Change", "message": "Change the title"}
    with forge.closed():
        status, task = send(site, "POST", f"packs/{pack}/upstream/propose/", body)
        assert (status, task["kind"]) == (202, "propose")
        assert Change.objects.count() == 0
    done = ended(site, task)
    assert done["problem"] == ""
    assert done["result"]["change"]["branch"] == "signalbox/tiny"
    assert forge.projects[0].branches["signalbox/tiny"] == done["result"]["commit"]
    assert forge.projects[0].show("signalbox/tiny", "a.flow.json") == FIRST.replace(b"One", b"Eins")


@threads
@transactions
def test_a_failed_task_names_its_problem(forge: Gate, site: Client) -> None:
    id = connect(site, forge)
    with forge.closed():
        _, task = send(site, "POST", f"repositories/{id}/fetch/")
        forge.tokens.clear()
    failed = ended(site, task)
    assert failed["status"] == "failed"
    assert "refused the credential" in failed["problem"]
    assert "refused the credential" in send(site, "GET", f"repositories/{id}/")[1]["problem"]


def test_a_scan_of_the_same_commit_is_not_repeated(team: Team) -> None:
    first = tasks.scan(team.row, "", team.owner)
    assert tasks.scan(team.row, "", team.owner).task == first.task
    team.push({"b.flow.json": FIRST})
    team.fetch()
    second = tasks.scan(team.row, "", team.owner)
    assert [one["main"] for one in second.result()["packs"]] == ["a.flow.json", "b.flow.json"]


def test_the_result_of_a_task_is_for_its_author(team: Team, bob: User) -> None:
    from workflows.selectors.repository_tasks import task_json

    task = tasks.scan(team.row, "", team.owner).task
    assert task_json(task, team.owner)["result"] is not None
    assert task_json(task, bob)["result"] is None


def test_a_task_of_a_dead_process_is_continued(team: Team) -> None:
    commit = team.push({"a.flow.json": FIRST.replace(b"Two", b"Zwei")})
    task = actions.begin(team.row, "fetch", {}, team.owner)
    assert task is not None
    assert tasks.continue_left() == 0
    RepositoryTask.objects.update(beat_at=timezone.now() - timedelta(minutes=1))
    fetch_due()
    task.refresh_from_db()
    assert (task.status, task.attempts) == ("done", 2)
    assert Repository.objects.get().branches["main"] == commit


def test_a_task_whose_processes_die_again_and_again_fails(team: Team) -> None:
    task = actions.begin(team.row, "fetch", {}, team.owner)
    assert task is not None
    RepositoryTask.objects.update(
        beat_at=timezone.now() - timedelta(minutes=1), attempts=tasks.MAX_ATTEMPTS
    )
    assert tasks.continue_left() == 0
    task.refresh_from_db()
    assert task.status == "failed"
    assert "stopped several times" in task.refusal["message"]


def test_a_process_that_lost_its_task_writes_nothing(team: Team) -> None:
    task = actions.begin(team.row, "fetch", {}, team.owner)
    assert task is not None
    other = RepositoryTask.objects.get(pk=task.pk)
    assert actions.take_over(other)
    assert not actions.beat(task, "late")
    actions.fail(task, {"message": "late"})
    assert RepositoryTask.objects.get(pk=task.pk).status == "running"


def test_locks_and_parts_of_killed_git_programs_are_removed(team: Team) -> None:
    mirror = mirror_folder(team.row.pk)
    left = [
        mirror / "packed-refs.lock",
        mirror / "refs" / "remotes" / "origin" / "main.lock",
        mirror / "objects" / "pack" / "tmp_pack_AAAAAA",
    ]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"left")
    commit = team.push({"a.flow.json": FIRST.replace(b"Two", b"Zwei")})
    assert team.fetch().branches["main"] == commit
    assert [path for path in left if path.exists()] == []


def test_a_program_that_outlives_its_server_keeps_the_lock_until_it_ends(team: Team) -> None:
    path = mirror_folder(team.row.pk).with_suffix(".lock")
    with locked(team.row.pk) as lock:
        child = subprocess.Popen(["sleep", "60"], pass_fds=(lock,))
    with path.open("w") as other:
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        child.kill()
        child.wait()
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_progress_of_git_is_shown_and_no_other_text_of_a_remote(team: Team) -> None:
    lines: list[str] = []
    clone = team.colleague.folder.parent / "clone.git"
    from workflows.repos.git import Git

    git = Git(folder=clone.parent).extended({"GIT_ALLOW_PROTOCOL": "file"})
    run(git, "clone", "--bare", "--progress", team.remote.folder.as_uri(), str(clone),
        progress=lines.append)  # fmt: skip
    assert any(line.startswith("Receiving objects: 100%") for line in lines)
    assert not any("Cloning" in line for line in lines)


def test_a_killed_server_leaves_its_fetch_to_the_next_one(tmp_path: Path) -> None:
    with Gate(tmp_path / "forge") as forge:
        data = tmp_path / "data"
        data.mkdir()
        server = LiveServer(data, SIGNALBOX_PRIVATE_HOSTS=forge.host)
        server.start()
        server.sign_in()
        project = forge.add("gitea", "team/packs", PACK)
        row = server.post(
            "repositories/",
            {"url": project.url, "credential": "token", "secret": forge.add_token()},
        )
        first = f"repositories/{row['id']}/tasks/{row['task']['id']}/"
        until(lambda: server.get(first)["status"] == "done")
        commit = project.commit({"a.flow.json": b"{}"}, "Change", branch="main")
        with forge.closed():
            task = server.post(f"repositories/{row['id']}/fetch/", {})
            assert task["status"] == "running"
            server.end(signal.SIGKILL)
        with sqlite3.connect(data / "signalbox.sqlite3") as database:
            database.execute("UPDATE workflows_repositorytask SET beat_at = '2020-01-01 00:00:00'")
        database.close()
        server.start()
        try:
            path = f"repositories/{row['id']}/tasks/{task['id']}/"
            done = until(lambda: (now := server.get(path))["status"] != "running" and now)
            assert (done["status"], done["problem"]) == ("done", "")
            branches = server.get(f"repositories/{row['id']}/")["branches"]
            assert {"name": "main", "commit": commit} in branches
            folder = data / "repositories" / f"{row['id']}.git"
            assert GitRepository(folder).is_clean()
        finally:
            server.end(signal.SIGTERM)


@threads
@transactions
def test_slow_remotes_of_one_user_do_not_delay_another_user(
    forge: Gate, site: Client, roots: Path, django_user_model: type[User]
) -> None:
    token = forge.add_token()
    ids = []
    for number in range(4):
        project = forge.add("gitea", f"team/slow-{number}", PACK)
        body = {"url": project.url, "forge": "gitea", "credential": "token", "secret": token}
        ids.append(send(site, "POST", "repositories/", body)[1]["id"])
    remote = init(roots / "other")
    remote.commit(PACK, "first")
    other = django_user_model.objects.create_user("other")
    row = repositories.create(other, url=str(remote.folder), name="Other")
    with forge.closed():
        slow = [send(site, "POST", f"repositories/{id}/fetch/") for id in ids]
        assert [status for status, _ in slow] == [202] * 4
        tasks.start(row, tasks.Kind.FETCH, {}, other)
        until(lambda: Repository.objects.get(pk=row.pk).branches)
        assert RepositoryTask.objects.filter(status="running").count() == 4
    for _, task in slow:
        assert ended(site, task)["status"] == "done"


@threads
@transactions
def test_the_owner_ends_a_task_and_a_deleted_repository_leaves_no_process(
    forge: Gate, site: Client
) -> None:
    id = connect(site, forge)
    with forge.closed():
        _, task = send(site, "POST", f"repositories/{id}/fetch/")
        until(forge.arrived.is_set)
        assert network_git._running
        path = f"repositories/{id}/tasks/{task['id']}/"
        assert send(site, "DELETE", path)[0] == 204
        assert send(site, "DELETE", path)[0] == 409
        until(lambda: not network_git._running)
        assert send(site, "GET", path)[1]["problem"] == "ada ended this."
        forge.arrived.clear()
        until(lambda: send(site, "POST", f"repositories/{id}/fetch/")[0] == 202)
        until(forge.arrived.is_set)
        assert send(site, "DELETE", f"repositories/{id}/")[0] == 204
        until(lambda: not network_git._running)
    assert not RepositoryTask.objects.exists()
