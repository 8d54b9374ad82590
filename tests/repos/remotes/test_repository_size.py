"""The limit of the size of a repository, with a real git server on loopback."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.repos.conftest import PACK
from tests.support.forge_server import ForgeServer, Project
from workflows.actions import repositories as actions
from workflows.models import Repository
from workflows.repos.fetches import fetch
from workflows.repos.mirror import mirror_folder, open_mirror

MIB = 1024 * 1024
LARGE = {"large.bin": random.Random(1).randbytes(3 * MIB)}


@pytest.fixture
def forge(tmp_path: Path, settings: Any) -> Iterator[ForgeServer]:
    settings.DATA = tmp_path / "data"
    settings.DATA.mkdir()
    settings.SIGNALBOX_REPOSITORY_SIZE = 1
    with ForgeServer(tmp_path / "forge") as server:
        settings.SIGNALBOX_PRIVATE_HOSTS = [server.host]
        yield server


def connect(forge: ForgeServer, project: Project, owner: User) -> Repository:
    return actions.create(
        owner, url=project.url, credential="token", secret=forge.add_token(), forge=project.kind
    )


def size(row: Repository) -> int:
    return sum(one.stat().st_size for one in mirror_folder(row.pk).rglob("*") if one.is_file())


def partial_files(row: Repository) -> list[Path]:
    return list((mirror_folder(row.pk) / "objects" / "pack").iterdir())


def test_a_clone_that_is_too_large_is_stopped_and_leaves_nothing(
    forge: ForgeServer, ada: User
) -> None:
    row = connect(forge, forge.add("gitea", "team/packs", {**PACK, **LARGE}), ada)
    row = fetch(row.pk)
    assert "larger than 1 MiB" in row.problem
    assert "SIGNALBOX_REPOSITORY_SIZE" in row.problem
    assert partial_files(row) == []
    assert size(row) < MIB


def test_a_fetch_that_is_too_large_keeps_the_mirror(
    forge: ForgeServer, ada: User, settings: Any
) -> None:
    project = forge.add("gitea", "team/packs", PACK)
    row = connect(forge, project, ada)
    first = fetch(row.pk).branches["main"]
    before = set(partial_files(row))
    project.commit(LARGE, "Add a large file", branch="main")
    row = fetch(row.pk)
    assert "larger than 1 MiB" in row.problem
    assert row.branches["main"] == first
    assert set(partial_files(row)) == before
    mirror = open_mirror(row.pk)
    assert mirror is not None
    assert mirror.commit_named("refs/remotes/origin/main") == first
    settings.SIGNALBOX_REPOSITORY_SIZE = 64
    row = fetch(row.pk)
    assert (row.problem, row.branches["main"] != first) == ("", True)
    assert mirror.git.text("fsck", "--strict", "--full", "--no-dangling", "--no-progress") == ""


def test_many_small_objects_count_too(forge: ForgeServer, ada: User) -> None:
    chance = random.Random(2)
    files = {f"part-{n}.bin": chance.randbytes(128 * 1024) for n in range(20)}
    row = connect(forge, forge.add("gitea", "team/packs", {**PACK, **files}), ada)
    assert "larger than 1 MiB" in fetch(row.pk).problem
    assert size(row) < MIB
