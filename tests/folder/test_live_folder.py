"""`signalbox open` in a process of its own: its watcher, a real git, and two packs."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import HTTPError

import pytest

from tests.support.folder_server import FolderServer
from tests.support.git_program import GitRepository, init
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
