"""A bare remote with a pack, a colleague's clone, and a repository that follows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.repos.conftest import PACK, set_files
from tests.support.git_program import GitRepository, clone, init
from workflows.actions import repositories as actions
from workflows.models import Pack, Repository, TrackedPack
from workflows.repos.fetches import fetch
from workflows.repos.scans import track


@dataclass
class Team:
    """`remote`: the bare repository; `colleague`: another user's clone; `row`: ours."""

    remote: GitRepository
    colleague: GitRepository
    row: Repository
    owner: User

    def push(self, files: Mapping[str, bytes | None], message: str = "theirs") -> str:
        """A colleague's commit on `main`."""
        self.colleague.git("pull", "--quiet", "--ff-only")
        commit = self.colleague.commit(files, message)
        self.colleague.git("push", "--quiet")
        return commit

    def fetch(self) -> Repository:
        self.row = fetch(self.row.pk)
        assert self.row.problem == ""
        return self.row

    def track(self, *mains: str, ref: str = "") -> list[Pack]:
        return list(track(self.row, ref, mains or ["a.flow.json"], self.owner).packs)


@pytest.fixture
def team(roots: Path, settings: Any, ada: User) -> Team:
    settings.DATA = roots.parent / "data"
    settings.DATA.mkdir()
    first = init(roots / "first")
    first.commit({**PACK, "README.md": b"# Packs\n"}, "first")
    first.git("clone", "--quiet", "--bare", ".", str(roots / "remote.git"))
    remote = GitRepository(roots / "remote.git")
    colleague = clone(remote, roots / "colleague")
    row = actions.create(ada, url=str(remote.folder), name="Team")
    made = Team(remote=remote, colleague=colleague, row=row, owner=ada)
    made.fetch()
    return made


def here(pack: Pack) -> Pack:
    return Pack.objects.get(pk=pack.pk)


def place(pack: Pack) -> TrackedPack:
    return TrackedPack.objects.select_related("pack", "repository").get(pack=pack)


def edit(pack: Pack, old: bytes, new: bytes, path: str = "a.flow.json") -> Pack:
    """Save a revision with one text replaced."""
    from workflows.selectors.sources import opened

    text = opened(here(pack)).files[path]
    assert old in text
    return set_files(pack, {path: text.replace(old, new)})
