"""Typed access to the objects of a pack. Values of a wrong type are skipped: bad input is
normal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Any, TypeAlias

from workflows.core.dialects.promptpack.graph.composition_flow import Flow, Link
from workflows.core.text.tolerant import (
    as_list,
    as_object,
    as_object_map,
    as_str,
    as_str_map,
    indexed_objects,
)

Pointer: TypeAlias = tuple[str | int, ...]
Object: TypeAlias = dict[str, Any]

ON_MAX_VISITS = "on_max_visits"
"""Label of the redirect that is taken once a state has reached `max_visits`."""


class Parts:
    """A tolerant view of one parse tree. Each property is computed once, on first use."""

    def __init__(self, tree: Any) -> None:
        self.tree: Object = as_object(tree)
        self._flows: dict[str, Flow] = {}
        self.links_by_id: dict[str, dict[str, list[Link]]] = {}
        """Of each composition: the id of a transition → its links. Filled by `graph.levels`."""

    def flow(self, composition: str) -> Flow:
        """The steps of a composition; none for an unknown name. Shared: not to be changed."""
        flow = self._flows.get(composition)
        if flow is None:
            spec = self.compositions.get(composition, {})
            flow = self._flows[composition] = Flow(composition, spec)
        return flow

    @cached_property
    def prompts(self) -> dict[str, Object]:
        return as_object_map(self.tree.get("prompts"))

    @cached_property
    def tools(self) -> dict[str, Object]:
        return as_object_map(self.tree.get("tools"))

    @cached_property
    def fragments(self) -> dict[str, str]:
        return as_str_map(self.tree.get("fragments"))

    @cached_property
    def workflow(self) -> Object | None:
        """None if the pack has no workflow; the graph then shows agents or prompts."""
        value = self.tree.get("workflow")
        return value if isinstance(value, dict) else None

    @cached_property
    def states(self) -> dict[str, Object]:
        return as_object_map((self.workflow or {}).get("states"))

    @cached_property
    def entry(self) -> str:
        return as_str((self.workflow or {}).get("entry"))

    @cached_property
    def events(self) -> dict[str, dict[str, str]]:
        """State → event → target, in file order, for every state."""
        return {name: as_str_map(state.get("on_event")) for name, state in self.states.items()}

    @cached_property
    def budget(self) -> Object:
        return as_object(as_object((self.workflow or {}).get("engine")).get("budget"))

    @cached_property
    def agents(self) -> Object | None:
        value = self.tree.get("agents")
        return value if isinstance(value, dict) else None

    @cached_property
    def members(self) -> dict[str, Object]:
        return as_object_map((self.agents or {}).get("members"))

    @cached_property
    def compositions(self) -> dict[str, Object]:
        return as_object_map(self.tree.get("compositions"))

    @cached_property
    def skills(self) -> dict[str, int]:
        """Label of a skill → its index. The first of two equal labels wins."""
        value = self.tree.get("skills")
        indexes: dict[str, int] = {}
        for index, item in enumerate(as_list(value)):
            indexes.setdefault(skill_label(item), index)
        return indexes

    @cached_property
    def providers(self) -> dict[str, tuple[int, Object]]:
        """Key of a required provider → its index and its long form."""
        value = as_object(self.tree.get("requires")).get("providers")
        needs: dict[str, tuple[int, Object]] = {}
        for index, item in enumerate(as_list(value)):
            need = {"key": item, "role": "llm"} if isinstance(item, str) else item
            if isinstance(need, dict) and isinstance(need.get("key"), str):
                needs.setdefault(need["key"], (index, need))
        return needs

    @cached_property
    def artifacts(self) -> dict[str, Object]:
        """Every artifact that a state declares. The first declaration of a name wins."""
        slots: dict[str, Object] = {}
        for state in self.states.values():
            for name, slot in as_object_map(state.get("artifacts")).items():
                slots.setdefault(name, slot)
        return slots

    @cached_property
    def evals(self) -> tuple[tuple[Pointer, Object], ...]:
        """Every eval of the pack and of its prompts, with its pointer."""
        items: list[tuple[Pointer, Object]] = [
            (("evals", index), item) for index, item in indexed_objects(self.tree.get("evals"))
        ]
        for key, prompt in self.prompts.items():
            for index, item in indexed_objects(prompt.get("evals")):
                items.append((("prompts", key, "evals", index), item))
        return tuple(items)

    @cached_property
    def validators(self) -> tuple[tuple[Pointer, Object], ...]:
        """Every validator, with its pointer."""
        return tuple(
            (("prompts", key, "validators", index), item)
            for key, prompt in self.prompts.items()
            for index, item in indexed_objects(prompt.get("validators"))
        )

    @cached_property
    def steps(self) -> tuple[tuple[Pointer, Object], ...]:
        """Every step of every composition with its pointer, including branches of parallel
        steps."""
        return tuple(
            step
            for name, composition in self.compositions.items()
            for step in steps_of(("compositions", name, "steps"), composition.get("steps"))
        )

    @cached_property
    def templates(self) -> tuple[tuple[Pointer, str, str], ...]:
        """Every text with placeholders: pointer, text, and the key of its prompt ("" for none)."""
        texts: list[tuple[Pointer, str, str]] = []
        for key, prompt in self.prompts.items():
            text = prompt.get("system_template")
            if isinstance(text, str):
                texts.append((("prompts", key, "system_template"), text, key))
            for model, override in as_object_map(prompt.get("model_overrides")).items():
                for field, value in as_str_map(override).items():
                    if field.startswith("system_template"):
                        texts.append(
                            (("prompts", key, "model_overrides", model, field), value, key)
                        )
        for name, text in self.fragments.items():
            texts.append((("fragments", name), text, ""))
        return tuple(texts)

    @cached_property
    def variables(self) -> frozenset[str]:
        """Every variable that a prompt declares. In a fragment, such a name is not another
        fragment."""
        return frozenset(
            as_str(item.get("name"))
            for prompt in self.prompts.values()
            for _, item in indexed_objects(prompt.get("variables"))
        )

    @cached_property
    def shared_prompts(self) -> dict[str, int]:
        """Prompt → the number of states and steps that use it, for prompts of more than one."""
        users = Counter(as_str(state.get("prompt_task")) for state in self.states.values())
        users.update(as_str(step.get("prompt_task")) for _, step in self.steps)
        return {key: count for key, count in users.items() if key in self.prompts and count > 1}

    @cached_property
    def shown_users(self) -> dict[str, list[str]]:
        """Prompt → the states and steps that use it, in file order."""
        users: dict[str, list[str]] = {}
        for name, state in self.states.items():
            if isinstance(task := state.get("prompt_task"), str):
                users.setdefault(task, []).append(name)
        for pointer, step in self.steps:
            if isinstance(task := step.get("prompt_task"), str):
                users.setdefault(task, []).append(f"{pointer[1]}/{as_str(step.get('id'))}")
        return users

    @cached_property
    def users(self) -> dict[str, list[str]]:
        """Prompt → the states that use it."""
        users: dict[str, list[str]] = {}
        for name, state in self.states.items():
            users.setdefault(as_str(state.get("prompt_task")), []).append(name)
        return users

    def ends(self, state: str) -> bool:
        """Return True if a run ends after this state: it is marked, has no transitions, or does not
        exist."""
        spec = self.states.get(state)
        return spec is None or spec.get("terminal") is True or not self.events[state]


def steps_of(base: Pointer, value: Any) -> Iterator[tuple[Pointer, Object]]:
    """The steps of a list and of the branches inside them, outer steps first."""
    for index, step in indexed_objects(value):
        yield (*base, index), step
        yield from steps_of((*base, index, "branches"), step.get("branches"))


def skill_label(item: Any) -> str:
    """The label of a skill: its path or its name."""
    if isinstance(item, str):
        return item
    return as_str(item.get("path")) or as_str(item.get("name")) if isinstance(item, dict) else ""


def skill_paths(value: Any) -> list[str]:
    """The paths of a pack's skills. Skills written in the pack have none."""
    items = as_list(value)
    paths = [item.get("path") if isinstance(item, dict) else item for item in items]
    return [path for path in paths if isinstance(path, str) and path]
