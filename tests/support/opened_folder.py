"""An opened folder in this process, and edits of its packs."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from workflows.actions import packs
from workflows.actions.people import first_person
from workflows.core.pack.edits import AddState
from workflows.folder.sync import FolderSync
from workflows.models import Pack

FIRST = b"""{
  "name": "Tiny",
  "entry": "A",
  "states": {
    "A": {"title": "One", "on": {"Go": "B"}},
    "B": {"title": "Two"}
  }
}
"""
MAIN = "a.flow.json"
PART = f"{MAIN}.notes/why.md"
"""A second file of the pack, as the test's dialect names them."""


def opened_folder(root: Path, *, saves_layout: bool = False) -> FolderSync:
    """As each process opens it: with what the one before recorded."""
    record = root.with_suffix(".json")
    return FolderSync(root, first_person(), record, saves_layout=saves_layout)


def pack_of(sync: FolderSync, main: str = MAIN) -> Pack:
    """The pack of the folder with this main file."""
    return Pack.objects.get(origin=sync.origin, main=main)


def add(sync: FolderSync, name: str, main: str = MAIN) -> None:
    """Add a state on the canvas."""
    pack = pack_of(sync, main)
    packs.edit(pack.pk, pack.head, (AddState(id=name),), sync.person)


def on_disk(root: Path) -> dict[str, bytes]:
    """Path → bytes of every file below a folder, without git's. Files and folders may be deleted
    meanwhile."""
    files = {}
    for folder, folders, names in os.walk(root):  # leaves out a folder that is gone
        folders[:] = [name for name in folders if name != ".git"]
        for path in (Path(folder, name) for name in names if name != ".git"):
            with suppress(FileNotFoundError):
                if path.is_file():
                    files[path.relative_to(root).as_posix()] = path.read_bytes()
    return files
