"""A temporary index, work tree and object folder for work on a repository.

Nothing is written to the repository before `keep`. Git itself turns files into blobs here, so that
line endings and encodings follow the repository's attributes as they do with `git add`. It works
in a git directory of its own, so that no program of the repository's configuration is known.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workflows.errors import RepositoryRefused
from workflows.repos.git import Git, GitFailed, lines_of
from workflows.repos.own_directory import STORAGE, make_directory, settings_of
from workflows.repos.repository import Repository
from workflows.repos.writes import add_objects

REGULAR = "100644"
EXECUTABLE = "100755"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file, link or submodule of a tree."""

    mode: str
    id: str

    @property
    def is_file(self) -> bool:
        return self.mode in (REGULAR, EXECUTABLE)


Tree = Mapping[str, Entry]
"""Every entry of a tree by its path; folders have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch:
    """Git with the temporary folders."""

    git: Git
    repository: Repository
    folder: Path
    hash_length: int

    def tree(self, name: str | None) -> dict[str, Entry]:
        """The entries of a tree or commit. None: the empty tree."""
        if name is None:
            return {}
        entries: dict[str, Entry] = {}
        for line in lines_of(self.git.run("ls-tree", "-r", "-z", "--full-tree", name)):
            about, _, path = line.partition("\t")
            mode, _, id = about.split(" ")
            entries[path] = Entry(mode=mode, id=id)
        return entries

    def read_index(self, name: str | None) -> None:
        """Make the temporary index equal to a tree or commit."""
        self.git.run("read-tree", "--empty" if name is None else name)

    def written(self, changes: Mapping[str, Entry | None]) -> str:
        """The id of the tree in the index with these entries replaced, added or (None) removed."""
        lines = index_lines(changes, self.hash_length)
        self.git.run("update-index", "-z", "--index-info", stdin=lines)
        return self.git.text("write-tree", "--missing-ok")

    def blob(self, data: bytes) -> str:
        """Store these bytes as they are."""
        return self.git.text("hash-object", "-w", "--no-filters", "--stdin", stdin=data)

    def sizes(self, commit: str, paths: Sequence[str]) -> dict[str, int]:
        """The bytes of each file of a commit that is in this clone."""
        stdin = "".join(f"{commit}:{path}\n" for path in paths).encode(errors="surrogateescape")
        listed = self.git.text("cat-file", "--batch-check=%(objectsize)", stdin=stdin).splitlines()
        return {path: int(size) for path, size in zip(paths, listed, strict=True) if size.isdigit()}

    def content(self, id: str) -> bytes:
        """The bytes of a blob as they are stored. Raises GitFailed."""
        return self.git.run("cat-file", "blob", id)

    def added(self, files: Mapping[str, bytes]) -> dict[str, str]:
        """The blob of each file, as `git add` makes it on top of the index. Changes the index."""
        if not files:
            return {}
        work = self.folder / "work"
        for path, data in files.items():
            target = work / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        self.git.run("update-index", "--add", "--replace", "-z", "--stdin", stdin=_joined(files))
        found: dict[str, str] = {}
        for line in lines_of(self.git.run("ls-files", "--stage", "-z")):
            about, _, path = line.partition("\t")
            if path in files:
                found[path] = about.split(" ")[1]
        return found

    def checked_out(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The bytes of paths of the index, as they are in a work tree."""
        wanted = list(paths)
        if wanted:
            self.git.run("checkout-index", "--force", "-z", "--stdin", stdin=_joined(wanted))
        return {path: (self.folder / "work" / path).read_bytes() for path in wanted}

    def filtered(self, paths: Iterable[str]) -> dict[str, str]:
        """The paths that an attribute sends through a filter program, each with the filter."""
        wanted = list(paths)
        if not wanted:
            return {}
        listed = lines_of(
            self.git.run("check-attr", "-z", "--stdin", "filter", stdin=_joined(wanted))
        )
        triples = zip(listed[0::3], listed[2::3], strict=True)
        return {path: name for path, name in triples if name not in ("unspecified", "unset", "set")}

    def keep(self) -> None:
        """Copy the new objects to the repository."""
        objects = self.folder / "git/objects"
        names = [
            f"{folder.name}{file.name}"
            for folder in objects.glob("[0-9a-f][0-9a-f]")
            for file in folder.iterdir()
        ]
        if names:
            packed = self.git.run(
                "pack-objects", "-q", "--stdout", stdin="\n".join(names).encode() + b"\n"
            )
            add_objects(self.repository.git, packed, strict=False)


@contextmanager
def scratch(repository: Repository) -> Iterator[Scratch]:
    """Temporary folders for one export or import, deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="signalbox-git-") as name:
        folder = Path(name)
        (folder / "work").mkdir()
        make_directory(folder / "git", repository.git, [repository.common / "objects"])
        variables = {
            "GIT_DIR": str(folder / "git"),
            "GIT_INDEX_FILE": str(folder / "index"),
            "GIT_WORK_TREE": str(folder / "work"),
        }
        yield Scratch(
            git=Git(
                folder=folder / "work",
                config=settings_of(repository.git, STORAGE),
                variables=variables,
            ),
            repository=repository,
            folder=folder,
            hash_length=repository.hash_length,
        )


def index_lines(changes: Mapping[str, Entry | None], hash_length: int) -> bytes:
    """The input of `git update-index -z --index-info` that makes these changes."""
    return _joined(
        f"0 {'0' * hash_length}\t{path}" if entry is None else f"{entry.mode} {entry.id}\t{path}"
        for path, entry in changes.items()
    )


def blob_id(data: bytes, hash_length: int) -> str:
    """The id of a blob with these bytes."""
    made = hashlib.sha256() if hash_length == 64 else hashlib.sha1(usedforsecurity=False)
    made.update(b"blob %d\0" % len(data))
    made.update(data)
    return made.hexdigest()


def stored_content(area: Scratch, entry: Entry, path: str) -> bytes:
    """A file's bytes in the repository. Raises RepositoryRefused with the path."""
    try:
        return area.content(entry.id)
    except GitFailed as failed:
        raise not_in_clone(path, hint=failed.hint) from failed


def not_in_clone(path: str, *, hint: str = "") -> RepositoryRefused:
    return RepositoryRefused(
        f"The contents of {path} are not in this clone.",
        hint=hint or "Fetch them, for example with `git fetch --refetch`.",
        where=path,
    )


def _joined(paths: Iterable[str]) -> bytes:
    return b"".join(path.encode(errors="surrogateescape") + b"\0" for path in paths)
