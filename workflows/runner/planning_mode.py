"""Restrictions of a run in PLANNING: no commands, no writes outside docs/, no changes elsewhere."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, assert_never

from workflows.core.engine.effect_events import NOT_EXECUTED
from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Effect, RunCommand, Wait
from workflows.core.engine.signals import CommandDone
from workflows.core.prompts.modes import DOCS, PLANNING

NOT_RUN = "Commands are not executed in PLANNING. Start the run in IMPLEMENTATION for that."
ONLY_READS = "PLANNING changes nothing elsewhere. Start the run in IMPLEMENTATION for that."


def is_planning(options: Mapping[str, Any]) -> bool:
    """Return True if a run with these options was started in PLANNING."""
    return options.get("mode") == PLANNING


def refuse_command(effect: Effect, options: Mapping[str, Any]) -> CommandDone | None:
    """The result of a command that the mode forbids; None if the mode allows it."""
    if not is_planning(options):
        return None
    match effect:
        case RunCommand():
            return CommandDone(at=time.time(), key=effect.key, exit=NOT_EXECUTED, stderr=NOT_RUN)
        case AskModel() | CallTool() | AskHuman() | Wait():
            return None
        case _:
            assert_never(effect)


def writable_folders(options: Mapping[str, Any], effect_folder: str) -> tuple[str, ...]:
    """The folders that all must contain a written file: the effect's and the mode's. Empty for the
    whole workspace."""
    mode = DOCS if is_planning(options) else ""
    return tuple(dict.fromkeys(folder for folder in (effect_folder, mode) if folder))
