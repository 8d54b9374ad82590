"""New steps from the palette of a composition's canvas, each valid from the start."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.promptpack.edits import objects
from workflows.core.dialects.promptpack.edits.own_prompts import with_new_prompt
from workflows.core.dialects.promptpack.edits.steps import (
    STEP_ID,
    STEP_ID_RULE,
    all_ids,
    free_step_id,
)
from workflows.core.dialects.promptpack.format.parts import Parts
from workflows.core.dialects.promptpack.graph.composition_flow import DEPENDS, Flow
from workflows.core.dialects.promptpack.graph.levels import LEVEL_KIND, STEP_KINDS, composition_of
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import AddObject, AddState
from workflows.core.pack.forms import palette_of
from workflows.core.pack.naming import require_free
from workflows.core.text.json.document import JsonText

STEP_PALETTE = palette_of(
    (
        "prompt",
        "Prompt step",
        "One model call with one of the pack's prompts. It has no tools.",
        "step",
    ),
    (
        "agent",
        "Agent step",
        "A prompt that can call tools, until a number of rounds or a given tool call.",
        "agent",
    ),
    ("tool", "Tool step", "Calls one tool of the pack, without a model.", "call"),
    (
        "branch",
        "Branch",
        "Evaluates a condition and continues with then or else. Connect both.",
        "choose",
    ),
    ("parallel", "Parallel", "Runs its branches in parallel and combines their outputs.", "gather"),
    level=LEVEL_KIND,
    id_pattern=f"^{STEP_ID.pattern}$",
    id_rule=STEP_ID_RULE,
)


def is_new_step(parts: Parts, edit: AddState) -> bool:
    """Return True if the new state belongs to the canvas of a composition."""
    return (not edit.kind or edit.kind in STEP_KINDS or "." in edit.kind) and bool(
        composition_of(parts, edit.id)
    )


def add(source: PackSource, edit: AddState) -> JsonText:
    """Append a new step, with a prompt that nothing else uses. If the pack has no tool for it, one
    is added. A new branch step has no targets yet."""
    composition = composition_of(source.parts, edit.id) or ""
    flow = source.parts.flow(composition)
    name = free_step_id(flow, edit.id)
    text, fresh = _new_step(source, edit.kind or "prompt", name, flow)
    fresh = _with_join(flow, fresh)
    if edit.name:
        fresh["description"] = edit.name
    if isinstance(text.get(flow.base), list):
        return text.insert((*flow.base, "-"), fresh)
    return text.set(flow.base, [fresh])


def _new_step(
    source: PackSource, kind: str, name: str, flow: Flow
) -> tuple[JsonText, dict[str, Any]]:
    text, step = source.json, {"id": name, "kind": kind}
    match kind:
        case "prompt" | "agent":
            text, prompt = with_new_prompt(text, source.parts, name)
            more: dict[str, Any] = {"prompt_task": prompt, "input": _previous_output(flow)}
            if kind == "agent":
                more["termination"] = {"max_steps": 5}
            return text, {**step, **more}
        case "tool":
            text, tool = _with_tool(text, source, name)
            return text, {**step, "tool": tool, "args": {}}
        case "branch":
            return text, {**step, "predicate": {"path": _previous_output(flow), "exists": True}}
        case "parallel":
            branches = []
            for letter in "ab":
                inner = f"{name}_{letter}"
                require_free(all_ids(flow.spec.get("steps")), inner, "step")
                text, branch = _new_step(source.with_text(text), "prompt", inner, flow)
                branches.append(branch)
            reduce = {"strategy": "barrier", "into": name}
            return text, {**step, "branches": branches, "reduce": reduce}
    return text, dict(step)


def _with_join(flow: Flow, fresh: dict[str, Any]) -> dict[str, Any]:
    """Add `depends_on` if the previous step is a branch or a parallel step, so the join is
    explicit."""
    last = flow.steps[flow.order[-1]] if flow.order else None
    if last is None or last.kind not in ("branch", "parallel"):
        return fresh
    head = {key: fresh.pop(key) for key in ("id", "kind")}
    return {**head, DEPENDS: [last.name], **fresh}


def _previous_output(flow: Flow) -> str:
    """The output of the last step, or the composition's input if there is no step with an
    output."""
    last = flow.steps[flow.order[-1]] if flow.order else None
    return f"${{{last.name}.output}}" if last and last.kind != "branch" else "${input}"


def _with_tool(text: JsonText, source: PackSource, key: str) -> tuple[JsonText, str]:
    """The tool with the step's name, else the pack's first tool, else a new one."""
    tools = list(source.parts.tools)
    if tools:
        return text, key if key in tools else tools[0]
    return objects.add(source.with_text(text), AddObject(kind="tool", key=key)), key
