"""Conversion of a pack to the neutral machine, with the source of every value."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from workflows.core.convert.conversion import NeutralPack
from workflows.core.convert.coverage import CoverageReport, Key, Tree, json_tree
from workflows.core.convert.facts import PACK, transition_key
from workflows.core.convert.neutral import (
    Input,
    Limits,
    Machine,
    Ref,
    Slot,
    State,
    Text,
    Tool,
    Transition,
    joined,
    mentions,
    reads,
    slug,
    stripped,
    unpascal,
    with_common_opening,
)
from workflows.core.dialects.promptpack.convert.from_neutral import (
    DEFAULT_ROUNDS,
    SYSTEM,
    draft,
    event_name,
    prompt_id,
)
from workflows.core.dialects.promptpack.convert.placeholders import read_text
from workflows.core.dialects.promptpack.convert.unmapped_parts import reasons
from workflows.core.dialects.promptpack.format.elements import element_at
from workflows.core.dialects.promptpack.format.parts import ON_MAX_VISITS, Object, Parts, Pointer
from workflows.core.dialects.promptpack.format.profiles import behaviour_of
from workflows.core.dialects.promptpack.format.templates import declared_variables
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.text.tolerant import (
    as_list,
    as_object,
    as_object_map,
    as_positive_int,
    as_str,
    as_str_list,
    indexed_objects,
)

OTHERWISE = "otherwise"


def to_neutral(source: PackSource, profile: str) -> NeutralPack:
    """Convert a readable pack. Without a workflow, every prompt becomes a state."""
    return _Reader(source, profile).read()


class _Reader:
    def __init__(self, source: PackSource, profile: str) -> None:
        self.parts: Parts = source.parts
        self.main = source.main
        self.profile = profile
        self.coverage = CoverageReport(
            trees={source.main: json_tree(source.json)},
            element=lambda _, pointer: element_at(self.parts, pointer),
        )
        self.specs: Mapping[str, Object] = self.parts.states or {
            key: {"prompt_task": key} for key in self.parts.prompts
        }
        self.shared_opening = self._shared_opening()

    def read(self) -> NeutralPack:
        machine = with_common_opening(
            Machine(
                id=self._pack_fact("id", (PACK, "id")) or slug(self._pack_str("name")),
                name=self._pack_fact("name", (PACK, "name")),
                description=self._pack_fact("description", (PACK, "description")),
                version=self._pack_fact("version", (PACK, "version")) or None,
                entry=self._entry(),
                states=tuple(self._state(name, spec) for name, spec in self.specs.items()),
                inputs=tuple(self._inputs()),
                slots=tuple(self._slots()),
                tools=tuple(self._tools()),
                fragments=dict(self._fragments()),
                system=self._system(),
                limits=self._limits(),
            )
        )
        self.coverage.finish = lambda: self._finish(machine)
        return NeutralPack(machine=machine, coverage=self.coverage)

    def _mark_features(self, machine: Machine) -> None:
        """Mark the feature `fragments` as covered by the fragments themselves."""
        features = as_object(self.parts.tree.get("template_engine")).get("features")
        keys = [(f"fragment:{name}", "text") for name in machine.fragments]
        keys += [(PACK, "system")] if self.shared_opening else []
        for index, feature in enumerate(as_list(features)):
            if feature == "fragments" and keys:
                self._mark(("template_engine", "features", index), *keys)

    def _finish(self, machine: Machine) -> None:
        standard = Tree(value=draft(machine), line=lambda _: 1)
        self.coverage.imply_standard({self.main: standard}, self._owner)
        self._mark_features(machine)
        for pointer, why in reasons(self.parts):
            self.coverage.skip(self.main, pointer, why)

    # -- the pack

    def _mark(self, pointer: Pointer, *keys: Key) -> None:
        self.coverage.mark(self.main, pointer, *keys)

    def _pack_str(self, key: str) -> str:
        return as_str(self.parts.tree.get(key))

    def _pack_fact(self, key: str, fact: Key) -> str:
        if value := self._pack_str(key):
            self._mark((key,), fact)
        return value

    def _owner(self, path: str, pointer: Pointer) -> tuple[Key, ...]:
        match pointer:
            case ("workflow", "states", str(state), *_):
                return ((f"state:{state}", "form"),)
            case ("prompts", str(prompt), *_):
                return tuple((f"state:{user}", "form") for user in self._users(prompt))
        return ((PACK, "form"),)

    def _users(self, prompt: str) -> list[str]:
        """The states that use a prompt."""
        if self.parts.states:
            return self.parts.users.get(prompt, [])
        return [prompt] if prompt in self.parts.prompts else []

    def _entry(self) -> str:
        if self.parts.states:
            self._mark(("workflow", "entry"), (PACK, "entry"))
            return self.parts.entry
        entry = as_str((self.parts.agents or {}).get("entry"))
        if entry in self.specs:
            self._mark(("agents", "entry"), (PACK, "entry"))
            return entry
        return next(iter(self.specs), "")

    def _limits(self) -> Limits:
        names = {
            "max_total_visits": "visits",
            "max_tool_calls": "tool calls",
            "max_wall_time_sec": "seconds",
        }
        limits = {}
        for key, feature in names.items():
            limits[key] = as_positive_int(self.parts.budget.get(key))
            if limits[key] is not None:
                self._mark(("workflow", "engine", "budget", key), (PACK, feature))
        return Limits(
            visits=limits["max_total_visits"],
            tool_calls=limits["max_tool_calls"],
            seconds=limits["max_wall_time_sec"],
        )

    # -- texts

    def _shared_opening(self) -> bool:
        """Return True if every prompt begins with the fragment for the system text."""
        texts = [
            self._template(self.parts.prompts.get(as_str(spec.get("prompt_task")), {}))
            for spec in self.specs.values()
        ]
        return SYSTEM in self.parts.fragments and all(
            text and text[0] == Ref("fragment", SYSTEM) for text in texts
        )

    def _template(self, prompt: Object) -> Text:
        return read_text(
            as_str(prompt.get("system_template")), self.parts, declared_variables(prompt)
        )

    def _system(self) -> Text:
        if not self.shared_opening:
            return ()
        self._mark(("fragments", SYSTEM), (PACK, "system"))
        return read_text(self.parts.fragments[SYSTEM], self.parts, self.parts.variables)

    def _fragments(self) -> Iterator[tuple[str, Text]]:
        for name, text in self.parts.fragments.items():
            if not (self.shared_opening and name == SYSTEM):
                self._mark(("fragments", name), (f"fragment:{name}", "text"))
                yield name, read_text(text, self.parts, self.parts.variables)

    # -- states

    def _state(self, name: str, spec: Object) -> State:
        element = f"state:{name}"
        here: Pointer = ("workflow", "states", name)
        key = as_str(spec.get("prompt_task"))
        prompt = self.parts.prompts.get(key, {})
        role = key if key and key != name else ""
        self._mark((*here, "prompt_task"), (element, "role" if role else "id"))
        state = State(
            id=name,
            role=role,
            transitions=tuple(self._transitions(name, spec, here)),
            max_visits=self._count(spec, "max_visits", here, (element, "max visits")),
            on_max_visits=as_str(spec.get(ON_MAX_VISITS)) or None,
            description=as_str(spec.get("description")),
        )
        if state.on_max_visits:
            self._mark((*here, ON_MAX_VISITS), (element, "on max visits"))
        if state.description:
            self._mark((*here, "description"), (element, "description"))
        return self._with_prompt(replace(state, waits=self._waits(state, spec, here)), key, prompt)

    def _waits(self, state: State, spec: Object, here: Pointer) -> bool:
        element = f"state:{state.id}"
        self._mark((*here, "control"), (element, "waits"))
        if state.ends or not self.parts.states or behaviour_of(self.profile).ignores_control:
            return False
        waits = spec.get("control") != "agent"
        if waits and "control" not in spec:
            self.coverage.imply(self.main, here, (element, "waits"))
        return waits

    def _transitions(self, name: str, spec: Object, here: Pointer) -> Iterator[Transition]:
        end = (f"state:{name}", "end")
        self._mark((*here, "terminal"), end)
        events = self.parts.events.get(name, {})
        if spec.get("terminal") is True:
            return
        if not events:
            self._mark((*here, "on_event"), end)
        prompt = self._template(self.parts.prompts.get(as_str(spec.get("prompt_task")), {}))
        for event, target in events.items():
            label = event if mentions(prompt, event) else unpascal(event)
            spelled = event_name(label, prompt)
            yield Transition(
                label=label,
                targets=(target,),
                otherwise=label == OTHERWISE and len(events) > 1,
                spelling=event if spelled != event else "",
            )
            keys = (transition_key(name, label), transition_key(name, label, "spelling"))
            self._mark((*here, "on_event", event), *keys)

    def _with_prompt(self, state: State, key: str, prompt: Object) -> State:
        """The state with the content of its prompt. Two states can share one."""
        element = f"state:{state.id}"
        here: Pointer = ("prompts", key)
        if prompt.get("id") in (key, prompt_id(key)):
            self._mark((*here, "id"), (element, "role" if state.role else "id"))
        if as_str(prompt.get("name")):
            self._mark((*here, "name"), (element, "name"))
        if prompt.get("version") == self.parts.tree.get("version"):
            self._mark((*here, "version"), (PACK, "version"))
        if as_str(prompt.get("description")) and not state.description:
            self._mark((*here, "description"), (element, "description"))
            state = replace(state, description=as_str(prompt.get("description")))
        if "system_template" in prompt:
            self._mark((*here, "system_template"), (element, "prompt"))
        if "tools" in prompt:
            self._mark((*here, "tools"), (element, "tools"))
        policy = as_object(prompt.get("tool_policy"))
        turns = (element, "turns")
        text = self._template(prompt)
        if self.shared_opening:
            text = stripped(joined(text[1:]))
        state = replace(
            state,
            name=as_str(prompt.get("name")),
            prompt=text,
            tools=tuple(as_str_list(prompt.get("tools"))),
            turns=self._count(policy, "max_rounds", (*here, "tool_policy"), turns)
            or DEFAULT_ROUNDS,
        )
        return replace(state, writes={name: name for name in self.writers.get(state.id, ())})

    def _count(self, value: Object, key: str, here: Pointer, fact: Key) -> int | None:
        count = as_positive_int(value.get(key))
        if count is not None:
            self._mark((*here, key), fact)
        return count

    # -- artifacts

    @cached_property
    def writers(self) -> dict[str, list[str]]:
        """State → the artifacts that it can set. A state sets an artifact that it declares and does
        not show. If all of them show it, the first state that a run reaches sets it."""
        shown = {}
        for name, spec in self.specs.items():
            prompt = self.parts.prompts.get(as_str(spec.get("prompt_task")), {})
            shown[name] = set(reads(State(id=name, prompt=self._template(prompt))))
        writers: dict[str, list[str]] = {name: [] for name in self.specs}
        for slot, at in self.declared.items():
            own = [name for name in at if slot not in shown[name]]
            for name in own or at[:1]:
                writers[name].append(slot)
        return writers

    @cached_property
    def declared(self) -> dict[str, list[str]]:
        """Artifact → the states that declare it, in run order."""
        slots: dict[str, list[str]] = {}
        for name in self._order():
            for slot in self._artifacts(name):
                slots.setdefault(slot, []).append(name)
        return slots

    def _artifacts(self, state: str) -> dict[str, Object]:
        return as_object_map(self.specs[state].get("artifacts"))

    def _order(self) -> list[str]:
        """The states in run order, then the unreachable ones."""
        visited = dict.fromkeys([self.parts.entry]) if self.parts.entry in self.specs else {}
        waiting = deque(visited)
        while waiting:
            for target in self.parts.events.get(waiting.popleft(), {}).values():
                if target in self.specs and target not in visited:
                    visited[target] = None
                    waiting.append(target)
        return list(dict.fromkeys([*visited, *self.specs]))

    def _slots(self) -> Iterator[Slot]:
        for name, first in self.parts.artifacts.items():
            for state in self.declared.get(name, ()):
                self._mark_slot(name, state, self._artifacts(state)[name], first)
            yield Slot(
                name=name,
                type=as_str(first.get("type")) or "text/plain",
                description=as_str(first.get("description")),
                append=first.get("mode") == "append",
            )

    def _mark_slot(self, name: str, state: str, slot: Object, first: Object) -> None:
        here: Pointer = ("workflow", "states", state, "artifacts", name)
        sets = name in self.writers.get(state, ())
        for key, feature in (("type", "type"), ("description", "description"), ("mode", "append")):
            if key not in slot:
                continue
            if slot.get(key) != first.get(key):
                why = "An earlier state declares this artifact differently."
                self.coverage.skip(self.main, (*here, key), why)
                continue
            self._mark((*here, key), (f"slot:{name}", feature))
            if key == "type" and sets:
                self._mark((*here, key), (f"state:{state}", f"keeps {name}"))

    # -- inputs and tools

    def _inputs(self) -> Iterator[Input]:
        variables: dict[str, Object] = {}
        for key, prompt in self.parts.prompts.items():
            if not self._users(key):
                continue
            for index, item in indexed_objects(prompt.get("variables")):
                name = as_str(item.get("name"))
                first = variables.setdefault(name, item)
                here: Pointer = ("prompts", key, "variables", index)
                for part in ("name", "type", "required", "default", "description"):
                    if part in item and item[part] == first.get(part):
                        self._mark((*here, part), (f"input:{name}", part))
                    elif part in item:
                        why = "An earlier prompt declares this variable differently."
                        self.coverage.skip(self.main, (*here, part), why)
        for name, item in variables.items():
            yield Input(
                name=name,
                type=as_str(item.get("type")) or "string",
                required=item.get("required") is True,
                default=_json(item.get("default")),
                description=as_str(item.get("description")),
            )

    def _tools(self) -> Iterator[Tool]:
        for key, tool in self.parts.tools.items():
            for part in ("name", "description", "parameters"):
                if part in tool:
                    self._mark(("tools", key, part), (f"tool:{key}", part))
            yield Tool(
                key=key,
                name=as_str(tool.get("name")),
                description=as_str(tool.get("description")),
                parameters=_json(tool.get("parameters")),
            )


def _json(value: Any) -> Any:
    return value
