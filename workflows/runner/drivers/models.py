"""The driver for real models, over one of this server's connections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workflows.core.conversation.check import check_question
from workflows.core.engine.effects import AskModel
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply
from workflows.core.pack.graph import Graph
from workflows.providers.endpoint import Endpoint
from workflows.providers.model_names import NoModel, model_of
from workflows.providers.prices import is_priced
from workflows.runner.drivers.base import ModelUnavailable, OnDelta
from workflows.runner.models.remedies import add_a_name, set_a_model, set_its_price
from workflows.runner.models.retries import RetryPolicy, ask


class RealModel:
    """Options of the run: `connection` (name or number; optional if there is only one) and `model`
    (overrides the pack's models). A model's name may be one of the connection's model names."""

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
        """Raises ModelUnavailable if the model cannot be reached now, and RequestRefused."""
        del run, graph  # Thousands of runs wait here; their memory can be freed.
        named = options.get("connection", "")
        endpoint = (
            named if isinstance(named, Endpoint) else await _endpoint_of(named, options.get("user"))
        )
        check_question(effect, endpoint.kind)
        try:
            name = model_name(effect, endpoint, options)
            _check_priced(options, endpoint, name)
            reply = await ask(effect, endpoint, name, policy=self.policy, on_delta=on_delta)
        except ModelUnavailable as error:
            error.connection = endpoint.name
            raise
        return replace(reply, provider=endpoint.kind, model=name)


def model_name(effect: AskModel, endpoint: Endpoint, options: Mapping[str, Any]) -> str:
    """The model of the first name that is set on the run, the state or the connection. Raises
    ModelUnavailable."""
    named = str(options.get("model") or "") or effect.model or endpoint.model
    who = f"the connection “{endpoint.name}”"
    if not named:
        raise ModelUnavailable(
            f"Neither the run nor the pack names a model, and {who} has no default model. "
            f"{set_a_model(endpoint)}"
        )
    try:
        return model_of(endpoint, named)
    except NoModel as missing:
        if missing.uses_own:
            why = f"The name {missing.name!r} uses the model of {who}, which has none."
            raise ModelUnavailable(f"{why} {set_a_model(endpoint)}") from None
        why = f"The connection “{endpoint.name}” has no model for the name {missing.name!r}."
        raise ModelUnavailable(f"{why} {add_a_name(endpoint, missing.name)}") from None


def _check_priced(options: Mapping[str, Any], endpoint: Endpoint, model: str) -> None:
    """Raise ModelUnavailable if the run has a limit of its cost, and this model has no price: the
    limit would never be reached."""
    limit = (options.get("budget") or {}).get("cost")
    if limit is not None and not is_priced(endpoint, model):
        raise ModelUnavailable(
            f"This run may cost {limit:g} USD at most, but the model {model!r} has no price on the "
            f"connection “{endpoint.name}”. {set_its_price(endpoint)}"
        )


async def _endpoint_of(named: Any, user: int | None) -> Endpoint:
    """The endpoint of a connection that this user may use. Raises ModelUnavailable. Not for the
    command line, which passes an endpoint: it has no database and no Django."""
    from workflows.runner.database_threads import in_thread

    return await in_thread(_endpoint, named, user)


def _endpoint(named: Any, user: int | None) -> Endpoint:
    from django.contrib.auth.models import User

    from workflows.errors import NotThere
    from workflows.security.encryption import DecryptionFailed
    from workflows.selectors.connections import connection_named, reach_of

    try:
        return reach_of(connection_named(named, User.objects.filter(pk=user or 0).first()))
    except NotThere as error:
        raise ModelUnavailable(error.sentence) from None
    except DecryptionFailed as error:
        raise ModelUnavailable(f"{error} Then resume.") from None


DRIVER = RealModel()
