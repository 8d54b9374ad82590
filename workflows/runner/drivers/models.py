"""A real model answers, over one of this server's connections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workflows.core.engine.effects import AskModel
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply
from workflows.core.pack.graph import Graph
from workflows.models.endpoint import Endpoint
from workflows.runner.database_threads import in_thread
from workflows.runner.drivers.base import OnDelta, Unanswered
from workflows.runner.models.retries import RetryPolicy, ask

FAMILIES = ("opus", "sonnet", "haiku")
"""Sizes of model that packs name. No provider knows them: the connection's own model is asked."""


class RealModel:
    """Options of the run: `connection` (name or number; may be left out where there is only one),
    `model` (asked instead of those the pack names)."""

    name = "model"
    label = "Model"
    description = "A real model answers, over one of this server's connections."
    claims: Mapping[str, str] = {
        "streaming": "hard",
        "toolCalling": "hard",
        "structuredOutput": "preferred",
    }

    def __init__(self) -> None:
        self.patience = RetryPolicy()

    async def answer(
        self,
        effect: AskModel,
        run: RunState,
        graph: Graph,
        options: Mapping[str, Any],
        on_delta: OnDelta | None = None,
    ) -> Reply | None:
        """Raises Unanswered where there is no way to the model now."""
        del run, graph  # thousands of runs wait here, and the model is told none of it
        named = options.get("connection", "")
        reach = named if isinstance(named, Endpoint) else await in_thread(_reach, named)
        name = model_name(effect, reach, options)
        said = await ask(effect, reach, name, patience=self.patience, on_delta=on_delta)
        return replace(said, provider=reach.kind, model=name)


def model_name(effect: AskModel, reach: Endpoint, options: Mapping[str, Any]) -> str:
    """The run's, the state's, the connection's: the first that is said. Raises Unanswered."""
    own = effect.model.removeprefix(f"{reach.kind}:").removeprefix(f"{reach.kind}/")
    for named in (str(options.get("model") or ""), own, reach.model):
        if named and named not in FAMILIES:
            return named
    raise Unanswered(
        f"Neither the run nor the pack says which model to ask, and the connection “{reach.name}” "
        "has none of its own. Give it one under Settings, then resume."
    )


def _reach(named: Any) -> Endpoint:
    """Raises Unanswered. Not for the command line, which brings its reach along: it has no
    database."""
    from workflows.errors import NotThere
    from workflows.security.encryption import DecryptionFailed
    from workflows.selectors.connections import connection_named, reach_of

    try:
        return reach_of(connection_named(named))
    except NotThere as nowhere:
        said = f"{nowhere.message} {nowhere.hint}".strip()
        raise Unanswered(said) from None
    except DecryptionFailed as broken:
        raise Unanswered(f"{broken} Then resume.") from None


DRIVER = RealModel()
