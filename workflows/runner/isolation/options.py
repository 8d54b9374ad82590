"""The operator's settings of commands, also where no Django settings are loaded."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workflows.installation import data_folder
from workflows.runner.isolation.child.spec import Limits

MIB = 1024 * 1024
DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandOptions:
    """`isolation`: the level that the operator named, "" for the best one. `paths`: folders outside
    of the workspace that commands may read, although they are hidden by default."""

    isolation: str
    data: Path
    repositories: tuple[Path, ...]
    paths: tuple[Path, ...]
    limits: Limits
    memory_of_all: int
    """Bytes of memory that all commands of this process may use together."""
    secrets: tuple[Path, ...] = ()
    """Further folders that no command may read."""


def command_options() -> CommandOptions:
    """The settings of the server, or those of the environment on the command line."""
    settings = server_settings()
    if settings is not None:
        return CommandOptions(
            isolation=settings.SIGNALBOX_ISOLATION,
            data=Path(settings.DATA),
            repositories=tuple(settings.SIGNALBOX_REPOSITORIES),
            paths=tuple(settings.SIGNALBOX_COMMAND_PATHS),
            secrets=tuple(filter(None, [settings.SIGNALBOX_GIT_HOME])),
            limits=limits_from(
                memory=settings.SIGNALBOX_COMMAND_MEMORY,
                processes=settings.SIGNALBOX_COMMAND_PROCESSES,
                disk=settings.SIGNALBOX_COMMAND_DISK,
            ),
            memory_of_all=_memory_of_all(settings.SIGNALBOX_ALL_COMMANDS_MEMORY),
        )
    return CommandOptions(
        isolation=os.environ.get("SIGNALBOX_ISOLATION", ""),
        data=data_folder(),
        repositories=_paths("SIGNALBOX_REPOSITORIES"),
        paths=_paths("SIGNALBOX_COMMAND_PATHS"),
        limits=limits_from(
            memory=_number("SIGNALBOX_COMMAND_MEMORY"),
            processes=_number("SIGNALBOX_COMMAND_PROCESSES"),
            disk=_number("SIGNALBOX_COMMAND_DISK"),
        ),
        memory_of_all=_memory_of_all(_number("SIGNALBOX_ALL_COMMANDS_MEMORY")),
    )


def server_settings() -> Any:
    """Django's settings; None on the command line, which works without Django."""
    conf = sys.modules.get("django.conf")
    return conf.settings if conf is not None and conf.settings.configured else None


def limits_from(*, memory: int | None, processes: int | None, disk: int | None) -> Limits:
    """The limits; sizes are given in MiB. None and 0 are the default."""
    limits = DEFAULT_LIMITS
    if memory:
        limits = replace(limits, memory=memory * MIB)
    if processes:
        limits = replace(limits, processes=processes)
    return replace(limits, disk=disk * MIB) if disk else limits


def _memory_of_all(mebibytes: int | None) -> int:
    if mebibytes:
        return mebibytes * MIB
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def _paths(name: str) -> tuple[Path, ...]:
    return tuple(Path(one.strip()) for one in os.environ.get(name, "").split(",") if one.strip())


def _number(name: str) -> int | None:
    text = os.environ.get(name, "").strip()
    return int(text) if text.isdecimal() else None
