"""One turn of a node: it takes what is queued, the model is asked once, and its calls are made."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workflows.core.dialects.agent_graph.graph.transitions import arrows_of
from workflows.core.dialects.agent_graph.program import call_permissions, fixed_prompt, stalls
from workflows.core.dialects.agent_graph.program.context import Scene
from workflows.core.dialects.agent_graph.program.next_turn import ask_whether_to_go_on, leave
from workflows.core.dialects.agent_graph.program.node_state import SESSION_TURNS, Inputs
from workflows.core.dialects.agent_graph.program.replies import take_apart
from workflows.core.dialects.agent_graph.program.sanitize import sound, sound_text
from workflows.core.dialects.agent_graph.program.task_block import compact, inputs_of, task_of
from workflows.core.engine.effects import AskModel, Choice, Message
from workflows.core.engine.program import Again, Ask, End, Outcome
from workflows.core.engine.signals import Reply
from workflows.core.prompts.blocks import Blocks, kind_of, prompt_fields, text_hash
from workflows.core.prompts.modes import PREAMBLES

LONGEST_SUMMARY = 300
Json = Mapping[str, Any]


def begin(scene: Scene) -> Outcome:
    """Take everything that is queued into a new turn."""
    graph, node = scene.graph, scene.here
    if scene.kept("counts", {}).get("turns", 0) >= graph.most_turns:
        reason = f"The run took its {graph.most_turns} turns (limits.turns)."
        return scene.out(End(status="budget_exhausted", reason=reason))
    scene.count("turns")
    desk = scene.desk(node.id)
    turn, inputs = desk.turn + 1, desk.queued
    scene.set_desk(node.id, replace(desk, turn=turn, queued=Inputs()))
    scene.note(**START, phase="model", inputs=inputs.to_json())
    scene.tell(
        "turn",
        node=node.id,
        turn=turn,
        status="started",
        messages=len(inputs.messages),
        handoffs=len(inputs.inbox),
        results=len(inputs.results),
        run_mode=scene.run_mode,
        global_mode=scene.global_mode,
    )
    return scene.out(Again())


START: Json = {
    "calls": [],
    "results": [],
    "said": "",
    "diffs": [],
    "checks": [],
    "acts": [],
    "complete": None,
}
"""What a position remembers of its turn."""


def blocks_of(scene: Scene, inputs: Inputs) -> Blocks:
    """The prompt of the turn that begins with these inputs."""
    node = scene.here
    return Blocks(
        system=fixed_prompt.system(orchestrator=node.is_orchestrator),
        role=scene.play.role_text(node),
        mode=PREAMBLES[scene.global_mode],
        task=task_of(scene, inputs),
        override=node.override,
    )


def ask_model(scene: Scene) -> Outcome:
    """Send the prompt: whole where the session begins, and in it else what is new."""
    node, inputs = scene.here, Inputs.of(scene.noted("inputs", {}))
    desk = scene.desk(node.id)
    blocks = blocks_of(scene, inputs)
    kind = kind_of(blocks, sent=desk.sent)
    talk = scene.kept(f"talk:{node.id}", ()) if kind == "delta" else ()
    messages = (*(Message(**said) for said in talk), Message(role="user", text=blocks.delta))
    rights = scene.play.rights(node)
    effect = AskModel(
        key="",
        position="",
        state=node.id,
        system=blocks.header,
        messages=messages,
        tools=call_permissions.offered(rights, scene.global_mode, leads=node.is_orchestrator),
        model=node.model,
        choices=tuple(_choices(scene)),
        prompt=prompt_fields(blocks, kind, desk.turn),
    )
    return scene.out(Ask(effect=effect))


def _choices(scene: Scene) -> Iterator[Choice]:
    """What a rehearsal or a script may have the model do: hand off along each arrow, or stop."""
    node, graph = scene.here, scene.graph
    for arrow in arrows_of(graph):
        if arrow.source == node.id and arrow.target in graph.nodes:
            args = {"to": arrow.target, "message": f"Rehearsed work for {arrow.target}."}
            yield _calling(arrow.label, arrow.id, "send_handoff", args)
    if node.is_orchestrator:
        met = list(graph.definition_of_done)
        done: Json = {"summary": "Rehearsed to the end.", "met": met}
        yield _calling("complete_run", "", "complete_run", done)
    else:
        yield Choice(label="done", transition="", reply={"text": f"Rehearsed turn of {node.id}."})


def _calling(label: str, transition: str, name: str, args: Json) -> Choice:
    call = {"name": name, "arguments": args}
    return Choice(label=label, transition=transition, reply={"tool_calls": [call]})


def replied(scene: Scene, reply: Reply) -> Outcome:
    """Take the reply apart; its calls are made next."""
    if reply.error:
        return _failed(scene, reply.error)
    said, calls, rejected = take_apart(scene, reply)
    scene.note(phase="calls", calls=calls, results=rejected, said=said)
    _remember(scene, reply)
    return scene.out(Again())


def _remember(scene: Scene, reply: Reply) -> None:
    """The session after this turn: what came in, and what was said to it."""
    node, inputs = scene.here, Inputs.of(scene.noted("inputs", {}))
    desk, blocks = scene.desk(node.id), blocks_of(scene, inputs)
    kind = kind_of(blocks, sent=desk.sent)
    talk = list(scene.kept(f"talk:{node.id}", ())) if kind == "delta" else []
    lines = [sound_text(reply.text)] if reply.text.strip() else []
    for call in reply.tool_calls:
        written = {"id": call.id, "name": call.name, "args": sound(call.arguments) or {}}
        lines.append(compact({"tool_call": written}))
    said = [
        {"role": "user", "text": "\n".join(inputs_of(scene, inputs))},
        {"role": "assistant", "text": "\n".join(lines) or "(nothing)"},
    ]
    scene.keep(f"talk:{node.id}", [*talk, *said][-2 * SESSION_TURNS :])
    scene.set_desk(node.id, replace(desk, sent=blocks.header_hash))


def _failed(scene: Scene, error: str) -> Outcome:
    """The turn came to nothing: the node stops, with its inputs back in its queues, and the others
    go on."""
    node = scene.here
    desk = scene.desk(node.id)
    queued = Inputs.of(scene.noted("inputs", {})).then(desk.queued)
    scene.set_desk(node.id, replace(desk, queued=queued, standing="failed", summary=error[:300]))
    scene.note(phase="leave", inputs=Inputs().to_json())
    scene.tell("turn", node=node.id, turn=desk.turn, status="failed", error=error)
    scene.warn_lead(f"{node.label} ({node.id}) failed and does nothing more: {error}")
    return leave(scene)


def end(scene: Scene) -> Outcome:
    """Everything is carried out: say what the turn came to, and see what is next."""
    node = scene.here
    desk = scene.desk(node.id)
    results: list[Json] = list(scene.noted("results", ()))
    said = _with_errors(scene.noted("said", ""), results)
    diff = keep_diff(scene)
    checks = scene.noted("checks", ())
    summary = summary_of(said)
    stall, stalled = stalls.after(
        desk.stall,
        {
            "outputHash": text_hash(f"{said}\n{_acts(scene.noted('acts', ()))}"),
            "diffHash": text_hash(diff) if diff else None,
            "verificationFailure": text_hash("\n".join(checks)) if checks else None,
        },
        summary,
        scene.graph.stall_threshold,
    )
    queued = replace(desk.queued, results=(*desk.queued.results, *results))
    scene.set_desk(node.id, replace(desk, queued=queued, summary=summary, stall=stall))
    scene.tell("turn", node=node.id, turn=desk.turn, status="completed", summary=summary)
    complete = scene.noted("complete")
    scene.note(**START, phase="leave", inputs=Inputs().to_json())
    if complete is not None:
        return scene.out(End(status="completed", reason=complete))
    if stalled is not None:
        scene.tell(
            "stalled",
            node=node.id,
            signal=stalled.signal,
            turns=stalled.turns,
            evidence=stalled.evidence,
        )
        return ask_whether_to_go_on(scene, stalled.turns)
    return leave(scene)


def keep_diff(scene: Scene) -> str:
    """What this turn changed in the workspace, kept as an artifact."""
    diff = "".join(scene.noted("diffs", ()))
    if diff:
        node, turn = scene.here.id, scene.desk(scene.here.id).turn
        name = f"diff/{node}/{turn}"
        scene.write("artifact.set", name=name, value=diff, kind="diff", node=node, turn=turn)
    return diff


def _with_errors(said: str, results: Sequence[Json]) -> str:
    errors = [f"- {one['tool']}: {one['error']}" for one in results if not one["ok"]]
    return "\n".join([said, "Tool errors:", *errors]).strip() if errors else said


def _acts(acts: Sequence[Json]) -> str:
    """The calls of a turn: one that says nothing but does something else each time gets on."""
    return json.dumps(list(acts), sort_keys=True, ensure_ascii=False)


def summary_of(said: str) -> str:
    """The first line of what was said, cut short."""
    lines = said.strip().splitlines()
    return lines[0][:LONGEST_SUMMARY] if lines else "completed"
