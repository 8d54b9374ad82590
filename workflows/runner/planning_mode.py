"""What a run in PLANNING may not do, whoever asks for it: run commands, write outside docs/, and
change things elsewhere."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, assert_never

from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Effect, RunCommand, Wait
from workflows.core.engine.signals import CommandDone
from workflows.core.prompts.modes import DOCS, PLANNING

NOT_RUN = "Commands are not run in PLANNING; start the run in IMPLEMENTATION for that."
ONLY_READS = "PLANNING changes nothing elsewhere; start the run in IMPLEMENTATION for that."
CANNOT_EXECUTE = 126
"""Exit code of a command that is there and may not be run, as shells have it."""


def is_planning(options: Mapping[str, Any]) -> bool:
    """Whether a run with these options was started in PLANNING."""
    return options.get("mode") == PLANNING


def refuse_command(effect: Effect, options: Mapping[str, Any]) -> CommandDone | None:
    """The end of a command that is not run because of the mode; None where the mode allows it."""
    if not is_planning(options):
        return None
    match effect:
        case RunCommand():
            return CommandDone(at=time.time(), key=effect.key, exit=CANNOT_EXECUTE, stderr=NOT_RUN)
        case AskModel() | CallTool() | AskHuman() | Wait():
            return None
        case _:
            assert_never(effect)


def writable_folders(options: Mapping[str, Any], asked: str) -> tuple[str, ...]:
    """The folders of the workspace that all have to hold what a call writes: the one that its
    effect names, and the mode's. None for the whole workspace."""
    mode = DOCS if is_planning(options) else ""
    return tuple(dict.fromkeys(folder for folder in (asked, mode) if folder))
