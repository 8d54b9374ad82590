"""Git on work trees of runs, without anything that a repository could make it run.

Hooks, file system monitors, filters, external diffs, signing programs, credential helpers and
remote helpers are all named by a repository's configuration. `overrides` turns each of them off for
git started here, and `GIT_DIR` is always given, so that a `.git` file in a work tree is not read.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from workflows.errors import RepositoryRefused
from workflows.security.file_modes import mask_of_others

TIMEOUT = 600.0
"""Seconds for one git command; the checkout of a large repository takes minutes."""
PATH = "/usr/local/bin:/usr/bin:/bin"
MAX_ERROR = 300
NO_FILE = os.devnull

_INERT = {
    "core.hooksPath": NO_FILE,
    "core.fsmonitor": "false",
    "core.untrackedCache": "false",
    "core.attributesFile": NO_FILE,
    "core.sshCommand": "false",
    "core.askPass": "false",
    "core.alternateRefsCommand": "false",
    "core.pager": "cat",
    "core.editor": "true",
    "commit.gpgSign": "false",
    "tag.gpgSign": "false",
    "log.showSignature": "false",
    "credential.helper": "",
    "diff.external": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
}
_IN_COMMANDS = ("core.hooksPath", "core.fsmonitor", "commit.gpgSign", "tag.gpgSign", "gc.auto")
"""Settings that also hold for git that a pack's own commands start."""


class GitFailed(Exception):
    """A git command failed. The message is the first line of its error output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """Git on one repository, and on one of its work trees if `work_tree` is set.

    `git_dir`: the repository's `.git` folder, or a linked work tree's folder below it.
    """

    git_dir: Path
    work_tree: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Standard output. Raises GitFailed."""
        return self._run(*arguments, stdin=stdin, settings={**_INERT, **self.filters()})

    def text(self, *arguments: str) -> str:
        """Standard output as stripped text. Raises GitFailed."""
        return self.run(*arguments).decode("utf-8", "replace").strip()

    def filters(self) -> dict[str, str]:
        """Settings that empty every filter of the configuration: content stays as it is stored."""
        try:
            listed = self._run(
                "config", "--null", "--name-only", "--get-regexp", r"^filter\.", settings=_INERT
            )
        except GitFailed:
            return {}
        off: dict[str, str] = {}
        for name in listed.decode("utf-8", "replace").split("\0"):
            driver = name.rpartition(".")[0]
            if driver:
                off |= {f"{driver}.{what}": "" for what in ("clean", "smudge", "process")}
                off[f"{driver}.required"] = "false"
        return off

    def _run(self, *arguments: str, settings: Mapping[str, str], stdin: bytes = b"") -> bytes:
        try:
            done = subprocess.run(
                ("git", *arguments),
                input=stdin,
                capture_output=True,
                cwd=self.work_tree or self.git_dir,
                env={**self._environment(), **as_environment(settings)},
                timeout=TIMEOUT,
                check=False,
                umask=mask_of_others(),
            )
        except FileNotFoundError:
            raise _no_git() from None
        except subprocess.TimeoutExpired:
            raise GitFailed(f"git {arguments[0]} took longer than {TIMEOUT:g} seconds.") from None
        if done.returncode:
            words = done.stderr.decode("utf-8", "replace").strip() or f"exit {done.returncode}"
            raise GitFailed(f"git {arguments[0]}: {words.splitlines()[0][:MAX_ERROR]}")
        return done.stdout

    def _environment(self) -> dict[str, str]:
        place = {"GIT_DIR": str(self.git_dir)}
        if self.work_tree is not None:
            place["GIT_WORK_TREE"] = str(self.work_tree)
        return {
            "PATH": PATH,
            "HOME": NO_FILE,
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": NO_FILE,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            **place,
            **self.environment,
        }


def as_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Git settings as environment variables, which override every configuration file."""
    pairs = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings.items()):
        pairs |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return pairs


def command_environment(git: Git) -> dict[str, str]:
    """The environment with which a pack's own commands use git in a work tree: no hooks, no
    filters, and an author, because there is no configuration of a user."""
    settings = {name: _INERT[name] for name in _IN_COMMANDS} | git.filters()
    author = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Signalbox"), ("EMAIL", "signalbox@localhost"))
    }
    return {
        **as_environment(settings),
        **author,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }


GIT_DIRS = ("--absolute-git-dir", "--git-common-dir")


class GitDirs(NamedTuple):
    """`control` has HEAD and the other refs of a work tree, `common` the branches and objects.
    They differ in a linked work tree only."""

    control: Path
    common: Path


def git_dirs(path: Path, *, upward: bool = False) -> GitDirs:
    """The git folders of the repository at `path`, which may be a work tree or a bare repository;
    `upward`: also of the one around it, or that `GIT_DIR` names. Raises RepositoryRefused."""
    place = _place_of_caller() if upward else {"GIT_CEILING_DIRECTORIES": str(path.parent)}
    try:
        found = subprocess.run(
            ("git", "rev-parse", "--path-format=absolute", *GIT_DIRS),
            capture_output=True,
            cwd=path,
            env={
                "PATH": PATH,
                "HOME": NO_FILE,
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": NO_FILE,
                **place,
                **as_environment({**_INERT, "safe.directory": "*"}),
            },
            timeout=TIMEOUT,
            check=False,
        )
    except FileNotFoundError:
        if path.is_dir():
            raise _no_git() from None
        found = None
    except (OSError, ValueError):
        found = None
    if found is None or found.returncode:
        raise RepositoryRefused(
            f"There is no git repository in {path}.",
            hint="Enter the folder that contains `.git`.",
            where="workspace",
        )
    control, common = os.fsdecode(found.stdout).splitlines()
    return GitDirs(Path(control).resolve(), Path(common).resolve())


def _place_of_caller() -> dict[str, str]:
    """The repository that the variables of the command line name, as git itself takes it."""
    names = ("GIT_DIR", "GIT_WORK_TREE")
    return {name: str(Path(os.environ[name]).absolute()) for name in names if os.environ.get(name)}


def _no_git() -> RepositoryRefused:
    return RepositoryRefused(
        "There is no git executable on this machine.",
        hint=f"Install git in one of {PATH}.",
        where="workspace",
    )
