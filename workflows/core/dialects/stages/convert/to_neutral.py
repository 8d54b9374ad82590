"""Conversion of a pipeline to a neutral machine, with the place of every value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from workflows.core.convert.conversion import NeutralPack
from workflows.core.convert.coverage import BODY, CoverageReport, Key, Pointer
from workflows.core.convert.facts import PACK, transition_key
from workflows.core.convert.neutral import (
    DECISION,
    Input,
    Machine,
    Ref,
    Slot,
    State,
    Text,
    Transition,
    slug,
    stripped,
    unique_name,
    with_common_opening,
    without_fields,
)
from workflows.core.dialects.stages.convert.caps import parse_guard, redirects
from workflows.core.dialects.stages.convert.file_values import element_of, standard_values, trees
from workflows.core.dialects.stages.convert.from_neutral import ORIGINAL_ID, Draft, answer_fields
from workflows.core.dialects.stages.convert.handover import Handover, exits, setup_of
from workflows.core.dialects.stages.convert.labels import OTHERWISE, label_of
from workflows.core.dialects.stages.convert.placeholders import path_of, read_text
from workflows.core.dialects.stages.convert.unmapped_parts import reasons
from workflows.core.dialects.stages.format.parts import Plan, Route, routes
from workflows.core.dialects.stages.format.templates import Placeholder
from workflows.core.dialects.stages.source import StageFile, StagesSource
from workflows.core.text.tolerant import as_list, as_object, as_positive_int, as_str, as_str_list

_SLOT = re.compile(r"slot\.(\w+)")
_INPUT = re.compile(r"run\.input\.(\w+)")


SHAPES: Mapping[str, type] = {
    "id": str, ORIGINAL_ID: str, "name": str, "description": str, "allowedTools": list,
    "turnCap": int,
}  # fmt: skip
"""Key → its type. A value of another type is ignored."""


def to_neutral(source: StagesSource, profile: str) -> NeutralPack:
    """Convert a readable pipeline, or stages without one, which have no transitions."""
    return _Reader(source).read()


class _Reader:
    def __init__(self, source: StagesSource) -> None:
        self.source = source
        self.main = source.main
        self.handover = Handover(source=source)
        self.whole: Mapping[str, Any] = source.whole()
        self.coverage = CoverageReport(trees=trees(source), element=element_of(source))
        self.stages: Mapping[str, str] = {}
        self.names = {
            stage: as_str(file.values.get(ORIGINAL_ID)) or stage
            for stage, file in source.stages.items()
        }

    def read(self) -> NeutralPack:
        self.stages = {name: stage for stage, name in self.names.items()}
        for key, feature in (("id", "id"), ("name",) * 2, ("description",) * 2, ("version",) * 2):
            if as_str(self.whole.get(key)):
                self._say(self.main, (key,), (PACK, feature))
        name = as_str(self.whole.get("name"))
        states = [self._state(stage, file) for stage, file in self.source.stages.items()]
        machine = Machine(
            id=as_str(self.whole.get("id")) or slug(name or next(iter(self.names), "")),
            name=name,
            description=as_str(self.whole.get("description")),
            version=as_str(self.whole.get("version")) or None,
            entry=self._entry(),
            states=tuple(states),
            inputs=tuple(self._inputs()),
        )
        machine = replace(machine, slots=tuple(self._slots(machine)))
        answered = tuple(self._with_answer(machine, state) for state in states)
        machine = with_common_opening(replace(machine, states=answered))
        self.coverage.finish = lambda: self._finish(machine)
        return NeutralPack(machine=machine, coverage=self.coverage)

    def _finish(self, machine: Machine) -> None:
        usual = standard_values(self.source, Draft(machine=machine).parts)
        self.coverage.imply_standard(usual, self._owner)
        for path, pointer, why in reasons(self.source):
            self.coverage.skip(path, pointer, why)

    def _say(self, path: str, pointer: Pointer, *keys: Key) -> None:
        self.coverage.mark(path, pointer, *keys)

    def _owner(self, path: str, pointer: Pointer) -> tuple[Key, ...]:
        stage = self.coverage.element(path, pointer).removeprefix("state:")
        name = self.names.get(stage)
        return ((f"state:{name}" if name is not None else PACK, "form"),)

    def _entry(self) -> str:
        entry = as_str(self.whole.get("entryStage"))
        if entry:
            self._say(self.main, ("entryStage",), (PACK, "entry"))
        first = next(iter(self.source.stages), "")
        return self._named(entry or first)

    def _named(self, stage: str) -> str:
        return self.names.get(stage, stage)

    # -- a stage

    def _state(self, stage: str, file: StageFile) -> State:
        name = self.names[stage]
        element = f"state:{name}"
        values: Mapping[str, Any] = file.values
        for key, feature in (
            ("id", "id"), (ORIGINAL_ID, "id"), ("name",) * 2, ("description",) * 2,
            ("allowedTools", "tools"), ("turnCap", "turns"),
        ):  # fmt: skip
            if key == "id" and values.get("id") != stage:
                self.coverage.skip(file.path, ("id",), "The stage has another id in the pipeline.")
            elif isinstance(values.get(key), SHAPES[key]):
                self._say(file.path, (key,), (element, feature))
        attempts = as_object(values.get("retryPolicy")).get("maxAttempts")
        if as_positive_int(attempts) is not None:
            self._say(file.path, ("retryPolicy", "maxAttempts"), (element, "attempts"))
        self._say(file.path, (BODY,), (element, "prompt"))
        tools = values.get("allowedTools")
        tools = tools if isinstance(tools, list) else None
        most = self.source.entry(stage).get("maxVisits")
        if as_positive_int(most) is not None:
            self._say(self.main, ("stages", stage, "maxVisits"), (element, "max visits"))
        return State(
            id=name,
            name=as_str(values.get("name")),
            description=as_str(values.get("description")),
            prompt=self._prompt(stage, file, element),
            tools=None if tools is None else tuple(as_str_list(tools)),
            writes=self._writes(stage, element),
            unset=self._unset(stage, element),
            transitions=tuple(self._read_transitions(stage)),
            attempts=as_positive_int(attempts),
            turns=as_positive_int(values.get("turnCap")),
            max_visits=as_positive_int(most),
            on_max_visits=self._instead(stage),
        )

    def _prompt(self, stage: str, file: StageFile, element: str) -> Text:
        setup = setup_of(self.source, stage)

        def of(placeholder: Placeholder) -> Ref | None:
            if placeholder.root == "stage":
                return (
                    Ref("state", str(placeholder.steps[0])) if len(placeholder.steps) == 1 else None
                )
            first, rest = placeholder.steps[0], placeholder.steps[1:]
            if first == "upstream":
                return self.handover.upstream(stage, rest)
            if first in ("workflowRunId", "stageExecutionId"):
                return Ref("run", str(first))
            return (
                self._field(stage, str(first), setup, element)
                if not rest
                else Ref("run", path_of(placeholder.steps))
            )

        return stripped(read_text(file.body, of))

    def _field(self, stage: str, name: str, setup: Mapping[str, Any], element: str) -> Ref:
        value = setup.get(name)
        origin = as_str(value.get("from")) if isinstance(value, dict) else ""
        pointer: Pointer = ("stages", stage, "setup", name, "from")
        for pattern, kind in ((_INPUT, "input"), (_SLOT, "slot")):
            if match := pattern.fullmatch(origin):
                self._say(self.main, pointer, (element, "prompt"))
                return Ref("input" if kind == "input" else "slot", match[1])
        match = re.fullmatch(r"upstream\[(\d+)\]\.parsed(?:\.(.+))?", origin)
        if match:
            self._say(self.main, pointer, (element, "prompt"))
            steps = ("parsed", *(match[2] or "").split(".")) if match[2] else ("parsed",)
            return self.handover.upstream(stage, (int(match[1]), *steps))
        return Ref("run", name)

    def _writes(self, stage: str, element: str) -> dict[str, str]:
        for slot, path in exits(self.source, stage):
            pointer = ("stages", stage, "exit", "slot", slot)
            self._say(self.main, pointer, (element, f"keeps {slot}"))
            if path != slot:
                self._say(self.main, pointer, (element, f"field of {slot}"))
        return self.handover.writes(stage)

    def _unset(self, stage: str, element: str) -> dict[str, Any]:
        """Values of slots that are not written yet: the default in the pipeline, else nothing."""
        defaults = {}
        for name, value in setup_of(self.source, stage).items():
            origin = as_str(value.get("from")) if isinstance(value, dict) else ""
            match = _SLOT.fullmatch(origin)
            if match and "default" in value and f"ctx.{name}" in self.source.stages[stage].body:
                pointer = ("stages", stage, "setup", name, "default")
                self._say(self.main, pointer, (element, f"without {match[1]}"))
                if value["default"] not in ("", None):
                    defaults[match[1]] = value["default"]
        return defaults

    # -- routes

    @cached_property
    def redirects(self) -> Mapping[str, str]:
        """Stage → the stage to enter instead after its visit cap."""
        return redirects(self.source)

    def _instead(self, stage: str) -> str | None:
        return self._named(self.redirects[stage]) if stage in self.redirects else None

    def _read_transitions(self, stage: str) -> Iterator[Transition]:
        name = self.names[stage]
        all_routes = tuple(
            route for route in routes(self.source, stage) if not self._redirects(route)
        )
        ends = all(route.plan.ends for route in all_routes)
        taken: set[str] = set()
        named = self._left_over(stage, all_routes)
        for route in all_routes:
            label, when = label_of(route.when, alone=len(all_routes) == 1)
            if route.when is None and named:
                label = named
            label = unique_name(label, taken)
            taken.add(label)
            targets = () if route.plan.ends else tuple(map(self._named, route.plan.siblings))
            key = (f"state:{name}", "end") if ends else transition_key(name, label)
            self._say_plan(route.plan, key)
            self._say_when(route.plan, when, key, transition_key(name, label, "condition"))
            if len(all_routes) > 1 or targets:
                yield Transition(
                    label=label,
                    targets=targets,
                    parallel=route.plan.parallel,
                    join=self._named(route.plan.join)
                    if route.plan.join and route.plan.parallel
                    else None,
                    when=when,
                    otherwise=label == OTHERWISE and route.when is None and len(all_routes) > 1,
                )

    def _redirects(self, route: Route) -> bool:
        """Return True if this case handles a stage that reached its visit cap."""
        guard = parse_guard(route.when)
        if guard is None or guard.stage not in self.redirects:
            return False
        key = (f"state:{self._named(guard.stage)}", "on max visits")
        self._say_plan(route.plan, key)
        self._say_when(route.plan, None, key, key)
        return True

    def _left_over(self, stage: str, routes: tuple[Any, ...]) -> str:
        """The only outcome without a case, or "". It is the label of the last route."""
        schema: Any = self.source.stages[stage].values.get("completionSchema")
        listed = as_object(as_object(as_object(schema).get("properties")).get(DECISION)).get("enum")
        taken = {label_of(route.when, alone=False)[0] for route in routes if route.when is not None}
        left = [each for each in as_str_list(listed) if each not in taken]
        return left[0] if len(left) == 1 else ""

    def _say_plan(self, plan: Plan, key: Key) -> None:
        for part in ("nextStages", "execution", "join"):
            self._say(self.main, (*plan.pointer, part), key)

    def _say_when(self, plan: Plan, when: Any, transition: Key, condition: Key) -> None:
        """Report the condition, which is stored next to its plan."""
        if plan.pointer[-1:] == ("then",):
            pointer = (*plan.pointer[:-1], "when")
            self._say(self.main, pointer, condition if when is not None else transition)

    # -- results

    def _slots(self, machine: Machine) -> Iterator[Slot]:
        """Every slot of a stage, with the description in its completion schema."""
        slots: dict[str, Slot] = {}
        for stage, file in self.source.stages.items():
            state = machine.by_id[self.names[stage]]
            for slot, path in state.writes.items():
                description = as_str(_property(file.values.get("completionSchema"), path))
                if slot not in slots or (description and not slots[slot].description):
                    slots[slot] = Slot(name=slot, description=description)
        yield from slots.values()

    def _with_answer(self, machine: Machine, state: State) -> State:
        stage = self.stages[state.id]
        file = self.source.stages[stage]
        schema: Any = file.values.get("completionSchema")
        element = f"state:{state.id}"
        if not isinstance(schema, dict):
            return state
        self._say(file.path, ("completionSchema",), (element, "answer"))
        fields = answer_fields(machine, state)
        answer = without_fields(schema, fields)
        left = answer.get("properties") if isinstance(answer, dict) else {}
        for name in fields:
            if isinstance(left, dict) and name in left:
                continue
            here = ("completionSchema", "properties", name)
            if name == DECISION:
                keys = [transition_key(state.id, label) for label in state.labels]
                self._say(file.path, here, *keys)
            else:
                self._say(file.path, here, (element, f"keeps {name}"))
                self._say(file.path, (*here, "description"), (f"slot:{name}", "description"))
        return replace(state, answer=answer)

    # -- inputs

    def _inputs(self) -> Iterator[Input]:
        schema = self.whole.get("runInputSchema")
        properties = as_object(schema).get("properties")
        required = as_list(as_object(schema).get("required"))
        defaults = dict(self._defaults())
        here: Pointer = ("runInputSchema",)
        for name, item in as_object(properties).items():
            fields = as_object(item)
            self._say(self.main, (*here, "properties", name, "type"), (f"input:{name}", "type"))
            for part in ("description", "default"):
                if part in fields:
                    self._say(self.main, (*here, "properties", name, part), (f"input:{name}", part))
            if name in required:
                pointer = (*here, "required", required.index(name))
                self._say(self.main, pointer, (f"input:{name}", "required"))
            yield Input(
                name=name,
                type=as_str(fields.get("type")) or "string",
                required=name in required,
                default=fields.get("default", defaults.get(name)),
                description=as_str(fields.get("description")),
            )

    def _defaults(self) -> Iterator[tuple[str, Any]]:
        """Input → its default value in prompts."""
        defaults: dict[str, Any] = {}
        for stage in self.source.stages:
            for name, value in setup_of(self.source, stage).items():
                match = _INPUT.fullmatch(
                    as_str(value.get("from")) if isinstance(value, dict) else ""
                )
                if not match or "default" not in value:
                    continue
                default = value["default"]
                pointer = ("stages", stage, "setup", name, "default")
                if defaults.setdefault(match[1], default) == default:
                    self._say(self.main, pointer, (f"input:{match[1]}", "default"))
                    if default not in ("", None):
                        yield match[1], default


def _property(schema: Any, path: str) -> Any:
    """The description of a field of a schema."""
    for part in path.split("."):
        schema = as_object(as_object(schema).get("properties")).get(part)
    return as_object(schema).get("description")
