"""Trials: send a recorded model call again, with changes."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from roles.request_user import request_user
from workflows.actions.run_trials import record_trial
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.api.serializers.run_trials import MAX_CHANGES, ModelTrial, NewModelTrial
from workflows.core.engine.effects import AskModel
from workflows.errors import BadRequest
from workflows.isolation.request_turns import REQUESTS
from workflows.runner.models.trial import Trial, TrialChanges, run_trial
from workflows.security.encryption import DecryptionFailed
from workflows.selectors import runs as read
from workflows.selectors.connections import connection_named, reach_of
from workflows.selectors.model_calls import recorded_call


@operation(ModelTrial, 422, request=NewModelTrial)
def runs_trial(request: Request, id: str) -> Any:
    """Send a model call of the run again with changes, over one of the user's connections. The run
    is not changed, and the answer is not stored; its tokens and cost are in the sums of costs."""
    params = checked(NewModelTrial, request)
    run = read.run_named(id)
    effect = recorded_call(run, params["at"])
    named = params.get("connection") or str(run.options.get("connection") or "")
    connection = connection_named(named, request_user(request))
    try:
        endpoint = reach_of(connection)
    except DecryptionFailed as broken:
        raise BadRequest(str(broken), where="connection") from None
    model = params.get("model") or ("" if params.get("connection") else _model_of(run.options))
    with REQUESTS.lent():
        trial = run_trial(effect, _changes(params, effect, model), endpoint)
    record_trial(run, request_user(request), trial.reply.usage)
    return _trial_json(trial, connection.name)


def _model_of(options: dict[str, Any]) -> str:
    return str(options.get("model") or "")


def _changes(params: dict[str, Any], effect: AskModel, model: str) -> TrialChanges:
    texts = params.get("texts", {})
    if len(texts) > MAX_CHANGES or not all(key.isascii() and key.isdecimal() for key in texts):
        raise BadRequest(
            f"Name up to {MAX_CHANGES} messages by their position, from 0 to "
            f"{max(0, len(effect.messages) - 1)}.",
            where="texts",
        )
    return TrialChanges(
        system=params.get("system"),
        developer=params.get("developer"),
        texts={int(key[:9]): text for key, text in texts.items()},
        parameters=params.get("parameters", {}),
        model=model,
    )


def _trial_json(trial: Trial, connection: str) -> dict[str, Any]:
    reply = trial.reply
    return {
        "connection": connection,
        "provider": reply.provider,
        "model": reply.model,
        "text": reply.text,
        "structured": reply.structured,
        "tool_calls": [
            {"id": call.id, "name": call.name, "arguments": call.arguments, "unread": call.unread}
            for call in reply.tool_calls
        ],
        "reasoning": reply.reasoning,
        "error": reply.error,
        "input_tokens": reply.usage.input_tokens,
        "output_tokens": reply.usage.output_tokens,
        "cost": reply.usage.cost,
        "seconds": trial.seconds,
        "request": reply.sent[-1] if reply.sent else None,
    }
