"""The files that a command may see: the machine's programs, its workspace, and little else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from workflows.installation import ROOT
from workflows.runner.isolation.options import CommandOptions

SCRATCH = ("/tmp", "/var/tmp")
"""Folders that every user of the machine may write. A command gets empty ones of its own."""
HIDDEN = ("/home", "/root", "/run", "/var/run", "/var/spool", "/var/backups", "/mnt/secrets")
"""Folders of users, and sockets of services such as Docker, which would do what the command may
not."""
HIDDEN_FILES = ("/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/gshadow-", "/proc/kcore")
KEPT = ("/run/current-system",)
"""Programs in hidden folders: those of NixOS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Absolute, resolved paths. Where they contain each other, the deeper one decides."""

    hidden: tuple[str, ...]
    scratch: tuple[str, ...]
    readable: tuple[str, ...]
    writable: tuple[str, ...]

    @property
    def protects(self) -> tuple[str, ...]:
        """Paths inside of writable folders that may only be read."""
        folders = tuple(f"{path}/" for path in self.writable)
        return tuple(path for path in self.readable if path.startswith(folders))


def command_view(
    options: CommandOptions, *, writable: Iterable[Path], readable: Iterable[Path]
) -> View:
    """The view of a command that may write and read these paths of its own."""
    home = str(Path.home())
    own = (options.data, *options.repositories, *options.secrets)
    hidden: list[str | Path] = [*HIDDEN, *HIDDEN_FILES, *own]
    if home not in ("/", "/nonexistent", "/dev/null"):
        hidden.append(home)
    kept = [*KEPT, *_own_programs(), *_name_service(), *options.paths, *readable]
    return View(
        hidden=_resolved(hidden),
        scratch=_resolved(SCRATCH),
        readable=_resolved(kept),
        writable=_resolved(writable),
    )


def _own_programs() -> list[str | Path]:
    """Python and the supervisor, which may be installed in a user's home."""
    return [sys.prefix, sys.base_prefix, ROOT / "workflows" / "runner" / "isolation"]


def _name_service() -> list[str]:
    """The configuration of DNS, which is often a link to a hidden folder."""
    return [os.path.realpath("/etc/resolv.conf")]


def _resolved(paths: Iterable[str | Path]) -> tuple[str, ...]:
    real_paths = (os.path.realpath(path) for path in paths)
    return tuple(sorted({path for path in real_paths if path != "/" and Path(path).exists()}))
