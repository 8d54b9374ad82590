"""The rehearsal driver: no model; takes the least used transitions and generates answers that fit
the schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workflows.core.conversation.checked_questions import SIMULATED
from workflows.core.engine.capabilities import EVERYTHING
from workflows.core.engine.effects import AskModel
from workflows.core.engine.rehearsal.answers import choose, reply_for
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply
from workflows.core.pack.graph import Graph
from workflows.runner.drivers.base import OnDelta


class Rehearsal:
    """The same seed and the same log give the same answer, on every machine and after a restart."""

    name = "rehearsal"
    label = "Rehearsal"
    description = "Generates answers from a seed. No model is called and nothing is spent."
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
        seed = options.get("seed", 1)
        choice = choose(effect, run, graph, Rng(seed, effect.key, "choice"))
        return replace(reply_for(effect, choice, seed, run.now), warnings=warnings)


DRIVER = Rehearsal()
