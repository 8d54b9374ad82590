"""Replies written down beforehand: tests, demonstrations, and runs that must not vary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.engine.capabilities import EVERYTHING
from workflows.core.engine.effects import AskModel
from workflows.core.engine.run import Run
from workflows.core.engine.signals import Reply
from workflows.core.graph import Graph
from workflows.runner.drivers.base import OnDelta, say
from workflows.runner.drivers.script_file import ScriptFile, read_script, scripted_reply


class Script:
    """Where the script has got to is read off the log: a worker that starts anew goes on at the
    right reply."""

    name = "script"
    label = "Script"
    description = "Answers with the replies of a script, in order."
    claims: Mapping[str, str] = EVERYTHING

    def __init__(self) -> None:
        self._last: tuple[object, ScriptFile] | None = None
        """What was read last, with what it was read from: a run asks for the same again."""

    def _read(self, body: object) -> ScriptFile:
        last = self._last
        if last is None or last[0] is not body:
            self._last = last = (body, read_script(body))
        return last[1]

    async def answer(
        self,
        effect: AskModel,
        run: Run,
        graph: Graph,
        options: Mapping[str, Any],
        on_delta: OnDelta | None = None,
    ) -> Reply | None:
        script = self._read(options.get("script") or {})
        reply = scripted_reply(script, effect, run, options.get("seed", 1))
        await say(reply, on_delta)
        return reply


DRIVER = Script()
