"""Copying steps, and pasting them into the same or another composition or pack."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.promptpack.edits import clipboard
from workflows.core.dialects.promptpack.edits.steps import (
    numbered_step,
    rename_references,
    with_free_ids,
)
from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.dialects.promptpack.graph.composition_flow import BRANCH_FIELDS, DEPENDS, Flow
from workflows.core.dialects.promptpack.graph.levels import LEVEL_KIND, level_of, step_at
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import EditRefused, Paste
from workflows.core.pack.forms import Json
from workflows.core.text.json.document import JsonText
from workflows.core.text.tolerant import as_str, as_str_list, indexed_objects


def are_steps(parts: Parts, ids: tuple[str, ...]) -> bool:
    """Return True if all of these states are steps of one composition."""
    flows = {place[0].name if (place := step_at(parts, id)) else None for id in ids}
    return len(flows) == 1 and None not in flows


def copy(source: PackSource, ids: tuple[str, ...]) -> dict[str, Any]:
    """These steps in order, with the prompts, tools and fragments that they use. A branch is not
    copied twice if its parallel step is copied too."""
    parts = source.parts
    places = [at for id in ids if (at := step_at(parts, id))]
    flow = places[0][0]
    chosen = {step.name for _, step in places}
    steps = [
        step
        for step in flow.steps.values()
        if step.name in chosen and not (step.parent and flow.top(step.name) in chosen)
    ]
    tasks, tools = _used_names([dict(step.spec) for step in steps])
    prompts = {key: item for key, item in parts.prompts.items() if key in tasks}
    needed = clipboard.dependencies_of(parts, prompts)
    needed["tools"].update({key: dict(item) for key, item in parts.tools.items() if key in tools})
    return {
        "dialect": "promptpack",
        "level": level_of(flow.name),
        "steps": [dict(step.spec) for step in steps],
        "prompts": {key: dict(item) for key, item in prompts.items()},
        **needed,
    }


def _used_names(steps: list[Any]) -> tuple[set[str], set[str]]:
    """The prompts and the tools that these steps name."""
    tasks, tools = set[str](), set[str]()
    for step in steps:
        tasks.add(as_str(step.get("prompt_task")))
        tools |= {as_str(step.get("tool")), *as_str_list(step.get("tools"))}
        ending = step.get("termination")
        tools.add(as_str(ending.get("tool_called")) if isinstance(ending, dict) else "")
        inner = _used_names([item for _, item in indexed_objects(step.get("branches"))])
        tasks |= inner[0]
        tools |= inner[1]
    return tasks, tools


def has_steps(edit: Paste) -> bool:
    """Return True if the clipboard contains steps of a composition."""
    return isinstance(edit.fragment, dict) and isinstance(edit.fragment.get("steps"), list)


def paste(source: PackSource, edit: Paste) -> JsonText:
    """Append the copied steps to the composition whose canvas `level` names."""
    fragment: Any = edit.fragment
    if fragment.get("dialect") != "promptpack":
        raise EditRefused("The clipboard content is not from a PromptPack.")
    steps = [dict(step) for _, step in indexed_objects(fragment["steps"]) if as_str(step.get("id"))]
    if not steps:
        raise EditRefused("The clipboard contains no steps with an id.")
    flow = _target(source.parts, as_str(fragment.get("level")))
    text, names = clipboard.add_shared_objects(source, fragment)
    text, tasks = clipboard.merge_prompts(
        text, source.parts, clipboard.rewrite_prompts(fragment, names)
    )
    for fresh in _copies(flow, steps, tasks, names["tools"]):
        text = text.insert((*flow.base, "-"), fresh)
    return text


def _target(parts: Parts, level: str) -> Flow:
    name = level.removeprefix(f"{LEVEL_KIND}:")
    if level != level_of(name) or name not in parts.compositions:
        raise EditRefused(
            "Steps can only be pasted into a composition.",
            hint="Open a composition of the pack first.",
        )
    return parts.flow(name)


def _copies(
    flow: Flow, steps: list[dict[str, Any]], tasks: dict[str, str], tools: dict[str, str]
) -> list[Json]:
    """The steps with free ids, and references between them updated."""
    taken, ids = {*flow.steps}, dict[str, str]()
    fresh = []
    for step in steps:
        ids[step["id"]] = numbered_step(step["id"], taken)
        taken.add(ids[step["id"]])
        fresh.append({**with_free_ids(step, taken), "id": ids[step["id"]]})
    return [_rewrite_step(step, ids, tasks, tools) for step in fresh]


def _rewrite_step(
    step: Object, ids: dict[str, str], tasks: dict[str, str], tools: dict[str, str]
) -> dict[str, Any]:
    """One step with the new names. Links from or to steps that were not copied are dropped."""
    fresh = {key: _rename_references(value, ids) for key, value in step.items()}
    if DEPENDS in fresh:
        needs = [ids[name] for name in as_str_list(step.get(DEPENDS)) if name in ids]
        fresh[DEPENDS] = needs
        if not needs:
            del fresh[DEPENDS]
    for field in BRANCH_FIELDS:
        if isinstance(step.get(field), str):
            fresh[field] = ids.get(step[field], "")
            if not fresh[field]:
                del fresh[field]
    for field, names in (("prompt_task", tasks), ("tool", tools)):
        if isinstance(step.get(field), str):
            fresh[field] = names.get(step[field], step[field])
    if isinstance(step.get("tools"), list):
        fresh["tools"] = [tools.get(name, name) for name in as_str_list(step["tools"])]
    if isinstance(step.get("branches"), list):
        fresh["branches"] = [
            _rewrite_step(item, ids, tasks, tools) if isinstance(item, dict) else item
            for item in step["branches"]
        ]
    return fresh


def _rename_references(value: Any, ids: dict[str, str]) -> Any:
    """The value with the new step ids in every `${…}`."""
    match value:
        case str():
            for old, new in ids.items():
                value = rename_references(value, old, new) if old != new else value
            return value
        case dict():
            return {key: _rename_references(item, ids) for key, item in value.items()}
        case list():
            return [_rename_references(item, ids) for item in value]
    return value
