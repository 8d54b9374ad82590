"""Real git repositories for tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def git(folder: Path, *arguments: str, **extra: Any) -> str:
    """Run git and return its stripped output. Fails the test if git fails."""
    done = subprocess.run(
        ("git", *arguments),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        **{"env": ENVIRONMENT, **extra},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def make_repository(folder: Path, files: Mapping[str, str], *options: str) -> Path:
    """A repository on the branch `main` with one commit of these files."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch=main", *options)
    git(folder, "config", "user.name", "Ada")
    git(folder, "config", "user.email", "ada@example.org")
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    if files:
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "-m", "Begin")
    return folder


def users_state(folder: Path) -> tuple[str, ...]:
    """HEAD, branches, tags, index and work tree, which a run must not change."""
    questions = (
        ("symbolic-ref", "HEAD"),
        ("for-each-ref", "refs/heads", "refs/tags"),
        ("status", "--porcelain", "--untracked-files=all"),
        ("stash", "list"),
        ("config", "--list", "--local"),
    )
    return tuple(git(folder, *one) for one in questions)
