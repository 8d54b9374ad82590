"""Handoffs between agents: envelopes, delivery, and required replies."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from workflows.core.dialects.agent_graph.format.model import Node
from workflows.core.dialects.agent_graph.graph.transitions import EdgeTransition, transitions_of
from workflows.core.dialects.agent_graph.program.call_arguments import Refused
from workflows.core.dialects.agent_graph.program.context import GraphContext

SCHEME = "artifact://"
PAYLOAD = ("message", "structured", "artifacts", "status", "response")


def send_handoff(context: GraphContext, request: Mapping[str, Any]) -> dict[str, Any]:
    """Send a handoff along the edge that permits it. Raises Refused."""
    me = context.current_node.id
    target, transition = checked_edge_to(context, request["to"])
    payload = {name: request[name] for name in PAYLOAD if name in request}
    _check_artifacts(context, payload)
    payload |= _reply_to(context, payload)
    envelope = envelope_of(context, target.id, payload)
    if request.get("contextRef"):
        envelope["contextRef"] = request["contextRef"]
    _settle_reply(context, me, target.id, envelope["id"])
    _require_reply(context, envelope, payload.get("response", {}))
    deliver(context, envelope, label=transition.label)
    return {"envelopeId": envelope["id"], "from": me, "to": target.id}


def checked_edge_to(context: GraphContext, name: str) -> tuple[Node, EdgeTransition]:
    """The receiver of a handoff, and the transition to it. Raises Refused."""
    me, target = context.current_node.id, context.graph.resolve(name)
    if target is None:
        raise Refused(f"There is no node {name!r:.60}; use an id or an alias.")
    transition = transition_between(context, me, target.id)
    if transition is None:
        raise Refused(
            f"send_handoff requires an edge between {me} and {target.id}. Create the edge first."
        )
    return target, transition


def transition_between(context: GraphContext, sender: str, receiver: str) -> EdgeTransition | None:
    """The transition from sender to receiver; None without one."""
    for transition in transitions_of(context.graph):
        if (transition.source, transition.target) == (sender, receiver):
            return transition
    return None


def envelope_of(context: GraphContext, to: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """An envelope from the node at this position."""
    return {
        "kind": "handoff",
        "id": f"handoff-{context.count('envelopes')}",
        "fromNodeId": context.current_node.id,
        "toNodeId": to,
        "createdAt": datetime.fromtimestamp(context.run.now, UTC).isoformat(),
        "payload": dict(payload),
    }


def deliver(context: GraphContext, envelope: Mapping[str, Any], *, label: str) -> None:
    """Add an envelope to the receiver's inbox and wake the receiver. `label` "": without an
    edge."""
    to = envelope["toNodeId"]
    context.queue(to, envelope=envelope)
    context.record(
        "handoff",
        envelope=envelope,
        source=envelope["fromNodeId"],
        target=to,
        label=label,
        **({"transition": f"{envelope['fromNodeId']}|{label}|{to}"} if label else {}),
    )
    context.wake(to, label)


def _check_artifacts(context: GraphContext, payload: Mapping[str, Any]) -> None:
    for item in payload.get("artifacts", ()):
        ref = item["ref"]
        if ref.startswith(SCHEME) and ref.removeprefix(SCHEME) not in context.run.artifacts:
            names = ", ".join(sorted(context.run.artifacts)[:20]) or "none so far"
            raise Refused(f"This run has no artifact {ref!r:.80}; it has {names}.")


def _reply_to(context: GraphContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """`replyTo` as an id. Raises Refused for an unknown node."""
    response = payload.get("response")
    if not response or not response.get("replyTo"):
        return {}
    node = context.graph.resolve(response["replyTo"])
    if node is None:
        raise Refused(f"`replyTo` names no node: {response['replyTo']!r:.60}.")
    return {"response": {**response, "replyTo": node.id}}


def _require_reply(
    context: GraphContext, envelope: Mapping[str, Any], response: Mapping[str, Any]
) -> None:
    """Record that the receiver owes a reply, to the sender or to `replyTo`."""
    if response.get("expectation") != "required":
        return
    by, to = envelope["toNodeId"], response.get("replyTo") or envelope["fromNodeId"]
    debt = {"envelope": envelope["id"], "by": by, "to": to}
    context.set_run_value("owed", [*context.run_value("owed", ()), debt])
    context.record("reply_owed", **debt, open=True)


def _settle_reply(context: GraphContext, by: str, to: str, paid_with: str) -> None:
    """Close the oldest open reply from `by` to `to`."""
    owed = list(context.run_value("owed", ()))
    for debt in owed:
        if (debt["by"], debt["to"]) == (by, to):
            context.set_run_value("owed", [other for other in owed if other is not debt])
            context.record("reply_owed", **debt, open=False, paid_with=paid_with)
            return
