"""The driver for real models, over one of this server's connections."""

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
from workflows.runner.drivers.base import ModelUnavailable, OnDelta
from workflows.runner.models.retries import RetryPolicy, ask

FAMILIES = ("opus", "sonnet", "haiku")
"""Model sizes that packs name. No provider has a model of this name; the connection's default model
is used."""


class RealModel:
    """Options of the run: `connection` (name or number; optional if there is only one) and `model`
    (overrides the pack's models)."""

    name = "model"
    label = "Model"
    description = "A real model, over one of this server's connections."
    claims: Mapping[str, str] = {
        "streaming": "hard",
        "toolCalling": "hard",
        "structuredOutput": "preferred",
    }

    def __init__(self) -> None:
        self.policy = RetryPolicy()

    async def answer(
        self,
        effect: AskModel,
        run: RunState,
        graph: Graph,
        options: Mapping[str, Any],
        on_delta: OnDelta | None = None,
    ) -> Reply | None:
        """Raises ModelUnavailable if the model cannot be reached now."""
        del run, graph  # Thousands of runs wait here; their memory can be freed.
        named = options.get("connection", "")
        endpoint = named if isinstance(named, Endpoint) else await in_thread(_endpoint, named)
        name = model_name(effect, endpoint, options)
        reply = await ask(effect, endpoint, name, policy=self.policy, on_delta=on_delta)
        return replace(reply, provider=endpoint.kind, model=name)


def model_name(effect: AskModel, endpoint: Endpoint, options: Mapping[str, Any]) -> str:
    """The first model set on the run, the state or the connection. Raises ModelUnavailable."""
    own = effect.model.removeprefix(f"{endpoint.kind}:").removeprefix(f"{endpoint.kind}/")
    for named in (str(options.get("model") or ""), own, endpoint.model):
        if named and named not in FAMILIES:
            return named
    raise ModelUnavailable(
        "Neither the run nor the pack names a model, and the connection "
        f"“{endpoint.name}” has no default model. Set one under Settings, then resume."
    )


def _endpoint(named: Any) -> Endpoint:
    """Raises ModelUnavailable. Not for the command line, which passes an endpoint: it has no
    database."""
    from workflows.errors import NotThere
    from workflows.security.encryption import DecryptionFailed
    from workflows.selectors.connections import connection_named, reach_of

    try:
        return reach_of(connection_named(named))
    except NotThere as error:
        raise ModelUnavailable(f"{error.message} {error.hint}".strip()) from None
    except DecryptionFailed as error:
        raise ModelUnavailable(f"{error} Then resume.") from None


DRIVER = RealModel()
