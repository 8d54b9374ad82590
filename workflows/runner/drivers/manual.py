"""The manual driver: a person writes the model's replies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.conversation.check import check_question
from workflows.core.engine.capabilities import EVERYTHING
from workflows.core.engine.effects import AskModel
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply
from workflows.core.pack.graph import Graph
from workflows.runner.drivers.base import OnDelta


class Manual:
    """Returns no reply: it arrives as a signal from a person."""

    name = "manual"
    label = "Manual"
    description = "You answer as the model, one prompt at a time."
    claims: Mapping[str, str] = EVERYTHING

    async def answer(
        self,
        effect: AskModel,
        run: RunState,
        graph: Graph,
        options: Mapping[str, Any],
        on_delta: OnDelta | None = None,
    ) -> Reply | None:
        check_question(effect)
        return None


DRIVER = Manual()
