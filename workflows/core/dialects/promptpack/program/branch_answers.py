"""Answers that lead on: what a model or tool of a step could say for a later branch to go this way
or that. A rehearsal picks from them, and a script by their labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.promptpack.format.parts import word
from workflows.core.dialects.promptpack.program.composition_plan import Plan, Step
from workflows.core.dialects.promptpack.program.context import Setting
from workflows.core.dialects.promptpack.program.expected_values import Way, example, read_of, ways
from workflows.core.dialects.promptpack.program.references import as_text
from workflows.core.engine.effects import Choice


def replies(setting: Setting, plan: Plan, step: Step) -> tuple[Choice, ...]:
    """Answers of a model that decide the branches after this step."""
    found = []
    for way in ways(plan, _read_as(plan, step)):
        if step.structured or isinstance(way.value, str):
            reply = {"structured" if step.structured else "text": way.value}
            found.append(choice_for(setting, plan, way, reply))
    return tuple(found)


def results(setting: Setting, plan: Plan, step: Step) -> tuple[Choice, ...]:
    """Results of a tool: one for each way on that they decide, all with what later steps read."""
    start = _read_as(plan, step)
    read = read_of(plan, start)
    found = [
        choice_for(setting, plan, way, {"result": as_text(example(read, way.value))})
        for way in ways(plan, start)
    ]
    if not found and any(read):
        reply = {"result": as_text(example(read, {}))}
        found = [Choice(label="result", transition="", reply=reply)]
    return tuple(found)


def choice_for(setting: Setting, plan: Plan, way: Way, reply: Mapping[str, Any]) -> Choice:
    """An answer that makes a branch go this way; its arrow is the one the canvas draws for it."""
    box = plan.state_of(way.step)
    label = way.taken if way.to else ""
    out = [
        arrow
        for arrows in setting.arrows.values()
        for arrow in arrows
        if arrow.source == box and arrow.label == label
    ]
    return Choice(
        label=way.to or f"past {way.step.id}",
        transition=out[0].id if out else "",
        reply=reply,
    )


def _read_as(plan: Plan, step: Step) -> tuple[str, ...]:
    """How later steps refer to this one's output."""
    if not step.within:
        return (step.id, "output")
    around = plan.every[step.within]
    reduce = around.body.get("reduce")
    reduce = reduce if isinstance(reduce, dict) else {}
    into = (around.id, "output", word(reduce.get("into")))
    if reduce.get("strategy") == "barrier":
        return (*into, step.id)
    last = reduce.get("strategy") == "replace" and around.branches[-1].id == step.id
    return into if last else ("",)
