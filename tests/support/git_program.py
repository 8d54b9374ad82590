"""Real git repositories for tests, read back with the git program."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "LC_ALL": "C",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Grace",
    "GIT_AUTHOR_EMAIL": "grace@example.org",
    "GIT_COMMITTER_NAME": "Grace",
    "GIT_COMMITTER_EMAIL": "grace@example.org",
}
OPTIONS = ("-c", "core.quotePath=off", "-c", "protocol.file.allow=always", "-c", "gc.auto=0")


@dataclass(frozen=True, slots=True)
class GitRepository:
    """A repository and its work tree, if it has one."""

    folder: Path

    def run(self, *words: str, stdin: bytes = b"") -> bytes:
        done = subprocess.run(
            ["git", *OPTIONS, *words],
            cwd=self.folder,
            env=ENVIRONMENT,
            input=stdin,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, f"git {' '.join(words)}: {done.stderr.decode()}"
        return done.stdout

    def git(self, *words: str) -> str:
        return self.run(*words).decode().strip()

    def attempt(self, *words: str) -> int:
        return subprocess.run(
            ["git", *OPTIONS, *words],
            cwd=self.folder,
            env=ENVIRONMENT,
            capture_output=True,
            check=False,
        ).returncode

    def write(self, files: Mapping[str, bytes | None]) -> None:
        """Write files to the work tree; None deletes."""
        for path, data in files.items():
            target = self.folder / path
            if data is None:
                target.unlink()
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)

    def commit(self, files: Mapping[str, bytes | None], message: str = "change") -> str:
        """Commit files on the checked-out branch. Returns the id."""
        self.write(files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def show(self, commit: str, path: str) -> bytes:
        return self.run("show", f"{commit}:{path}")

    def names(self, commit: str) -> list[str]:
        return self.git("ls-tree", "-r", "--name-only", commit).splitlines()

    def changes(self, old: str, new: str) -> list[str]:
        """`git diff --name-status` without detection of renames."""
        return self.git("diff", "--no-renames", "--name-status", old, new).splitlines()

    def is_clean(self) -> bool:
        """True if `git fsck` finds nothing wrong."""
        return self.git("fsck", "--strict", "--full", "--no-dangling", "--no-progress") == ""

    def user_state(self) -> tuple[object, ...]:
        """Everything of the work tree that an export may not change."""
        control = self.folder / ".git"
        return (
            (control / "index").read_bytes() if (control / "index").exists() else b"",
            (control / "HEAD").read_bytes(),
            self.git("status", "--porcelain"),
            {
                path.relative_to(self.folder): path.read_bytes()
                for path in self.folder.rglob("*")
                if path.is_file() and ".git" not in path.parts
            },
        )


def contents_of(repository: GitRepository) -> bytes:
    """The bytes of every object that was ever added."""
    return repository.run("cat-file", "--batch", "--batch-all-objects")


def init(folder: Path, *options: str) -> GitRepository:
    """A new repository with the branch `main`."""
    folder.mkdir(parents=True, exist_ok=True)
    repository = GitRepository(folder)
    repository.git("init", "--quiet", "--template=", "--initial-branch", "main", *options)
    return repository


def clone(source: GitRepository, folder: Path, *options: str) -> GitRepository:
    """A clone with these options of `git clone`."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    source.git("clone", "--quiet", *options, source.folder.as_uri(), str(folder))
    return GitRepository(folder)
