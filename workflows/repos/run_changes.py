"""The changes of a run in a work tree, as one commit.

Git turns the files into objects within the isolation of the run's commands, in a git directory that
the server has just made: the run may have left anything in the work tree. The server takes over a
pack, which it checks, and the id of one tree. They become one commit on the base, held by a ref
outside `refs/heads` until a user keeps it as a branch.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Protocol

from workflows.errors import RepositoryRefused
from workflows.repos.authors import Author
from workflows.repos.git import Git
from workflows.repos.own_directory import is_partial, make_directory, read_file
from workflows.repos.worktrees import (
    KEPT_REFS,
    SAVED,
    TIMEOUT,
    Worktree,
    git_in,
    make_writable,
    remove_folder,
)
from workflows.repos.writes import add_objects, check_places, set_ref

MAX_DIFF = 200_000
"""Characters of a diff."""
_ID = re.compile(rb"(?:[0-9a-f]{40}|[0-9a-f]{64})\n")
_SAVE = """set -eu
out=$1 base=$2
shift 2
"$@" read-tree "$base"
"$@" add --all --pathspec-from-file="$out/paths" --pathspec-file-nul
"$@" write-tree --missing-ok > "$out/tree"
commit=$("$@" commit-tree "$(cat "$out/tree")" -p "$base" -m run)
"$@" rev-list --objects --no-object-names "$commit" "^$base" > "$out/commit"
sed 1d "$out/commit" > "$out/objects"
"$@" pack-objects -q --stdout < "$out/objects" > "$out/pack"
"""
_SUBJECTS = 'out=$1; shift; exec "$@" > "$out"'


class Confined(Protocol):
    """Runs a command as those of a run are run: it sees these paths, and nothing of the server."""

    def __call__(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        writable: Sequence[Path],
        readable: Sequence[Path],
        timeout: float,
    ) -> None:
        """Raises RepositoryRefused if the command fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changes of a run: one commit on the base, "" if nothing changed. `left_out`: folders that
    are repositories of their own, which a commit cannot contain."""

    base: str
    commit: str = ""
    ref: str = ""
    files: tuple[str, ...] = ()
    diff: str = ""
    left_out: tuple[str, ...] = ()


def saved_commit(repository: Path, name: str) -> str:
    """The commit that holds a run's changes; "" for none."""
    asked = ("rev-parse", "--verify", "--quiet", f"{KEPT_REFS}{name}")
    return git_in(repository).attempt(*asked).stdout.decode().strip()


def save(
    tree: Worktree, *, confined: Confined, message: str, author: Author | None = None
) -> Changes:
    """Write everything that differs from the base as one commit, and hold it by a ref. Files that
    the repository ignores are left out. Raises RepositoryRefused."""
    out = tree.folder.parent / SAVED
    remove_folder(out)
    out.mkdir(mode=0o700)
    left_out = _repositories_inside(tree.folder)
    content = _content(tree, out, left_out, confined)
    source = tree.source
    if content == source.text("rev-parse", f"{tree.base}^{{tree}}"):
        return Changes(base=tree.base, left_out=left_out)
    ref = f"{KEPT_REFS}{tree.name}"
    check_places(source, ref)
    with _opened(out / "pack") as pack:
        # A clone that lacks objects cannot check that none is missing.
        add_objects(source, pack, strict=not is_partial(source))
    written = source.extended((author or Author()).environment())
    made = written.text(
        "commit-tree", content, "-p", tree.base, "-F", "-",
        stdin=_message(tree, out, message, confined),
    )  # fmt: skip
    source.run("rev-list", "--objects", "--quiet", made, "--not", tree.base)
    set_ref(source, ref, made)
    found = changes(tree.repository, base=tree.base, commit=made)
    return replace(found, ref=ref, left_out=left_out)


def _content(tree: Worktree, out: Path, left_out: Sequence[str], confined: Confined) -> str:
    """The id of the tree of all files. Its new objects are in `out/pack`."""
    objects = tree.objects()
    make_directory(out / "git", tree.source, objects)
    paths = [".", *(f":(exclude,literal){path}" for path in left_out)]
    (out / "paths").write_bytes(b"".join(os.fsencode(path) + b"\0" for path in paths))
    git = tree.git(out / "git").extended({"GIT_LITERAL_PATHSPECS": "0", "TMPDIR": str(out)})
    confined(
        ("sh", "-c", _SAVE, "sh", str(out), tree.base, *git.command()),
        folder=tree.folder,
        environment={**git.environment(), **Author().environment()},
        writable=(out,),
        readable=(tree.folder, *objects),
        timeout=TIMEOUT,
    )
    named = read_file(out / "tree")
    if not _ID.fullmatch(named):
        raise RepositoryRefused("Git did not write the files of the run.", where="workspace")
    return named.decode().strip()


def _message(tree: Worktree, out: Path, message: str, confined: Confined) -> bytes:
    """The message, followed by the subjects of the commits that the run made itself."""
    subjects = b""
    if read_file(tree.folder / ".git/HEAD") != f"{tree.base}\n".encode():
        git = Git(folder=tree.folder, config={"safe.directory": "*"})
        log = git.command("log", "--reverse", "--max-count=50", "--format=%s", f"{tree.base}..")
        with suppress(RepositoryRefused):
            confined(
                ("sh", "-c", _SUBJECTS, "sh", str(out / "subjects"), *log),
                folder=tree.folder,
                environment=git.environment(),
                writable=(out,),
                readable=(tree.folder, *tree.objects()),
                timeout=20.0,
            )
        subjects = read_file(out / "subjects")
    lines = subjects.decode(errors="replace").splitlines()
    own = "\n".join(f"- {line}" for line in lines[:50])
    parts = [message.strip() or "Work of a run", own]
    return ("\n\n".join(part for part in parts if part) + "\n").encode()


def _opened(path: Path) -> IO[bytes]:
    """A file that a confined command wrote. Raises RepositoryRefused for anything else."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise RepositoryRefused("Git did not write the files of the run.", where="workspace")
    return os.fdopen(handle, "rb")


def changes(repository: Path, *, base: str, commit: str) -> Changes:
    """The files and the diff between two commits. Raises GitFailed."""
    git = git_in(repository)
    plain = ("-r", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none")
    names = git.run("diff-tree", *plain, "-z", "--name-only", base, commit)
    diff = git.run("diff-tree", *plain, "-p", "-M", "--no-color", base, commit)
    text = diff.decode("utf-8", "replace")
    if len(text) > MAX_DIFF:
        text = f"{text[:MAX_DIFF]}\n… the diff is longer than this\n"
    files = tuple(name.decode("utf-8", "replace") for name in names.split(b"\0") if name)
    return Changes(base=base, commit=commit, files=files, diff=text)


def forget(repository: Path, ref: str) -> None:
    """Delete the ref that holds a run's commit. Branches keep theirs."""
    if ref.startswith(KEPT_REFS):
        with suppress(RepositoryRefused):
            git = git_in(repository)
            check_places(git, ref)
            git.run("update-ref", "--no-deref", "-d", ref)


def _repositories_inside(top: Path) -> tuple[str, ...]:
    """Folders that are repositories of their own. A command may have left folders that cannot be
    listed; their modes are no content of a commit."""
    found = []
    make_writable(top)
    for place, folders, files in os.walk(top):
        inside = Path(place).relative_to(top).as_posix()
        if inside != "." and ".git" in (*folders, *files):
            found.append(inside)
            folders.clear()
        elif ".git" in folders:
            folders.remove(".git")
        for name in folders:
            make_writable(Path(place, name))
    return tuple(sorted(found))
