"""New steps: what the palette of a composition's canvas offers, each valid from the start."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.promptpack.edits import objects
from workflows.core.dialects.promptpack.edits.common import new_prompt
from workflows.core.dialects.promptpack.edits.steps import all_ids, free_name
from workflows.core.dialects.promptpack.format.parts import Parts
from workflows.core.dialects.promptpack.graph.composition_flow import DEPENDS, Flow
from workflows.core.dialects.promptpack.graph.levels import KIND, STEP_KINDS, composition_of
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import AddObject, AddState
from workflows.core.pack.forms import PaletteItem
from workflows.core.pack.naming import require_free
from workflows.core.text.json.document import JsonText

STEP_PALETTE = (
    PaletteItem(
        kind="prompt",
        title="Prompt step",
        description="One model call with one of the pack's prompts. It has no tools.",
        suggested_id="step",
        level=KIND,
    ),
    PaletteItem(
        kind="agent",
        title="Agent step",
        description="A prompt that may call tools, for so many rounds or until it calls one.",
        suggested_id="agent",
        level=KIND,
    ),
    PaletteItem(
        kind="tool",
        title="Tool step",
        description="Calls one tool of the pack, without a model.",
        suggested_id="call",
        level=KIND,
    ),
    PaletteItem(
        kind="branch",
        title="Branch",
        description="Asks a condition and leads one way or the other. Draw both ways out of it.",
        suggested_id="choose",
        level=KIND,
    ),
    PaletteItem(
        kind="parallel",
        title="Parallel",
        description="Runs its branches at once and puts together what comes out of them.",
        suggested_id="gather",
        level=KIND,
    ),
)


def is_new_step(parts: Parts, edit: AddState) -> bool:
    """Whether this box belongs on the canvas of a composition."""
    return (not edit.kind or edit.kind in STEP_KINDS or "." in edit.kind) and bool(
        composition_of(parts, edit.id)
    )


def add(source: PackSource, edit: AddState) -> JsonText:
    """A new last step, with the prompt or tool that it needs where the pack has none for it. A
    branch has no way out yet: those are drawn."""
    composition = composition_of(source.parts, edit.id) or ""
    flow = Flow(composition, source.parts.compositions[composition])
    name = free_name(flow, edit.id)
    text, fresh = _fresh(source, edit.kind or "prompt", name, flow)
    fresh = _joined(flow, fresh)
    if edit.name:
        fresh["description"] = edit.name
    if isinstance(text.get(flow.base), list):
        return text.insert((*flow.base, "-"), fresh)
    return text.set(flow.base, [fresh])


def _fresh(source: PackSource, kind: str, name: str, flow: Flow) -> tuple[JsonText, dict[str, Any]]:
    text, step = source.json, {"id": name, "kind": kind}
    match kind:
        case "prompt" | "agent":
            text = _with_prompt(text, source.parts, name)
            more: dict[str, Any] = {"prompt_task": name, "input": _what_came_before(flow)}
            if kind == "agent":
                more["termination"] = {"max_steps": 5}
            return text, {**step, **more}
        case "tool":
            text, tool = _with_tool(text, source, name)
            return text, {**step, "tool": tool, "args": {}}
        case "branch":
            return text, {**step, "predicate": {"path": _what_came_before(flow), "exists": True}}
        case "parallel":
            branches = []
            for letter in "ab":
                inner = f"{name}_{letter}"
                require_free(all_ids(flow.spec.get("steps")), inner, "step")
                text, branch = _fresh(source.with_text(text), "prompt", inner, flow)
                branches.append(branch)
            reduce = {"strategy": "barrier", "into": name}
            return text, {**step, "branches": branches, "reduce": reduce}
    return text, dict(step)


def _joined(flow: Flow, fresh: dict[str, Any]) -> dict[str, Any]:
    """Where ways part right before it, the step says that it is where they meet."""
    last = flow.steps[flow.order[-1]] if flow.order else None
    if last is None or last.kind not in ("branch", "parallel"):
        return fresh
    head = {key: fresh.pop(key) for key in ("id", "kind")}
    return {**head, DEPENDS: [last.name], **fresh}


def _what_came_before(flow: Flow) -> str:
    """The output of the step that was last so far; the composition's input where there is none."""
    last = flow.steps[flow.order[-1]] if flow.order else None
    return f"${{{last.name}.output}}" if last and last.kind != "branch" else "${input}"


def _with_prompt(text: JsonText, parts: Parts, key: str) -> JsonText:
    return text if key in parts.prompts else text.put(("prompts", key), new_prompt(key))


def _with_tool(text: JsonText, source: PackSource, key: str) -> tuple[JsonText, str]:
    """The tool that is called like the step, else the pack's first, else a new one."""
    tools = list(source.parts.tools)
    if tools:
        return text, key if key in tools else tools[0]
    return objects.add(source.with_text(text), AddObject(kind="tool", key=key)), key
