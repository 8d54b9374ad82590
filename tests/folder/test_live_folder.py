"""`signalbox open` in a process of its own: its watcher, a real git, and two packs."""

from __future__ import annotations

import random
import shutil
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.error import HTTPError

import pytest

from tests.support.folder_server import FolderServer
from tests.support.git_program import GitRepository, contents_of, init
from tests.support.live_server import ROOT
from tests.support.opened_folder import on_disk

SAMPLES = ROOT / "workflows/core/dialects"
ONE = "review-loop.pack.json"
MANY = "delivery/pipeline.json"

pytestmark = pytest.mark.sqlite


@pytest.fixture
def git(tmp_path: Path) -> GitRepository:
    """A repository with a pack of one file, a pack of several, and a file that git ignores."""
    folder = tmp_path / "folder"
    shutil.copytree(SAMPLES / "stages/samples/feature-delivery", folder / "delivery")
    shutil.copy(SAMPLES / "promptpack/samples" / ONE, folder)
    (folder / "build").mkdir()
    shutil.copy(SAMPLES / "promptpack/samples" / ONE, folder / "build")
    (folder / ".gitignore").write_text("build/\n")
    made = init(folder)
    made.commit({})
    return made


@pytest.fixture
def server(git: GitRepository, tmp_path: Path) -> Iterator[FolderServer]:
    made = FolderServer.opening(git.folder, tmp_path / "data")
    made.sign_in()
    yield made
    made.stop()


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline
        threading.Event().wait(0.2)


def is_in_step(server: FolderServer, git: GitRepository) -> bool:
    """True if the packs of the server are the packs of the folder, byte for byte."""
    files = on_disk(git.folder)
    shown: dict[str, bytes] = {}
    try:
        for one in server.packs().values():
            shown |= server.files(one["id"])
    except HTTPError:  # a pack was deleted in between
        return False
    outside = {".gitignore", f"build/{ONE}"}
    return shown == {path: data for path, data in files.items() if path not in outside}


def add_state(server: FolderServer, main: str, name: str) -> bool:
    """Add a state on the canvas; False if its pack is gone meanwhile."""
    pack = server.packs().get(main)
    if pack is None:
        return False
    body = {"base": pack["head"], "edits": [{"type": "add_state", "id": name}]}
    try:
        server.post(f"packs/{pack['id']}/edits/", body)
    except HTTPError as refused:
        assert refused.code in (404, 409, 422), refused.__notes__
        return False
    return True


def test_a_checkout_moves_renames_and_deletes_packs(
    server: FolderServer, git: GitRepository
) -> None:
    ids = {main: one["id"] for main, one in server.packs().items()}
    assert ids.keys() == {ONE, MANY}
    git.git("switch", "--quiet", "--create", "other")
    git.git("mv", "delivery", "shipping")
    git.git("rm", "--quiet", ONE)
    git.commit({})
    wait_until(lambda: server.packs().keys() == {"shipping/pipeline.json"})
    assert server.packs()["shipping/pipeline.json"]["id"] == ids[MANY]
    git.git("switch", "--quiet", "main")
    wait_until(lambda: server.packs().keys() == {ONE, MANY})
    assert {main: one["id"] for main, one in server.packs().items()} == ids
    wait_until(lambda: is_in_step(server, git))


def test_packs_of_the_canvas_are_written_and_deleted(
    server: FolderServer, git: GitRepository
) -> None:
    before = on_disk(git.folder)
    pack = server.packs()[MANY]
    copy = server.post(f"packs/{pack['id']}/duplicate/", {})
    wait_until(lambda: is_in_step(server, git))
    added = on_disk(git.folder).keys() - before.keys()
    assert len(added) == len(server.files(copy["id"]))
    for each in (copy["id"], pack["id"]):
        server.delete(f"packs/{each}/")
    left = {path: data for path, data in before.items() if not path.startswith("delivery/")}
    wait_until(lambda: on_disk(git.folder) == left)
    (git.folder / "note.txt").write_text("another change")
    wait_until(lambda: server.packs().keys() == {ONE})


def test_a_stop_writes_the_last_edit(git: GitRepository, tmp_path: Path) -> None:
    server = FolderServer.opening(git.folder, tmp_path / "data")
    server.sign_in()
    assert add_state(server, ONE, "last")
    server.stop()
    assert b'"last"' in (git.folder / ONE).read_bytes()


def test_a_checkout_brings_the_layout_of_a_colleague(git: GitRepository, tmp_path: Path) -> None:
    server = FolderServer.opening(git.folder, tmp_path / "data", "--save-layout")
    server.sign_in()
    place = git.folder / f".signalbox/layout/{ONE}.json"
    pack = server.packs()[ONE]
    assert not place.exists()
    move = {"type": "move", "positions": {"draft": [12, 34.5]}}
    server.post(f"packs/{pack['id']}/edits/", {"base": pack["head"], "edits": [move]})
    wait_until(place.exists)
    assert '"draft": {"x": 12, "y": 34.5}' in place.read_text()
    git.commit({})
    git.git("switch", "--quiet", "--create", "colleague")
    git.commit({place.relative_to(git.folder).as_posix(): place.read_bytes().replace(b"12", b"77")})
    git.git("switch", "--quiet", "main")
    wait_until(lambda: position(server, "draft") == (12, 34.5))
    git.git("switch", "--quiet", "colleague")
    wait_until(lambda: position(server, "draft") == (77, 34.5))
    assert git.git("status", "--porcelain") == ""
    server.stop()
    assert git.git("status", "--porcelain") == ""


def position(server: FolderServer, state: str) -> tuple[float, float]:
    """The place of a state on the canvas."""
    graph = server.get(f"packs/{server.packs()[ONE]['id']}/graph/")
    (one,) = [one for one in graph["states"] if one["id"] == state]
    return one["x"], one["y"]


def committed(git: GitRepository, *words: str) -> None:
    """Commit, then run a command of git. Git refuses either while a file is being saved, so both
    are tried again, as a user does."""
    for _ in range(20):
        try:
            git.commit({})
            git.git(*words)
            return
        except AssertionError as refused:
            last = refused
    raise last


@pytest.mark.slow
def test_random_interleavings_end_in_step(server: FolderServer, git: GitRepository) -> None:
    """No step waits for the watcher."""
    chance, root = random.Random(1), git.folder
    marks: list[str] = []
    for number in range(60):
        mark = f"mark{number}x"
        place, stage = root / ONE, root / "delivery/stages/plan.md"
        match chance.randrange(6):
            case 0 | 1 if add_state(server, ONE, mark):
                marks.append(mark)
            case 2 if place.exists():
                text = place.read_text()
                start, found, rest = text.partition('"description": "')
                place.write_text(f"{start}{found}{mark} {rest}")
                marks.append(mark)
            case 3 if stage.exists():
                with stage.open("a") as file:
                    file.write(f"{mark}\n")
                marks.append(mark)
            case 4:
                branches = git.git("branch", "--format=%(refname:short)").split()
                target = ["-c", mark] if len(branches) < 3 else [branches[0]]
                committed(git, "switch", "--quiet", *target)
            case 5 if place.exists() and chance.random() < 0.3:
                committed(git, "rm", "--quiet", ONE)
    wait_until(lambda: is_in_step(server, git))
    kept = contents_of(git) + b"".join(on_disk(root).values()) + history_of(server)
    assert [mark for mark in marks if mark.encode() not in kept] == []


def history_of(server: FolderServer) -> bytes:
    """The file contents and byte changes of every revision in the database."""
    with closing(sqlite3.connect(server.data / "signalbox.sqlite3")) as rows:
        blobs = [
            zlib.decompress(data) for (data,) in rows.execute("SELECT data FROM workflows_blob")
        ]
        changes = [
            text.encode() for (text,) in rows.execute("SELECT changes FROM workflows_revision")
        ]
    return b"".join([*blobs, *changes])
