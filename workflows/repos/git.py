"""Git commands that run nothing but git.

A repository's configuration can name programs: hooks, filters, a file system monitor, transports.
The environment of these commands switches each of them off, and the configuration of the user and
of the machine is not read.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from workflows.errors import RepositoryRefused

TIMEOUT = 120.0
"""Seconds for one command."""

SAFE_CONFIG: Mapping[str, str] = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.untrackedCache": "false",
    "core.splitIndex": "false",
    "core.sparseCheckout": "false",
    "core.fileMode": "false",
    "core.symlinks": "false",
    "core.ignoreCase": "false",
    "core.attributesFile": os.devnull,
    "core.quotePath": "false",
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "i18n.commitEncoding": "UTF-8",
    "index.sparse": "false",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "submodule.recurse": "false",
}
"""Settings that win over the repository's own."""

_ENVIRONMENT: Mapping[str, str] = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "TZ": "UTC",
}

_FILTER = re.compile(r"filter\.(?P<name>.+)\.(clean|smudge|process|required)", re.DOTALL)


class GitFailed(RepositoryRefused):
    """A git command ended with an error. `output` has what it wrote about it."""

    def __init__(self, output: str, *, where: str = "repository") -> None:
        message, hint = _explained(output)
        super().__init__(message, hint=hint, where=where)
        self.output = output


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """Git in a folder. `config` and `variables` are added to the safe settings; `timeout` is in
    seconds, for one command."""

    folder: Path
    config: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    timeout: float = TIMEOUT
    kept_open: tuple[int, ...] = ()
    """File descriptors that commands over the network keep open: the lock of a mirror."""

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Standard output. Raises GitFailed."""
        done = self.attempt(*arguments, stdin=stdin)
        if done.returncode:
            raise GitFailed(done.stderr.decode(errors="replace"))
        return done.stdout

    def text(self, *arguments: str, stdin: bytes = b"") -> str:
        """Standard output as text, without the last line break. Raises GitFailed."""
        return self.run(*arguments, stdin=stdin).decode(errors="surrogateescape").rstrip("\n")

    def attempt(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """The ended command with any exit code. Raises RepositoryRefused where it cannot
        run."""
        program = shutil.which("git")
        if program is None:
            raise RepositoryRefused(
                "This server has no git program.", hint="Install git 2.32 or newer."
            )
        try:
            return subprocess.run(
                [program, *arguments],
                cwd=self.folder,
                env=self.environment(),
                input=stdin,
                capture_output=True,
                check=False,
                timeout=self.timeout,
            )
        except subprocess.TimeoutExpired:
            raise RepositoryRefused(
                f"Git did not finish within {self.timeout:g} seconds.", where="repository"
            ) from None
        except OSError as error:
            raise RepositoryRefused(
                f"Git cannot run in {self.folder}: {error.strerror}.", where="repository"
            ) from error

    def environment(self) -> dict[str, str]:
        """The whole environment of a command: nothing of the server's but its PATH."""
        config = {**SAFE_CONFIG, **self.config}
        pairs = {"GIT_CONFIG_COUNT": str(len(config))}
        for number, (key, value) in enumerate(config.items()):
            pairs[f"GIT_CONFIG_KEY_{number}"] = key
            pairs[f"GIT_CONFIG_VALUE_{number}"] = value
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            **_ENVIRONMENT,
            **pairs,
            **self.variables,
        }

    def extended(
        self, variables: Mapping[str, str], config: Mapping[str, str] | None = None
    ) -> Git:
        """The same folder with more variables and settings."""
        return replace(
            self,
            variables={**self.variables, **variables},
            config={**self.config, **(config or {})},
        )

    def without_filters(self) -> Git:
        """The same folder; no filter that its configuration defines can run."""
        listed = self.attempt("config", "--null", "--name-only", "--get-regexp", r"^filter\.")
        names = {
            match["name"]
            for key in listed.stdout.decode(errors="surrogateescape").split("\0")
            if (match := _FILTER.fullmatch(key))
        }
        off: dict[str, str] = {}
        for name in sorted(names):
            for part in ("clean", "smudge", "process"):
                off[f"filter.{name}.{part}"] = ""
            off[f"filter.{name}.required"] = "false"
        return self.extended({}, off)


def lines_of(output: bytes) -> Sequence[str]:
    """The entries of an output that ends each with NUL."""
    return [entry.decode(errors="surrogateescape") for entry in output.split(b"\0") if entry]


_LOCK = re.compile(r"[Uu]nable to create '(?P<path>[^']+\.lock)': File exists")
_EXPLANATIONS: Sequence[tuple[re.Pattern[str], str, str]] = (
    (
        re.compile(r"promisor|transport '[^']*' not allowed|lazy fetch"),
        "This clone is partial, and an object that is needed here is not in it.",
        "Fetch it, for example with `git fetch --refetch --no-filter`, and try again.",
    ),
    (
        re.compile(r"dubious ownership"),
        "The repository belongs to another user of this machine.",
        "Give it to the server's user, or mark it as safe in git's configuration.",
    ),
    (
        re.compile(r"unknown repository (version|extension)|Expected git repo version"),
        "The git program of this server is too old for this repository.",
        "Update git on the server.",
    ),
    (
        re.compile(r"[Pp]ermission denied|insufficient permission|[Rr]ead-only file system"),
        "The server's user may not write to this repository.",
        "Give the server's user the right to write to it.",
    ),
)


def _explained(output: str) -> tuple[str, str]:
    """Sentence and next step for what git wrote."""
    locked = _LOCK.search(output)
    if locked:
        return (
            "Another git program is working in this repository, or it left a lock when it stopped.",
            f"If no git program is running there, delete {locked['path']} and try again.",
        )
    for pattern, message, hint in _EXPLANATIONS:
        if pattern.search(output):
            return message, hint
    lines = [line for line in output.splitlines() if line.strip()]
    fatal = next((line for line in lines if line.startswith(("fatal:", "error:"))), "")
    reason = (fatal or (lines[0] if lines else "no reason given"))[:300]
    return f"Git refused: {reason.removeprefix('fatal: ').removeprefix('error: ')}", ""
