"""What comes after a turn: the next one, sleep, or, once everybody is done, whoever leads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workflows.core.dialects.agent_graph.program.context import Scene
from workflows.core.dialects.agent_graph.program.node_state import spoken
from workflows.core.engine.effects import AskHuman, Choice
from workflows.core.engine.program import Again, Ask, End, Join, Outcome
from workflows.core.engine.signals import Approve


def leave(scene: Scene) -> Outcome:
    """Go on with what is queued here; else sleep while others work. The last one awake wakes the
    orchestrator in AUTO, and asks a person else."""
    scene.rouse()
    desk = scene.desk(scene.here.id)
    if desk.standing == "idle" and desk.queued.waiting:
        scene.note(phase="")
        return scene.out(Again())
    if scene.others_awake():
        return scene.out(Join())
    return _all_idle(scene)


def _all_idle(scene: Scene) -> Outcome:
    lead = scene.lead()
    if scene.run_mode != "AUTO" or (lead and scene.desk(lead).standing != "idle"):
        return _ask_what_next(scene)
    if not lead:
        return _nobody_leads(scene)
    if lead == scene.here.id:
        scene.note(phase="")
        return scene.out(Again())
    scene.wake(lead)
    scene.rouse()
    return scene.out(Join())


def _nobody_leads(scene: Scene) -> Outcome:
    """In AUTO without an orchestrator the work is over when nobody has any."""
    failed = [id for id in scene.graph.nodes if scene.desk(id).standing == "failed"]
    if failed:
        reason = f"Failed: {', '.join(failed)}. The others are done."
        return scene.out(End(status="failed", reason=reason))
    return scene.out(End(status="completed", reason="Every agent is done, and none of them leads."))


def _ask_what_next(scene: Scene) -> Outcome:
    scene.note(phase="idle")
    nodes = list(scene.graph.nodes)
    schema = {
        "type": "object",
        "properties": {
            "finish": {"type": "boolean", "title": "Finish the run"},
            "to": {"enum": nodes, "title": "Agent"},
            "message": {"type": "string", "title": "Message"},
        },
    }
    finish = Choice(label="finish", transition="", reply={"structured": {"finish": True}})
    standing = [
        f"{id} {scene.desk(id).standing}" for id in nodes if scene.desk(id).standing != "idle"
    ]
    left = f" ({', '.join(standing)})" if standing else ""
    effect = AskHuman(
        key="",
        position="",
        state=scene.here.id,
        kind="answer",
        question=f"Everybody is idle{left}. Write to an agent, or finish the run.",
        schema=schema,
        choices=(finish,),
    )
    return scene.out(Ask(effect=effect))


def told_what_next(scene: Scene, answer: Approve) -> Outcome:
    """A message to an agent (the entry where none is named), or the end of the run."""
    said: Mapping[str, Any] = answer.structured if isinstance(answer.structured, Mapping) else {}
    message = str(said.get("message") or answer.text).strip()
    if not answer.approve or said.get("finish") is True or not message:
        return scene.out(End(status="completed", reason=message or "A person finished the run."))
    node = scene.graph.resolve(str(said.get("to") or scene.graph.entry))
    if node is None:
        scene.tell("unheard", to=str(said.get("to")), text=message)
        return scene.out(Again())
    scene.set_desk(node.id, replace(scene.desk(node.id), standing="idle"))
    scene.queue(node.id, message=spoken(message))
    scene.tell("message", node=node.id, text=message, interrupt=False)
    scene.note(phase="leave")
    if node.id != scene.here.id:
        scene.wake(node.id)
    return leave(scene)


def ask_whether_to_go_on(scene: Scene, turns: int) -> Outcome:
    """A node that goes round in circles waits for a person; the others go on."""
    scene.rouse()
    scene.note(phase="stalled", turns=turns)
    node = scene.here
    said = scene.desk(node.id).stall.get("summaries", ())
    question = (
        f"{node.label} ({node.id}) got nowhere in its last {turns} turns: "
        f"“{said[-1] if said else ''}” Shall it go on? What you write is passed on to it."
    )
    effect = AskHuman(key="", position="", state=node.id, kind="approve", question=question)
    return scene.out(Ask(effect=effect))


def told_whether_to_go_on(scene: Scene, answer: Approve) -> Outcome:
    """Yes: it is counted anew. No: it does nothing more until somebody speaks to it."""
    node = scene.here
    desk = scene.desk(node.id)
    scene.note(phase="leave")
    if not answer.approve:
        scene.set_desk(node.id, replace(desk, standing="stalled"))
        scene.tell("stopped", node=node.id, standing="stalled", reason=answer.text)
        scene.warn_lead(f"{node.label} ({node.id}) was stopped: it went round in circles.")
        return leave(scene)
    scene.set_desk(node.id, replace(desk, stall={}))
    if answer.text.strip():
        scene.queue(node.id, message=spoken(answer.text))
    scene.tell("message", node=node.id, text=answer.text, interrupt=False)
    return leave(scene)
