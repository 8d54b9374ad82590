"""The step after a turn: another turn, sleep, or the decision for an idle team."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workflows.core.dialects.agent_graph.program.context import GraphContext
from workflows.core.dialects.agent_graph.program.node_state import make_message
from workflows.core.engine.effects import AskHuman, Choice
from workflows.core.engine.program import Again, Ask, End, Join, Outcome
from workflows.core.engine.signals import Approve


def choose_next(context: GraphContext) -> Outcome:
    """Take another turn if inputs are queued, else sleep while other nodes work. The last active
    node wakes the orchestrator in AUTO; otherwise it asks a person."""
    context.wake_pending()
    node_state = context.node_state(context.current_node.id)
    if node_state.standing == "idle" and node_state.queued.waiting:
        context.set_position_values(phase="")
        return context.outcome(Again())
    if context.active_nodes():
        return context.outcome(Join())
    return _all_idle(context)


def _all_idle(context: GraphContext) -> Outcome:
    lead = context.lead()
    if context.run_mode != "AUTO" or (lead and context.node_state(lead).standing != "idle"):
        return _ask_what_next(context)
    if not lead:
        return _end_without_lead(context)
    if lead == context.current_node.id:
        context.set_position_values(phase="")
        return context.outcome(Again())
    context.wake(lead)
    context.wake_pending()
    return context.outcome(Join())


def _end_without_lead(context: GraphContext) -> Outcome:
    """In AUTO without an orchestrator, the run ends when no node has work."""
    failed = [id for id in context.graph.nodes if context.node_state(id).standing == "failed"]
    if failed:
        reason = f"Failed: {', '.join(failed)}. All other agents are done."
        return context.outcome(End(status="failed", reason=reason))
    return context.outcome(
        End(status="completed", reason="Every agent is done, and none is an orchestrator.")
    )


def _ask_what_next(context: GraphContext) -> Outcome:
    context.set_position_values(phase="idle")
    nodes = list(context.graph.nodes)
    schema = {
        "type": "object",
        "properties": {
            "finish": {"type": "boolean", "title": "Finish the run"},
            "to": {"enum": nodes, "title": "Agent"},
            "message": {"type": "string", "title": "Message"},
        },
    }
    finish = Choice(label="Finish the run", transition="", reply={"structured": {"finish": True}})
    standing = [
        f"{id} {context.node_state(id).standing}"
        for id in nodes
        if context.node_state(id).standing != "idle"
    ]
    left = f" ({', '.join(standing)})" if standing else ""
    effect = AskHuman(
        key="",
        position="",
        state=context.current_node.id,
        kind="answer",
        question=f"All agents are idle{left}. Send an agent a message, or finish the run.",
        schema=schema,
        choices=(finish,),
    )
    return context.outcome(Ask(effect=effect))


def handle_next_answer(context: GraphContext, answer: Approve) -> Outcome:
    """A message to an agent (by default, the entry), or the end of the run."""
    fields: Mapping[str, Any] = answer.structured if isinstance(answer.structured, Mapping) else {}
    message = str(fields.get("message") or answer.text).strip()
    if not answer.approve or fields.get("finish") is True or not message:
        return context.outcome(
            End(status="completed", reason=message or "A person finished the run.")
        )
    node = context.graph.resolve(str(fields.get("to") or context.graph.entry))
    if node is None:
        context.record("unheard", to=str(fields.get("to")), text=message)
        return context.outcome(Again())
    context.set_node_state(node.id, replace(context.node_state(node.id), standing="idle"))
    context.queue(node.id, message=make_message(message))
    context.record("message", node=node.id, text=message, interrupt=False)
    context.set_position_values(phase="leave")
    if node.id != context.current_node.id:
        context.wake(node.id)
    return choose_next(context)


def ask_to_continue(context: GraphContext, turns: int) -> Outcome:
    """A stalled node waits for a person; other nodes continue."""
    context.wake_pending()
    context.set_position_values(phase="stalled", turns=turns)
    node = context.current_node
    summaries = context.node_state(node.id).stall.get("summaries", ())
    question = (
        f"{node.label} ({node.id}) made no progress in its last {turns} turns. "
        f"Its last answer: “{summaries[-1] if summaries else ''}” Continue, with an optional "
        "message to it, or stop it?"
    )
    effect = AskHuman(
        key="",
        position="",
        state=node.id,
        kind="approve",
        question=question,
        choices=tuple(
            Choice(label=label, transition="", reply={"approve": approve, "text": ""})
            for label, approve in (("Continue", True), ("Stop", False))
        ),
    )
    return context.outcome(Ask(effect=effect))


def handle_continue_answer(context: GraphContext, answer: Approve) -> Outcome:
    """Yes resets the stall counters. No stops the node until it gets a message."""
    node = context.current_node
    node_state = context.node_state(node.id)
    context.set_position_values(phase="leave")
    if not answer.approve:
        context.set_node_state(node.id, replace(node_state, standing="stalled"))
        context.record("stopped", node=node.id, standing="stalled", reason=answer.text)
        context.notify_lead(f"{node.label} ({node.id}) was stopped: it made no progress.")
        return choose_next(context)
    context.set_node_state(node.id, replace(node_state, stall={}))
    if answer.text.strip():
        context.queue(node.id, message=make_message(answer.text))
    context.record("message", node=node.id, text=answer.text, interrupt=False)
    return choose_next(context)
