"""The folder that this server has opened, the mark of its packs, and its branch in git."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

UNFINISHED = {
    "rebase-merge": "rebasing",
    "rebase-apply": "rebasing",
    "MERGE_HEAD": "merging",
    "CHERRY_PICK_HEAD": "picking",
    "REVERT_HEAD": "reverting",
}
"""A file or folder of git → what it does while this exists."""


def opened_folder() -> Path | None:
    """The folder of `signalbox open`; None for another server."""
    return settings.OPENED_FOLDER


def origin_of(folder: Path) -> str:
    """The origin of the packs that have their files in this folder."""
    return f"folder {folder}"[:400]


def git_directory(folder: Path) -> Path | None:
    """The git directory of the work tree around a folder; None outside of one."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        if git.is_dir():
            return git
        if git.is_file():  # a linked work tree
            return git.parent / _text(git).removeprefix("gitdir:").strip()
    return None


def checkout_of(folder: Path) -> str:
    """The branch of a folder and what git has not ended there, such as "main, merging"; "" outside
    of a work tree. Reads files, and starts no git."""
    git = git_directory(folder)
    if git is None:
        return ""
    head = _text(git / "HEAD").strip()
    for name, word in UNFINISHED.items():
        if (git / name).exists():
            head = _text(git / name / "head-name").strip() or head
            return f"{_branch(head)}, {word}"
    return _branch(head)


def _branch(head: str) -> str:
    name = head.removeprefix("ref:").strip()
    return name.removeprefix("refs/heads/") if name.startswith("refs/") else f"at {name[:7]}"


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except (OSError, ValueError):
        return ""
