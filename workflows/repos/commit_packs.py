"""The packs of a commit, with the bytes that a work tree would have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from posixpath import splitext

from workflows.core.dialects import recognise
from workflows.core.pack.files import (
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_TOTAL_BYTES,
    BadFiles,
    Files,
    TooMuch,
    clean_path,
)
from workflows.repos.git import lines_of
from workflows.repos.repository import Repository
from workflows.repos.scratch import Scratch, scratch

SKIPPED = {".git", "node_modules", "__pycache__", ".venv"}
TEXT = {".json", ".md", ".yaml", ".yml", ".toml", ".txt", ".csv", ".sh", ".py", ".js", ".ts"}
"""Endings of files that packs have. Other files are read only where a known pack has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitPack:
    """A pack of a commit. Paths count from the top of the repository."""

    main: str
    dialect: str
    name: str
    files: Files


def packs_at(
    repository: Repository, commit: str, known: frozenset[str] = frozenset()
) -> Sequence[CommitPack]:
    """All packs of a commit, by path. `known`: further paths to read. Raises TooMuch and
    RepositoryRefused."""
    with scratch(repository) as area:
        files = _files(area, commit, known)
    return [
        CommitPack(
            main=one.main,
            dialect=one.dialect,
            name=one.name,
            files=Files({path: files[path] for path in one.paths}),
        )
        for one in recognise(files)
    ]


def renamed_paths(repository: Repository, old: str, new: str) -> Mapping[str, str]:
    """Old path → new path of files that git takes for renamed between two commits."""
    output = repository.git.run(
        "diff-tree", "-r", "-z", "--find-renames", "--diff-filter=R", "--name-status", old, new
    )
    words = lines_of(output)
    return dict(zip(words[1::3], words[2::3], strict=True))


def commits_between(
    repository: Repository, old: str, new: str, paths: Sequence[str], most: int = 50
) -> Sequence[dict[str, str]]:
    """Commits of `new` that `old` lacks and that changed one of the paths, newest first:
    `{"commit", "author", "date", "subject"}`."""
    if old == new or not paths:
        return ()
    stdin = "\n".join([new, f"^{old}", "--", *paths]) + "\n"
    output = repository.git.run(
        "log", "-z", f"--max-count={most}", "--format=%H%x1f%an <%ae>%x1f%cI%x1f%s", "--stdin",
        stdin=stdin.encode(errors="surrogateescape"),
    )  # fmt: skip
    found = (line.split("\x1f") for line in output.decode(errors="replace").split("\0") if line)
    return [
        {"commit": commit.strip(), "author": author, "date": date, "subject": subject}
        for commit, author, date, subject in found
    ]


def _files(area: Scratch, commit: str, known: frozenset[str]) -> Files:
    tree = area.tree(commit)
    wanted = [
        path
        for path, entry in tree.items()
        if entry.is_file
        and (path in known or splitext(path)[1].lower() in TEXT)
        and SKIPPED.isdisjoint(path.split("/"))
        and _is_clean(path)
    ]
    sizes = area.sizes(commit, wanted)
    read = [path for path in wanted if sizes.get(path, MAX_FILE_BYTES + 1) <= MAX_FILE_BYTES]
    if len(read) > MAX_FILES * 10 or sum(sizes[path] for path in read) > MAX_TOTAL_BYTES:
        raise TooMuch(
            "The commit has too many files that could belong to packs.",
            hint="Split the packs off into a repository of their own.",
        )
    area.read_index(commit)
    filtered = area.filtered(read)
    return Files(area.checked_out([path for path in read if path not in filtered]))


def _is_clean(path: str) -> bool:
    try:
        return "\n" not in path and clean_path(path) == path
    except BadFiles:
        return False
