"""One turn of a node: queued inputs, one model call, and the calls of the reply."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workflows.core.dialects.agent_graph.graph.transitions import transitions_of
from workflows.core.dialects.agent_graph.program import call_permissions, fixed_prompt, stalls
from workflows.core.dialects.agent_graph.program.context import GraphContext
from workflows.core.dialects.agent_graph.program.next_turn import ask_to_continue, choose_next
from workflows.core.dialects.agent_graph.program.node_state import SESSION_TURNS, Inputs
from workflows.core.dialects.agent_graph.program.replies import parse_reply
from workflows.core.dialects.agent_graph.program.sanitize import sanitize, sanitize_text
from workflows.core.dialects.agent_graph.program.task_block import compact, inputs_of, task_of
from workflows.core.engine.effects import AskModel, Choice, Message
from workflows.core.engine.program import Again, Ask, End, Outcome
from workflows.core.engine.signals import Reply
from workflows.core.prompts.blocks import Blocks, kind_of, prompt_fields, text_hash
from workflows.core.prompts.modes import PREAMBLES

MAX_SUMMARY = 300
Json = Mapping[str, Any]


def begin_turn(context: GraphContext) -> Outcome:
    """Start a turn with all queued inputs."""
    graph, node = context.graph, context.current_node
    if context.run_value("counts", {}).get("turns", 0) >= graph.most_turns:
        reason = f"The run reached its limit of {graph.most_turns} turns (limits.turns)."
        return context.outcome(End(status="budget_exhausted", reason=reason))
    context.count("turns")
    node_state = context.node_state(node.id)
    turn, inputs = node_state.turn + 1, node_state.queued
    context.set_node_state(node.id, replace(node_state, turn=turn, queued=Inputs()))
    context.set_position_values(**START, phase="model", inputs=inputs.to_json())
    context.record(
        "turn",
        node=node.id,
        turn=turn,
        status="started",
        messages=len(inputs.messages),
        handoffs=len(inputs.inbox),
        results=len(inputs.results),
        run_mode=context.run_mode,
        global_mode=context.global_mode,
    )
    return context.outcome(Again())


START: Json = {
    "calls": [],
    "results": [],
    "said": "",
    "diffs": [],
    "checks": [],
    "acts": [],
    "complete": None,
}
"""Initial memory of a position for a turn."""


def blocks_of(context: GraphContext, inputs: Inputs) -> Blocks:
    """The prompt blocks of the turn with these inputs."""
    node = context.current_node
    return Blocks(
        system=fixed_prompt.system(orchestrator=node.is_orchestrator),
        role=context.definition.role_text(node),
        mode=PREAMBLES[context.global_mode],
        task=task_of(context, inputs),
        override=node.override,
    )


def ask_model(context: GraphContext) -> Outcome:
    """Send the prompt: all of it at the start of a session, later only new inputs."""
    node, inputs = context.current_node, Inputs.of(context.position_value("inputs", {}))
    node_state = context.node_state(node.id)
    blocks = blocks_of(context, inputs)
    kind = kind_of(blocks, sent=node_state.sent)
    talk = context.run_value(f"talk:{node.id}", ()) if kind == "delta" else ()
    messages = (*(Message(**turn) for turn in talk), Message(role="user", text=blocks.delta))
    rights = context.definition.rights(node)
    effect = AskModel(
        key="",
        position="",
        state=node.id,
        system=blocks.header,
        messages=messages,
        tools=call_permissions.offered(rights, context.global_mode, leads=node.is_orchestrator),
        model=node.model,
        choices=tuple(_choices(context)),
        prompt=prompt_fields(blocks, kind, node_state.turn),
    )
    return context.outcome(Ask(effect=effect))


def _choices(context: GraphContext) -> Iterator[Choice]:
    """Choices: a handoff along each transition, or the end of the turn. The driver or person that
    answers writes the texts."""
    node, graph = context.current_node, context.graph
    for transition in transitions_of(graph):
        if transition.source == node.id and transition.target in graph.nodes:
            yield _calling(
                transition.label, transition.id, "send_handoff", {"to": transition.target}
            )
    if node.is_orchestrator:
        met = list(graph.definition_of_done)
        yield _calling("complete_run", "", "complete_run", {"met": met})
    else:
        yield Choice(label="done", transition="", reply={"text": ""})


def _calling(label: str, transition: str, name: str, args: Json) -> Choice:
    call = {"name": name, "arguments": args}
    return Choice(label=label, transition=transition, reply={"tool_calls": [call]})


def handle_reply(context: GraphContext, reply: Reply) -> Outcome:
    """Parse the reply and execute its calls."""
    if reply.error:
        return _failed(context, reply.error)
    text, calls, rejected = parse_reply(context, reply)
    context.set_position_values(phase="calls", calls=calls, results=rejected, said=text)
    _remember(context, reply)
    return context.outcome(Again())


def _remember(context: GraphContext, reply: Reply) -> None:
    """The session after this turn, with its inputs and the reply."""
    node, inputs = context.current_node, Inputs.of(context.position_value("inputs", {}))
    node_state, blocks = context.node_state(node.id), blocks_of(context, inputs)
    kind = kind_of(blocks, sent=node_state.sent)
    talk = list(context.run_value(f"talk:{node.id}", ())) if kind == "delta" else []
    lines = [sanitize_text(reply.text)] if reply.text.strip() else []
    for call in reply.tool_calls:
        written = {"id": call.id, "name": call.name, "args": sanitize(call.arguments) or {}}
        lines.append(compact({"tool_call": written}))
    turns = [
        {"role": "user", "text": "\n".join(inputs_of(context, inputs))},
        {"role": "assistant", "text": "\n".join(lines) or "(nothing)"},
    ]
    context.set_run_value(f"talk:{node.id}", [*talk, *turns][-2 * SESSION_TURNS :])
    context.set_node_state(node.id, replace(node_state, sent=blocks.header_hash))


def _failed(context: GraphContext, error: str) -> Outcome:
    """A failed turn: the node stops with its inputs queued again; other nodes continue."""
    node = context.current_node
    node_state = context.node_state(node.id)
    queued = Inputs.of(context.position_value("inputs", {})).then(node_state.queued)
    context.set_node_state(
        node.id, replace(node_state, queued=queued, standing="failed", summary=error[:300])
    )
    context.set_position_values(phase="leave", inputs=Inputs().to_json())
    context.record("turn", node=node.id, turn=node_state.turn, status="failed", error=error)
    context.notify_lead(f"{node.label} ({node.id}) failed and has stopped: {error}")
    return choose_next(context)


def end_turn(context: GraphContext) -> Outcome:
    """End the turn after its calls: record its summary, and choose the next step."""
    node = context.current_node
    node_state = context.node_state(node.id)
    results: list[Json] = list(context.position_value("results", ()))
    text = _with_errors(context.position_value("said", ""), results)
    diff = keep_diff(context)
    checks = context.position_value("checks", ())
    summary = summary_of(text)
    acts = context.position_value("acts", ())
    inputs = Inputs.of(context.position_value("inputs", {}))
    is_idle = not (acts or results or diff or checks or inputs.waiting)
    stall, stalled = stalls.after(
        node_state.stall,
        {
            "outputHash": text_hash(f"{text}\n{_acts(acts)}"),
            "diffHash": text_hash(diff) if diff else None,
            "verificationFailure": text_hash("\n".join(checks)) if checks else None,
            stalls.IDLE: stalls.IDLE if is_idle else None,
        },
        summary,
        context.graph.stall_threshold,
    )
    queued = replace(node_state.queued, results=(*node_state.queued.results, *results))
    context.set_node_state(
        node.id, replace(node_state, queued=queued, summary=summary, stall=stall)
    )
    context.record("turn", node=node.id, turn=node_state.turn, status="completed", summary=summary)
    complete = context.position_value("complete")
    context.set_position_values(**START, phase="leave", inputs=Inputs().to_json())
    if complete is not None:
        return context.outcome(End(status="completed", reason=complete))
    if stalled is not None:
        context.record(
            "stalled",
            node=node.id,
            signal=stalled.signal,
            turns=stalled.turns,
            evidence=stalled.evidence,
        )
        return ask_to_continue(context, stalled.turns)
    return choose_next(context)


def keep_diff(context: GraphContext) -> str:
    """Store the changes of this turn in the workspace as an artifact."""
    diff = "".join(context.position_value("diffs", ()))
    if diff:
        node, turn = context.current_node.id, context.node_state(context.current_node.id).turn
        name = f"diff/{node}/{turn}"
        context.record_common(
            "artifact.set", name=name, value=diff, kind="diff", node=node, turn=turn
        )
    return diff


def _with_errors(text: str, results: Sequence[Json]) -> str:
    errors = [f"- {one['tool']}: {one['error']}" for one in results if not one["ok"]]
    return "\n".join([text, "Tool errors:", *errors]).strip() if errors else text


def _acts(acts: Sequence[Json]) -> str:
    """The calls of a turn, so that turns with the same text and other calls differ."""
    return json.dumps(list(acts), sort_keys=True, ensure_ascii=False)


def summary_of(text: str) -> str:
    """The first line of the text, truncated."""
    lines = text.strip().splitlines()
    return lines[0][:MAX_SUMMARY] if lines else "completed"
