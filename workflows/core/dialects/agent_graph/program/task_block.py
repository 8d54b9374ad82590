"""The task block of a turn (agent-graph page 2.4, with the additions of its document)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.dialects.agent_graph.format.model import AgentGraph, Edge, Node
from workflows.core.dialects.agent_graph.program.context import GraphContext
from workflows.core.dialects.agent_graph.program.fixed_prompt import NO_INPUTS
from workflows.core.dialects.agent_graph.program.node_state import Inputs, Json
from workflows.core.text.excerpt import excerpt

MAX_VALUE = 20_000
"""Maximum characters of a result or artifact in a prompt."""
SCHEME = "artifact://"


def task_of(context: GraphContext, inputs: Inputs) -> str:
    """The task block of the node at this position."""
    return "\n".join(
        [
            *_head(context, inputs),
            *_goal(context),
            *_roster(context),
            "",
            *inputs_of(context, inputs),
        ]
    )


def inputs_of(context: GraphContext, inputs: Inputs) -> list[str]:
    """The inputs of this turn, which also stay in the session."""
    lines = ["Incoming messages:", *_listed(_message(one) for one in inputs.messages), ""]
    lines += ["Incoming handoffs:", *_listed(_handoff(one) for one in inputs.inbox)]
    if inputs.results:
        lines += ["", "Tool results:", *(_result(one) for one in inputs.results)]
    refs = [item["ref"] for one in inputs.inbox for item in one["payload"].get("artifacts", ())]
    artifacts = [ref for ref in dict.fromkeys(refs) if _artifact(context, ref) is not None]
    if artifacts:
        lines += ["", "Artifacts:"]
        lines += [f"- {ref}\n{_indented(_artifact(context, ref))}" for ref in artifacts]
    return lines


def _head(context: GraphContext, inputs: Inputs) -> Iterator[str]:
    node, rights = context.current_node, context.definition.rights(context.current_node).to_json()
    permissions = node.permissions.to_json()
    yield "Task Payload"
    yield f"Run: {context.run.id or '-'}"
    yield f"Node: {node.label} ({node.id})"
    yield f"Role: {node.role}"
    yield f"Provider: {node.provider}"
    yield f"Orchestration: {context.run_mode}"
    yield f"Global mode: {context.global_mode}"
    if context.run_mode == "AUTO" and not (inputs.messages or inputs.inbox or inputs.results):
        yield NO_INPUTS
    yield f"Capabilities: {', '.join(f'{name}={_word(value)}' for name, value in rights.items())}"
    yield f"Permissions: {', '.join(f'{k}={_word(value)}' for k, value in permissions.items())}"
    yield "Workspace: the run's own folder, shared by all agents; paths begin there."


def _goal(context: GraphContext) -> Iterator[str]:
    done = context.definition.graph.definition_of_done
    if context.goal.strip():
        yield from ("", "Goal:", context.goal)
    if done:
        yield from ("", "Definition of done:", *(f"- {one}" for one in done))


def _roster(context: GraphContext) -> Iterator[str]:
    graph = context.graph
    nodes = sorted(graph.nodes.values(), key=lambda one: (one.label.casefold(), one.id))
    edges = sorted(graph.edges, key=lambda one: f"{one.source}-{one.target}-{one.label}".casefold())
    yield from ("", "Known nodes:", *_listed(_node(context, one) for one in nodes))
    yield from ("", "Known edges:", *_listed(_edge(graph, one) for one in edges))
    me = context.current_node.id
    owed = context.run_value("owed", ())
    mine = [f"- to {one['to']}, about {one['envelope']}" for one in owed if one["by"] == me]
    theirs = [f"- by {one['by']}, about {one['envelope']}" for one in owed if one["to"] == me]
    if mine:
        yield from ("", "Replies you owe:", *mine)
    if theirs:
        yield from ("", "Replies owed to you:", *theirs)


def _node(context: GraphContext, node: Node) -> str:
    alias = f" alias={node.alias}" if node.alias else ""
    scope = context.definition.rights(node).edge_management
    return (
        f"- {node.label} ({node.id}){alias} role={node.role} provider={node.provider} "
        f"status={context.status(node.id)} edgeManagement={scope}"
    )


def _edge(graph: AgentGraph, edge: Edge) -> str:
    return (
        f"- {_named(graph, edge.source)} -> {_named(graph, edge.target)} type={edge.type} "
        f"bidirectional={_word(edge.bidirectional)} label={edge.label}"
    )


def _named(graph: AgentGraph, id: str) -> str:
    node = graph.nodes.get(id)
    return f"{node.label if node else id} ({id})"


def _message(message: Json) -> str:
    how = "interrupt" if message.get("interrupt") else "queue"
    return f"- [{message['role']}] ({how}) {_hanging(message['text'])}"


def _handoff(envelope: Json) -> str:
    payload = envelope["payload"]
    lines = [f"- from {envelope['fromNodeId']}: {_hanging(payload['message'])}"]
    if "structured" in payload:
        lines.append(f"  structured: {compact(payload['structured'])}")
    if payload.get("artifacts"):
        refs = ", ".join(_flat(item["ref"]) for item in payload["artifacts"])
        lines.append(f"  artifacts: {refs}")
    if "status" in payload:
        status = payload["status"]
        reason = f" ({_flat(status['reason'])})" if status.get("reason") else ""
        lines.append(f"  status: {'ok' if status['ok'] else 'failed'}{reason}")
    if "response" in payload:
        response = payload["response"]
        to = f" replyTo={response['replyTo']}" if response.get("replyTo") else ""
        lines.append(f"  response: {response['expectation']}{to}")
    if envelope.get("contextRef"):
        lines.append(f"  context: {_flat(envelope['contextRef'])}")
    return "\n".join(lines)


def _result(result: Json) -> str:
    name, id = result["tool"], result.get("id", "")
    named = f"{name} ({id})" if id else name
    if result["ok"]:
        text = result.get("output", "")
        return f"- {named}: ok" + (f"\n{_indented(text)}" if text else "")
    output = f"\n{_indented(result['output'])}" if result.get("output") else ""
    return f"- {named}: failed: {_hanging(result['error'])}{output}"


def _artifact(context: GraphContext, ref: str) -> Any:
    """The value of an `artifact://` reference in this run; None for any other reference."""
    return context.run.artifacts.get(ref.removeprefix(SCHEME)) if ref.startswith(SCHEME) else None


def _indented(value: Any) -> str:
    text = value if isinstance(value, str) else compact(value)
    return "\n".join(f"  {line}" for line in excerpt(text, MAX_VALUE).splitlines())


def _hanging(text: str) -> str:
    """A list item with its further lines indented, so that text of an agent cannot imitate a line
    of the payload."""
    first, *rest = text.splitlines() or [""]
    return "\n".join([first, *(f"  {line}" for line in rest)])


def _flat(text: str) -> str:
    return " ".join(text.split())


def _listed(items: Iterable[str]) -> list[str]:
    return list(items) or ["- none"]


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def compact(value: Any) -> str:
    """JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
