"""Every test here has a database, the `flow` dialect and a real git repository."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.support.git_program import GitRepository, init
from tests.support.server_fixtures import *  # noqa: F403
from tests.support.server_fixtures import _flow_dialect  # noqa: F401
from workflows.actions import packs, save_revision
from workflows.actions.save_revision import Step
from workflows.core.pack.files import Files
from workflows.models import Pack, Revision
from workflows.repos.commits import Person
from workflows.repos.exports import CommitRequest, ExportRequest, commit, preview
from workflows.repos.imports import ImportRequest, import_commit
from workflows.repos.repository import open_allowed
from workflows.selectors.sources import opened, read

FIRST = b"""{
  "name": "Tiny",
  "entry": "A",
  "states": {
    "A": {"title": "One", "on": {"Go": "B"}},
    "B": {"title": "Two"}
  }
}
"""
NOTE = "a.flow.json.notes/note.md"
PACK: dict[str, bytes] = {
    "a.flow.json": FIRST,
    NOTE: b"# Note\n\nFirst line.\n\nMiddle line.\n\nLast line.\n",
}

Export = Callable[..., dict[str, Any]]


@pytest.fixture
def roots(tmp_path: Path, settings: Any) -> Path:
    """The folder that the operator allows."""
    folder = tmp_path / "roots"
    folder.mkdir()
    settings.SIGNALBOX_REPOSITORIES = [folder]
    return folder


@pytest.fixture
def repository(roots: Path) -> GitRepository:
    """A repository with the pack, an executable and a link; `main` is checked out."""
    made = init(roots / "repo")
    made.write({**PACK, "tool.sh": b"#!/bin/sh\n"})
    (made.folder / "tool.sh").chmod(0o755)
    (made.folder / "link").symlink_to("tool.sh")
    made.commit({}, "first")
    return made


@pytest.fixture
def taken(repository: GitRepository, ada: User) -> Pack:
    """The pack of the repository, imported from its newest commit."""
    return take(repository, ada)


def take(repository: GitRepository, owner: User | None = None, **request: Any) -> Pack:
    """Import the pack of a repository."""
    wanted = ImportRequest(repository=repository.folder, **request)
    return import_commit(wanted, owner).packs[0]


def upload(files: Mapping[str, bytes], owner: User | None = None) -> Pack:
    """Import files that come from nowhere."""
    return packs.import_files(files, owner=owner).packs[0]


def set_files(pack: Pack, changes: Mapping[str, bytes | None]) -> Pack:
    """Save a revision with these files replaced, added or (None) removed."""
    current = Pack.objects.get(pk=pack.pk)
    head = opened(current)
    after = read(current.pk, head.dialect, Files.of(head.files).changed(changes))
    step = Step(kind=Revision.Kind.EDIT, author=None, summary="change", head=head, after=after)
    save_revision.save(current, step)
    return Pack.objects.get(pk=pack.pk)


def target(repository: GitRepository, **changed: Any) -> ExportRequest:
    opened_here = open_allowed(repository.folder)
    asked: dict[str, Any] = {"repository": opened_here, "branch": "signalbox/edit"}
    return ExportRequest(**{**asked, **changed})


def export(pack: Pack, repository: GitRepository, **changed: Any) -> dict[str, Any]:
    """Export the newest revision; the work tree of the user must not change."""
    known = {"message", "author", "committer", "tree"}
    person = Person(name="Ada", email="ada@example.org")
    how: dict[str, Any] = {"message": "Edit the flow", "author": person, "committer": person}
    how |= {key: value for key, value in changed.items() if key in known}
    where = {key: value for key, value in changed.items() if key not in known}
    work_tree = (repository.folder / ".git").is_dir()
    before = repository.user_state() if work_tree else ()
    try:
        current = Pack.objects.get(pk=pack.pk)
        return commit(current, target(repository, **where), CommitRequest(**how))
    finally:
        if work_tree:
            assert repository.user_state() == before


def plan(pack: Pack, repository: GitRepository, **changed: Any) -> dict[str, Any]:
    """Preview an export; the repository must not change at all."""
    before = _all_files(repository)
    try:
        return preview(Pack.objects.get(pk=pack.pk), target(repository, **changed))
    finally:
        assert _all_files(repository) == before


def _all_files(repository: GitRepository) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in repository.folder.rglob("*") if path.is_file()}
