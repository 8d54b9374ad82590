"""Order of the server to a supervisor, and reports of the supervisor."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, TypedDict

Mechanism: TypeAlias = Literal["namespaces", "landlock", "plain"]
"""The part of the isolation that the supervisor itself sets up. `plain`: nothing, either because
bubblewrap did it, or because the operator wants none."""

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")


class Report(TypedDict, total=False):
    """One line of the supervisor. `started`: the command runs. `error`: it cannot be started.
    `stopped`: the limit that it reached. `memory`: the bytes that it uses now. `ended`: its exit
    code, negative for a signal."""

    started: bool
    error: str
    stopped: str
    memory: int
    ended: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one command with everything that it starts. Sizes are in bytes."""

    memory: int = 2 * 1024**3
    processes: int = 256
    disk: int = 2 * 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One command. All paths are absolute and resolved. Where paths contain each other, the deeper
    one decides. `alone`: the supervisor is the first process of a process namespace."""

    command: tuple[str, ...]
    environment: dict[str, str]
    folder: str
    mechanism: Mechanism = "plain"
    alone: bool = False
    drop_rights: bool = True
    hidden: tuple[str, ...] = ()
    scratch: tuple[str, ...] = ()
    """Hidden folders in which the command may write, to memory."""
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    limits: Limits = Limits()
    mask: int = -1
    """The mask of new files; -1 for the server's."""

    def to_json(self) -> bytes:
        return json.dumps(asdict(self)).encode()


def read_spec(handle: int) -> Spec:
    """The spec in this open file, which is closed."""
    with os.fdopen(handle, "rb") as file:
        values: dict[str, Any] = json.load(file)
    limits = Limits(**values.pop("limits"))
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return Spec(**{**values, **lists}, limits=limits)


def write_report(handle: int, report: Report) -> None:
    """Write one line to the server. Raises OSError if it no longer reads."""
    os.write(handle, json.dumps(report).encode() + b"\n")
