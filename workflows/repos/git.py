"""The only module that starts git.

A repository's configuration can name programs: hooks, filters, a file system monitor, transports.
Every command gets a setting that switches each of them off, as an argument: git passes arguments
on to the git programs that it starts, also to the other side of a folder on this machine, where it
drops settings of its environment. The configuration and the credentials of the user and of the
machine are not read.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from workflows.errors import RepositoryRefused

TIMEOUT = 120.0
"""Seconds for one command."""
NO_PROGRAM = "false"
"""The program in place of one that a configuration names: it does nothing and fails."""

SAFE_CONFIG: Mapping[str, str] = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.alternateRefsCommand": NO_PROGRAM,
    "core.askPass": NO_PROGRAM,
    "core.editor": NO_PROGRAM,
    "core.gitProxy": "none",
    "core.pager": "cat",
    "core.sshCommand": NO_PROGRAM,
    "core.attributesFile": os.devnull,
    "core.untrackedCache": "false",
    "core.splitIndex": "false",
    "core.sparseCheckout": "false",
    "core.fileMode": "false",
    "core.symlinks": "false",
    "core.ignoreCase": "false",
    "core.quotePath": "false",
    "commit.gpgSign": "false",
    "credential.helper": "",
    "diff.external": "",
    "diff.ignoreSubmodules": "dirty",
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "gpg.program": NO_PROGRAM,
    "gpg.openpgp.program": NO_PROGRAM,
    "gpg.ssh.defaultKeyCommand": NO_PROGRAM,
    "gpg.ssh.program": NO_PROGRAM,
    "gpg.x509.program": NO_PROGRAM,
    "i18n.commitEncoding": "UTF-8",
    "index.sparse": "false",
    "interactive.diffFilter": NO_PROGRAM,
    "log.showSignature": "false",
    "maintenance.auto": "false",
    "merge.verifySignatures": "false",
    "protocol.allow": "never",
    "push.gpgSign": "false",
    "push.recurseSubmodules": "no",
    "sequence.editor": NO_PROGRAM,
    "submodule.recurse": "false",
    "tag.gpgSign": "false",
}
"""Settings that win over the repository's own."""

_PATH = os.pathsep.join(
    part
    for part in os.environ.get("PATH", os.defpath).split(os.pathsep)
    if Path(part).is_absolute()
)
"""The server's PATH, without folders that depend on where a program is started."""
_ENVIRONMENT: Mapping[str, str] = {
    "PATH": _PATH,
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
    # Without a home, libraries look for credentials in the one of the password file.
    "HOME": os.devnull,
    "KRB5CCNAME": f"FILE:{os.devnull}",
    "KRB5_CLIENT_KTNAME": f"FILE:{os.devnull}",
    "KRB5_CONFIG": os.devnull,
    "LC_ALL": "C",
    "TZ": "UTC",
}

_USER = (
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "HOME", "XDG_CONFIG_HOME",
)  # fmt: skip
"""Variables that locate the settings of the user and of the machine."""

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
    mask: int = -1
    """The mask of new files; -1 for the server's."""
    user_settings: bool = False
    """Read the configuration of the user and of the machine too, for a repository that this user
    has opened. The safe settings win over it."""

    def run(self, *arguments: str, stdin: bytes | IO[bytes] = b"") -> bytes:
        """Standard output. Raises GitFailed."""
        done = self.attempt(*arguments, stdin=stdin)
        if done.returncode:
            raise GitFailed(done.stderr.decode(errors="replace"))
        return done.stdout

    def text(self, *arguments: str, stdin: bytes | IO[bytes] = b"") -> str:
        """Standard output as text, without the last line break. Raises GitFailed."""
        return self.run(*arguments, stdin=stdin).decode(errors="surrogateescape").rstrip("\n")

    def attempt(
        self, *arguments: str, stdin: bytes | IO[bytes] = b""
    ) -> subprocess.CompletedProcess[bytes]:
        """The ended command with any exit code. `stdin`: bytes, or an open file. Raises
        RepositoryRefused where it cannot run."""
        file, data = (None, stdin) if isinstance(stdin, bytes) else (stdin, None)
        try:
            return subprocess.run(
                self.command(*arguments),
                cwd=self.folder,
                env=self.environment(),
                stdin=file,
                input=data,
                capture_output=True,
                check=False,
                timeout=self.timeout,
                umask=self.mask,
            )
        except subprocess.TimeoutExpired:
            raise RepositoryRefused(
                f"Git did not finish within {self.timeout:g} seconds.", where="repository"
            ) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise RepositoryRefused(
                f"Git cannot run in {self.folder}: {reason}.", where="repository"
            ) from error

    def command(self, *arguments: str) -> tuple[str, ...]:
        """The program with its settings. Raises RepositoryRefused without git."""
        program = shutil.which("git", path=_PATH)
        if program is None:
            raise RepositoryRefused(
                "This server has no git program.", hint="Install git 2.32 or newer."
            )
        settings: list[str] = []
        for key, value in {**SAFE_CONFIG, **self.config}.items():
            # `-c` ends a name at its first `=`; a name of a filter may contain one.
            settings += (
                ("-c", f"{key}={value}") if "=" not in key else _from_environment(key, value)
            )
        return (program, *settings, *arguments)

    def environment(self) -> dict[str, str]:
        """The whole environment of a command: nothing of the server's but its PATH."""
        return {
            **(_with_configuration_of_user() if self.user_settings else _ENVIRONMENT),
            _EMPTY: "",
            _FALSE: "false",
            # A repository around the folder is not looked for.
            "GIT_CEILING_DIRECTORIES": str(self.folder.parent),
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
            for key in os.fsdecode(listed.stdout).split("\0")
            if (match := _FILTER.fullmatch(key))
        }
        off: dict[str, str] = {}
        for name in sorted(names):
            for part in ("clean", "smudge", "process"):
                off[f"filter.{name}.{part}"] = ""
            off[f"filter.{name}.required"] = "false"
        return self.extended({}, off)


def _with_configuration_of_user() -> dict[str, str]:
    """The safe variables, with those of this process that locate its user's settings."""
    kept = {name: value for name, value in _ENVIRONMENT.items() if name not in _USER}
    return {**kept, **{name: os.environ[name] for name in _USER if name in os.environ}}


_EMPTY, _FALSE = "GIT_SETTING_EMPTY", "GIT_SETTING_FALSE"


def _from_environment(key: str, value: str) -> tuple[str, ...]:
    return (f"--config-env={key}={_FALSE if value else _EMPTY}",)


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
