"""Signals to a run, and their form in the body of a request."""

from __future__ import annotations

import time
from typing import Any

from rest_framework.request import Request

from roles.request_user import request_user
from workflows.actions import runs as actions
from workflows.api import serializers as shapes
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.core.engine import signals
from workflows.errors import BadRequest
from workflows.selectors import runs as read


@operation(shapes.Events, 409, request=shapes.NewSignal)
def runs_signal(request: Request, id: str) -> Any:
    """Send a signal to a run. 409 if it changed nothing."""
    params = checked(shapes.NewSignal, request)
    run = read.run_named(id)
    by = request_user(request).get_username()
    if params["type"] == "revoke":
        events = actions.revoke_tool(run.pk, params.get("tool", ""), by=by)
    else:
        events = actions.signal(run.pk, signal_of(params, time.time()), by=by)
    now = read.run_named(id)
    return {
        "events": [event.to_json() for event in events],
        "last": now.last,
        "status": now.status,
    }


def signal_of(params: dict[str, Any], at: float) -> signals.Signal:
    """The signal in a request's body. Raises BadRequest."""
    match params["type"]:
        case "pause" | "resume" | "step" | "cancel":
            return signals.Control(at=at, what=params["type"], reason=params.get("reason", ""))
        case "breakpoints":
            ids = tuple(params.get("breakpoints") or ())
            return signals.Breakpoints(at=at, ids=ids, until=params.get("until", ""))
        case "Approve":
            return signals.Approve(
                at=at,
                tool_calls=tool_calls_of(params),
                **_fields(params, "key", "approve", "event", "text", "structured", "rest"),
            )
        case "Tell":
            if not params.get("state") or not params.get("text", "").strip():
                raise BadRequest(
                    "`Tell` needs the `state` of the agent and a `text`.", where="text"
                )
            return signals.Tell(
                at=at,
                state=params["state"],
                text=params["text"],
                interrupt=params.get("interrupt", False),
            )
        case "Fire":
            if not params.get("event"):
                raise BadRequest("Fire needs the `event` to take.", where="event")
            return signals.Fire(at=at, event=params["event"], state=params.get("state", ""))
        case _:
            if not params.get("key"):
                raise BadRequest("Reply needs the `key` of what it answers.", where="key")
            return signals.Reply(
                at=at,
                tool_calls=tool_calls_of(params),
                **_fields(params, "key", "text", "structured"),
            )


def _fields(params: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: params[name] for name in names if name in params}


def tool_calls_of(params: dict[str, Any]) -> tuple[signals.ToolCall, ...]:
    """The `tool_calls` of a request's body. Raises BadRequest."""
    return tuple(_call(call) for call in params.get("tool_calls", ()))


def _call(call: dict[str, Any]) -> signals.ToolCall:
    name, arguments = call.get("name"), call.get("arguments", {})
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise BadRequest("A tool call has a `name` and `arguments`.", where="tool_calls")
    return signals.ToolCall(name=name, arguments=arguments, id=str(call.get("id", "")))
