"""The script driver: prepared replies, for tests, demonstrations and reproducible runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workflows.core.conversation.checked_questions import SIMULATED
from workflows.core.engine.capabilities import EVERYTHING
from workflows.core.engine.effects import AskModel
from workflows.core.engine.replay.script_file import script_of, scripted_reply
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply
from workflows.core.pack.graph import Graph
from workflows.runner.drivers.base import OnDelta


class Script:
    """The position in the script is derived from the log, so a restarted worker continues at the
    right reply."""

    name = "script"
    label = "Script"
    description = "Answers with the replies of a script, in order."
    claims: Mapping[str, str] = EVERYTHING

    async def answer(
        self,
        effect: AskModel,
        run: RunState,
        graph: Graph,
        options: Mapping[str, Any],
        on_delta: OnDelta | None = None,
    ) -> Reply | None:
        warnings = SIMULATED.check(effect)
        reply = scripted_reply(script_of(options), effect, run, options.get("seed", 1))
        return replace(reply, warnings=warnings) if warnings else reply


DRIVER = Script()
