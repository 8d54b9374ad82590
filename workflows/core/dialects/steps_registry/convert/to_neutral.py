"""Conversion of an agent to a machine, with the place of every value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from workflows.core.convert.conversion import NeutralPack
from workflows.core.convert.coverage import BODY, CoverageReport, Key, Pointer
from workflows.core.convert.facts import PACK, transition_key
from workflows.core.convert.neutral import (
    DECISION,
    Input,
    Limits,
    Machine,
    Ref,
    Slot,
    State,
    Text,
    Transition,
    joined,
    refs,
    stripped,
)
from workflows.core.dialects.steps_registry.convert.answers import Answers
from workflows.core.dialects.steps_registry.convert.file_values import element_of, standard, trees
from workflows.core.dialects.steps_registry.convert.from_neutral import ORIGIN_KEY, UNSET, Draft
from workflows.core.dialects.steps_registry.convert.handover import Handover
from workflows.core.dialects.steps_registry.convert.placeholders import read_text, variable_of
from workflows.core.dialects.steps_registry.convert.plans import (
    ANSWER,
    CLOSING,
    DEFAULT,
    NEXT,
    REPEAT,
    usual_kinds,
)
from workflows.core.dialects.steps_registry.convert.unmapped_parts import reasons
from workflows.core.dialects.steps_registry.format.prompt_paths import (
    existing_prompt,
    prompt_text,
)
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.vocabulary import ANY_TOOL
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.text.tolerant import as_object, as_str

COUNTED = "count:iteration"
"""The verdict that is a plain bound of the run."""


def to_neutral(source: RegistrySource, profile: str) -> NeutralPack:
    """Read a readable agent. Sections become fragments; the flow steps are the states."""
    return _Reader(source, profile).read()


class _Reader:
    def __init__(self, source: RegistrySource, profile: str) -> None:
        self.source = source
        self.profile = profile
        self.main, self.agent = source.main, source.agent_path
        self.coverage = CoverageReport(trees=trees(source), element=element_of(source))
        self.steps = {id: step for id, step in source.steps.items() if not step.section}
        self.names = self._names()
        self.handing = Handover(steps=self.steps, called=self.names, prompt=self._text_of_prompt)
        self.answers = Answers(source, self.coverage)
        self.answers.kinds = {self.names[id]: step.kind or "" for id, step in self.steps.items()}

    def _names(self) -> dict[str, str]:
        """Step → what it was called before it came to a registry, else its own id."""
        return {id: as_str(step.value.get(ORIGIN_KEY)) or id for id, step in self.steps.items()}

    def read(self) -> NeutralPack:
        source = self.source
        self._say(self.main, ("agentId",), (PACK, "id"))
        self._say(self.main, ("version",), (PACK, "version"))
        for key, feature in (("name", "id"), ("displayName", "name"), ("description",) * 2):
            self._say(self.agent, (key,), (PACK, feature))
        if source.agent.get("version") == source.value.get("version"):
            self._say(self.agent, ("version",), (PACK, "version"))
        machine = Machine(
            id=source.agent_id,
            name=as_str(source.agent.get("displayName")),
            description=as_str(source.agent.get("description")),
            version=as_str(source.value.get("version")) or None,
            entry=self._entry(),
            states=tuple(self._state(step) for step in self.steps.values()),
            inputs=tuple(self._inputs()),
            slots=tuple(self._slots()),
            fragments=dict(self._fragments()),
            system=self._system(),
            limits=self._limits(),
        )
        machine = self._with_kinds(machine)
        self.answers.finish()
        self.coverage.finish = lambda: self._finish(machine)
        return NeutralPack(machine=machine, coverage=self.coverage)

    def _finish(self, machine: Machine) -> None:
        usual = standard(self.source, Draft.of(machine).parts)
        self.coverage.imply_standard(usual, self._owner)
        for path, pointer, why in reasons(self.source):
            self.coverage.skip(path, pointer, why)

    def _say(self, path: str, pointer: Pointer, *keys: Key) -> None:
        self.coverage.mark(path, pointer, *keys)

    def _owner(self, path: str, pointer: Pointer) -> tuple[Key, ...]:
        element = self.coverage.element(path, pointer)
        name = self.names.get(element.removeprefix("state:"), "")
        if element.startswith("state:") and name:
            return ((f"state:{name}", "form"), (f"state:{name}", "kind"))
        return ((PACK, "form"),)

    def _entry(self) -> str:
        for key, target in self.source.entries:
            if target == self.source.entry:
                here: Pointer = ("entryStepMapping", key) if key else ("entryStep",)
                several = isinstance(self.coverage.trees[self.main].at(here), dict)
                self._say(self.main, (*here, "initial") if several else here, (PACK, "entry"))
        entry = self.source.entry or next(iter(self.steps), "")
        return self.names.get(entry, entry)

    def _limits(self) -> Limits:
        most = self.source.verdict_config.get("maxIterations")
        if self.source.verdict != COUNTED or not isinstance(most, int) or isinstance(most, bool):
            return Limits()
        here = ("runner", "verdict", "config", "maxIterations")
        self._say(self.agent, here, (PACK, "visits"))
        return Limits(visits=most)

    # -- texts

    def _system(self) -> Text:
        path = self._system_path()
        if path not in self.source.files:
            return ()
        self._say(path, (BODY,), (PACK, "system"))
        return stripped(read_text(prompt_text(self.source, path), {}))

    def _system_path(self) -> str:
        value = self.source.agent_value("runner", "flow", "systemPromptPath")
        return self.source.beside(value if isinstance(value, str) else "prompts/system.md")

    def _fragments(self) -> Iterator[tuple[str, Text]]:
        for step in self.source.steps.values():
            path = existing_prompt(self.source, step) if step.section else None
            if path is not None:
                name = step.c3 or step.id
                key = (f"fragment:{name}", "text")
                self._say(path, (BODY,), key)
                self._say(self.main, ("steps", step.id), key)
                yield name, stripped(read_text(self._body(path), {}))

    def _body(self, path: str) -> str:
        tree = self.coverage.trees.get(path)
        return tree.body or "" if tree is not None else ""

    def _text_of_prompt(self, step: Step) -> str:
        path = existing_prompt(self.source, step)
        return self._body(path) if path is not None else ""

    # -- outputs of steps

    def _slots(self) -> Iterator[Slot]:
        seen: set[str] = set()
        for (id, key), name in self.handing.names.items():
            description = self.answers.description(self.steps[id], key, name)
            if name not in seen:
                yield Slot(name=name, description=description)
            seen.add(name)

    # -- states

    def _state(self, step: Step) -> State:
        name = self.names[step.id]
        element = f"state:{name}"
        here: Pointer = ("steps", step.id)
        for key, feature in (
            ("stepId", "id"),
            (ORIGIN_KEY, "id"),
            ("name",) * 2,
            ("description",) * 2,
        ):
            if key in step.value:
                self._say(self.main, (*here, key), (element, feature))
        for key in ("stepKind", "kind"):
            if key in step.value:
                self._say(self.main, (*here, key), (element, "kind"))
        writes = self.handing.writes(step)
        for index, path in enumerate(step.handoff_fields):
            for slot, field in writes.items():
                if field == path:
                    pointer = (*here, "structuredGate", "handoffFields", index)
                    self._say(self.main, pointer, (element, f"keeps {slot}"))
                    if path != slot:
                        self._say(self.main, pointer, (element, f"field of {slot}"))
        prompt, unset = self._prompt(step, element)
        state = State(
            id=name,
            name=as_str(step.value.get("name")),
            description=as_str(step.value.get("description")),
            prompt=prompt,
            tools=self._tools(element),
            kind=step.kind or "",
            writes=writes,
            unset=unset,
        )
        return self._with_transitions(state, step)

    def _tools(self, element: str) -> tuple[str, ...] | None:
        value = self.source.agent_value("runner", "boundaries", "allowedTools")
        if not isinstance(value, list):
            return None
        self._say(self.agent, ("runner", "boundaries", "allowedTools"), (element, "tools"))
        return None if ANY_TOOL in value else tuple(t for t in value if isinstance(t, str))

    def _prompt(self, step: Step, element: str) -> tuple[Text, dict[str, Any]]:
        carried: dict[str, str] = {}
        unset: dict[str, Any] = {}
        for name, item in step.inputs.items():
            origin, _, key = as_str(item.get("from")).rpartition(".")
            slot = self.handing.names.get((origin, key))
            if slot is None:
                continue
            here: Pointer = ("steps", step.id, "inputs", name)
            carried[variable_of(origin, key)] = slot
            self._say(self.main, (*here, "from"), (element, "prompt"))
            if item.get("default") not in (None, UNSET):
                unset[slot] = item["default"]
                self._say(self.main, (*here, "default"), (element, f"without {slot}"))
        path = existing_prompt(self.source, step)
        if path is None:
            return (), unset
        text = stripped(_once(read_text(self._body(path), carried), self.handing.parted))
        self._say(path, (BODY,), (element, "prompt"))
        self._say_front(path, step, element)
        shown = {ref.name for ref in refs(text)} | set(carried)
        for index, variable in enumerate(step.variables):
            if variable.removeprefix("uv-") in shown:
                pointer = ("steps", step.id, "uvVariables", index)
                self._say(self.main, pointer, (element, "prompt"))
        return text, unset

    def _say_front(self, path: str, step: Step, element: str) -> None:
        """Front matter repeats values of the registry. Additional values are reported as
        dropped."""
        head = self.coverage.trees[path].value
        if not isinstance(head, dict):
            return
        if head.get("stepId") == step.id:
            self._say(path, ("stepId",), (element, "id"))
        if head.get("name") == step.value.get("name"):
            self._say(path, ("name",), (element, "name"))
        if head.get("uvVariables") == list(step.variables):
            self._say(path, ("uvVariables",), (element, "prompt"))

    def _with_transitions(self, state: State, step: Step) -> State:
        """The state with its transitions and with what is left of its answer's schema."""
        transitions = list(self._read_transitions(state.id, step))
        return self.answers.with_answer(replace(state, transitions=tuple(transitions)), step)

    def _read_transitions(self, name: str, step: Step) -> Iterator[Transition]:
        gate: Pointer = ("steps", step.id, "structuredGate", "allowedIntents")
        spoken = self.answers.asks_for_intent(step)
        allowed = step.allowed if step.gate is not None else tuple(step.rules)
        for index, intent in enumerate(allowed):
            pairs = tuple(self._by_intent(step, intent))
            for way, pointer in pairs:
                when = self.answers.when(step, intent) if spoken and way.when is None else way.when
                transition = replace(way, when=None if way.otherwise else when)
                key = (f"state:{name}", "end")
                if transition.targets or len(allowed) > 1:
                    key = transition_key(name, transition.label)
                    yield transition
                self._say(self.main, (*gate, index), key, (f"state:{name}", "kind"))
                if transition.when is not None:
                    self._say(
                        self.main,
                        (*gate, index),
                        transition_key(name, transition.label, "condition"),
                    )
                self._say(self.main, pointer, key)

    def _by_intent(self, step: Step, intent: str) -> Iterator[tuple[Transition, Pointer]]:
        """The transitions of an intent, each with the place of its target."""
        rule = step.rules.get(intent, {})
        here: Pointer = ("steps", step.id, "transitions", intent)
        target = rule.get("target")
        targets = rule.get("targets")
        if intent == CLOSING:
            yield Transition(label=CLOSING), (*here, "target")
        elif intent == REPEAT and (self.profile == "climpt" or not isinstance(target, str)):
            if target in (None, step.id):
                yield Transition(label=REPEAT, targets=(self.names[step.id],)), (*here, "target")
            else:
                yield Transition(label=REPEAT, targets=(self.names[step.id],)), here
        elif isinstance(target, str):
            label = intent
            yield Transition(label=label, targets=(self._named(target),)), (*here, "target")
        elif isinstance(targets, dict):
            yield from self._by_value(step, intent, rule, targets)
        elif intent == NEXT and (twin := self._twin(step)):
            yield Transition(label=NEXT, targets=(self._named(twin),)), here

    def _named(self, step: str) -> str:
        return self.names.get(step, step)

    def _twin(self, step: Step) -> str:
        """The implicit target of `initial.X` without a rule."""
        twin = f"continuation.{step.id.partition('.')[2]}"
        return twin if step.id.startswith("initial.") and twin in self.steps else ""

    def _by_value(
        self, step: Step, intent: str, rule: Mapping[str, Any], targets: Mapping[str, Any]
    ) -> Iterator[tuple[Transition, Pointer]]:
        name = self.names[step.id]
        here: Pointer = ("steps", step.id, "transitions", intent)
        condition = as_str(rule.get("condition"))
        path = next(
            (each for each in step.handoff_fields if each.rpartition(".")[2] == condition),
            condition,
        )
        ours = path == DECISION
        listed = as_object(self.answers.property(step, path)).get("enum")
        spare = ours and isinstance(listed, list) and all(each in list(targets) for each in listed)
        for value, target in targets.items():
            if not isinstance(target, str):
                continue
            otherwise = value == DEFAULT
            if otherwise and spare:
                self._say_spare(name, (*here, "targets"), targets)
                continue
            label = "otherwise" if otherwise else value
            when = {"path": ANSWER + path, "op": "equals", "value": _typed(value)}
            self._say_picking(step, here, name, label, path, ours=ours)
            yield (
                Transition(
                    label=label, targets=(self._named(target),), otherwise=otherwise,
                    when=None if ours or otherwise else when,
                ),
                (*here, "targets", value),
            )  # fmt: skip

    def _say_spare(self, name: str, here: Pointer, targets: Mapping[str, Any]) -> None:
        """If the answer's values are a fixed list, the default repeats the last of them."""
        for value in reversed(list(targets)):
            if value != DEFAULT and targets[value] == targets[DEFAULT]:
                self._say(self.main, (*here, DEFAULT), transition_key(name, value))
                return

    def _say_picking(
        self, step: Step, rule: Pointer, name: str, label: str, path: str, *, ours: bool
    ) -> None:
        key = transition_key(name, label) if ours else transition_key(name, label, "condition")
        self._say(self.main, (*rule, "condition"), key)
        for index, field in enumerate(step.handoff_fields):
            if field == path and self.handing.picks(step, field):
                pointer = ("steps", step.id, "structuredGate", "handoffFields", index)
                self._say(self.main, pointer, key)

    def _with_kinds(self, machine: Machine) -> Machine:
        """Omit kinds that a registry would infer anyway."""
        usual = usual_kinds(machine)
        return replace(
            machine,
            states=tuple(
                replace(state, kind="" if state.kind == usual[state.id] else state.kind)
                for state in machine.states
            ),
        )

    # -- inputs

    def _inputs(self) -> Iterator[Input]:
        for name, item in as_object(self.source.agent_value("parameters")).items():
            fields = as_object(item)
            for part in ("type", "required", "default", "description"):
                if part in fields:
                    self._say(self.agent, ("parameters", name, part), (f"input:{name}", part))
            if not fields:
                self._say(self.agent, ("parameters", name), (f"input:{name}", "name"))
            yield Input(
                name=name,
                type=as_str(fields.get("type")) or "string",
                required=fields.get("required") is True,
                default=fields.get("default"),
                description=as_str(fields.get("description")),
            )


def _typed(value: str) -> Any:
    """The value in an answer for the registry's text: booleans are compared as words."""
    return {"true": True, "false": False}.get(value, value)


def _once(text: Text, slots: Collection[str]) -> Text:
    """The text with one of several placeholders in a row for one of these slots."""
    pieces: list[str | Ref] = []
    for piece in text:
        shown = [one for one in pieces[-2:] if isinstance(one, Ref)]
        if isinstance(piece, Ref) and piece.kind == "slot" and piece.name in slots:
            between = pieces[-1] if pieces and isinstance(pieces[-1], str) else ""
            if piece in shown and not between.strip():
                del pieces[len(pieces) - bool(between) :]
                continue
        pieces.append(piece)
    return joined(pieces)
