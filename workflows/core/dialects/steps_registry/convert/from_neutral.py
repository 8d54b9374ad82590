"""Conversion of a machine to an agent: registry, agent.json, schema file, prompts and path
config."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workflows.core.convert.conversion import Note, WrittenPack
from workflows.core.convert.coverage import Tree
from workflows.core.convert.facts import PACK, transition_key
from workflows.core.convert.neutral import (
    DECISION,
    Input,
    Machine,
    State,
    Text,
    choice_field,
    joined,
    plain_fields,
    reads,
    refs,
    slug,
    spelled_as,
    stripped,
    title,
    with_fields,
    with_written_values,
    word,
)
from workflows.core.convert.simplify import (
    in_sequence,
    separate_starts,
    states_on_loops,
    with_reachable_end,
    with_separate_ends,
)
from workflows.core.dialects.steps_registry.convert.paths import (
    FOLDERS,
    Address,
    addresses,
    step_ids,
)
from workflows.core.dialects.steps_registry.convert.placeholders import (
    variable_of,
    variables_in,
    write_text,
)
from workflows.core.dialects.steps_registry.convert.plans import (
    HANDOFF,
    INTENT_FIELD,
    NEXT,
    Plan,
    kinds,
    may_close,
    plan_of,
)
from workflows.core.dialects.steps_registry.format.vocabulary import ANY_TOOL
from workflows.core.pack.files import Files
from workflows.core.pack.forms import Json
from workflows.core.text.json.new_file import pretty

INTENT_POINTER = "#/properties/next_action/properties/action"
UNSET = "(nothing yet)"
"""Placeholder for an empty slot: a registry's variables must not be empty."""
DEFAULT_VERSION = "1.0.0"
VERSION = re.compile(r"v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?")
MIN_ITERATIONS = 20
TOOLS = (
    "Read", "Write", "Edit", "MultiEdit", "Glob", "Grep", "Bash", "WebFetch", "WebSearch", "Task"
)  # fmt: skip
"""Names of the tools of Climpt's runner."""
REGISTRY = "steps_registry.json"
ORIGIN_KEY = "convertedFrom"
"""The key of a step under which its own name stays where a registry needs another one."""


def from_neutral(machine: Machine) -> WrittenPack:
    """Write the files of one agent, with paths from the root of its repository."""
    drawn = Draft.of(machine)
    return WrittenPack(files=drawn.files, notes=(*drawn.notes, *_notes(drawn, machine)))


@dataclass(frozen=True, kw_only=True)
class Draft:
    """The files to write. `machine` has no branches and no open ends."""

    machine: Machine
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(cls, machine: Machine) -> Draft:
        line, notes = in_sequence(machine)
        apart, more = with_separate_ends(line, may_close)
        ended, last = with_reachable_end(apart, HANDOFF)
        return cls(machine=ended, notes=(*notes, *more, *last))

    @cached_property
    def agent(self) -> str:
        return slug(self.machine.id, "agent")

    @cached_property
    def ids(self) -> Mapping[str, str]:
        return step_ids(self.machine)

    @cached_property
    def kinds(self) -> dict[str, str]:
        return kinds(self.machine)

    @cached_property
    def addresses(self) -> Mapping[str, Address]:
        return addresses(self.machine, self.kinds)

    @cached_property
    def plans(self) -> Mapping[str, Plan]:
        return {state.id: plan_of(state, self.kinds) for state in self.machine.states}

    @cached_property
    def iterations(self) -> int:
        """The iteration limit: the machine's limit of visits, else a generous default."""
        if self.machine.limits.visits is not None:
            return self.machine.limits.visits
        caps = sum(state.max_visits or 0 for state in self.machine.states)
        if not caps:
            return max(MIN_ITERATIONS, 3 * len(self.machine.states))
        looping = states_on_loops(self.machine)
        return sum(
            state.max_visits or (caps if state.id in looping else 1)
            for state in self.machine.states
        )

    @property
    def version(self) -> str:
        """The version as three numbers, which is all that a registry accepts."""
        return three_numbers(self.machine.version) or DEFAULT_VERSION

    @property
    def schema_file(self) -> str:
        return f"{self.agent}.schema.json"

    # -- files

    @cached_property
    def parts(self) -> Mapping[str, Tree]:
        """Every file as values; the prompts as bodies."""
        base = f".agent/{self.agent}"
        config = f".agent/climpt/config/{self.agent}-steps"
        trees = {
            f"{base}/{REGISTRY}": whole(self.registry()),
            f"{base}/agent.json": whole(self.agent_json()),
            f"{base}/schemas/{self.schema_file}": whole(self.schemas()),
            f"{base}/prompts/system.md": body(
                write_text(self.machine.system, self.variables_of).strip()
            ),
        }
        for state in self.machine.states:
            path = f"{base}/prompts/steps/{self.addresses[state.id].file}"
            text = write_text(self.prompt(state), self.variables_of)
            trees[path] = body(text or f"{title(state.id)}.")
        trees[f"{config}-app.yml"] = whole(self._app_yml())
        trees[f"{config}-user.yml"] = whole(self._user_yml())
        return trees

    @cached_property
    def files(self) -> Files:
        return Files.of({path: _bytes(path, part) for path, part in self.parts.items()})

    def _app_yml(self) -> str:
        return (
            f"# Where the prompts of {self.agent} lie\n"
            f'working_dir: ".agent/{self.agent}"\n'
            "app_prompt:\n"
            '  base_dir: "prompts/steps"\n'
        )

    def _user_yml(self) -> str:
        layers = "|".join(sorted({address.c3 for address in self.addresses.values()}))
        return (
            "# Which folders a step may name\n"  # prose: off (as in the sample packs)
            "params:\n"
            "  two:\n"
            "    directiveType:\n"
            f'      pattern: "^({"|".join(FOLDERS)})$"\n'
            "    layerType:\n"
            f'      pattern: "^({layers})$"\n'
        )

    def agent_json(self) -> dict[str, Any]:
        """The agent's definition, with every key that Climpt's own validation requires."""
        machine = self.machine
        return {
            "name": self.agent,
            "displayName": machine.name or title(machine.id),
            "description": machine.description,
            "version": self.version,
            "parameters": {word(each.name): _parameter(each) for each in machine.inputs_used},
            "runner": {
                "flow": {
                    "systemPromptPath": "prompts/system.md",
                    "prompts": {"registry": REGISTRY},
                },
                "verdict": {
                    "type": "count:iteration",
                    "config": {"maxIterations": self.iterations},
                },
                "boundaries": {"allowedTools": self.tools, "permissionMode": "default"},
            },
        }

    @cached_property
    def tools(self) -> list[str]:
        """The tools of all states; the wildcard if no state limits its tools."""
        lists = [state.tools for state in self.machine.states]
        if all(each is None for each in lists):
            return [ANY_TOOL]
        return list(dict.fromkeys(spelled_as(name, TOOLS) for each in lists for name in each or ()))

    def registry(self) -> dict[str, Any]:
        return {
            "agentId": self.agent,
            "version": self.version,
            "c1": "steps",
            **self._entries(),
            "steps": {self.ids[state.id]: self._step(state) for state in self.machine.states},
        }

    def _entries(self) -> dict[str, Any]:
        """The entries. Unreachable states get an entry of their own, under their name."""
        entry = self._id(self.machine.entry)
        others = separate_starts(self.machine)
        if not others:
            return {"entryStep": entry}
        apart = {self._id(id): self._id(id) for id in others}
        return {"entryStepMapping": {"count:iteration": entry, **apart}}

    def schemas(self) -> dict[str, Any]:
        schemas: dict[str, Any] = {"$schema": "http://json-schema.org/draft-07/schema#"}
        for state in self.machine.states:
            schemas[self.ids[state.id]] = with_fields(
                state.answer, answer_fields(self.machine, state, self.plans[state.id])
            )
        return schemas

    # -- one step

    def prompt(self, state: State) -> Text:
        return stripped(with_written_values(self.machine, state))

    def variables_of(self, slot: str) -> tuple[str, ...]:
        """The prompt variables of the values that fill a slot."""
        return tuple(
            variable_of(self.ids[id], _key(self.machine.by_id[id].writes[slot]))
            for id in self._givers(slot)
        )

    def _givers(self, slot: str) -> tuple[str, ...]:
        """The states that fill a slot with a field of their answer; all of an answer cannot be
        handed over at once."""
        writers = self.machine.writers.get(slot, ())
        return tuple(id for id in writers if self.machine.by_id[id].writes[slot])

    def _step(self, state: State) -> dict[str, Any]:
        plan, address = self.plans[state.id], self.addresses[state.id]
        value: dict[str, Any] = {"stepId": self.ids[state.id]}
        if self.ids[state.id] != state.id:
            value[ORIGIN_KEY] = state.id
        value["name"] = state.name or title(state.id)
        if state.description:
            value["description"] = state.description
        value |= {
            "stepKind": plan.kind,
            "c2": address.c2,
            "c3": address.c3,
            "edition": address.edition,
            "uvVariables": list(variables_in(self.prompt(state), self.variables_of)),
            "usesStdin": False,
        }
        if inputs := dict(self._inputs(state)):
            value["inputs"] = inputs
        value["outputSchemaRef"] = {"file": self.schema_file, "schema": self.ids[state.id]}
        value["structuredGate"] = self._gate(state, plan)
        value["transitions"] = self._transitions(plan)
        return value

    def _inputs(self, state: State) -> Iterator[tuple[str, Any]]:
        """The sources of slots: every step that may have filled one."""
        for slot in reads(state):
            writers = self._givers(slot)
            for id in writers:
                key = _key(self.machine.by_id[id].writes[slot])
                name = word(slot) if len(writers) == 1 else variable_of(self.ids[id], key)
                default = state.unset.get(slot, UNSET)
                yield name, {
                    "from": f"{self.ids[id]}.{key}", "required": False, "default": default
                }  # fmt: skip

    def _gate(self, state: State, plan: Plan) -> dict[str, Any]:
        gate: dict[str, Any] = {
            "allowedIntents": list(plan.allowed),
            "intentSchemaRef": INTENT_POINTER,
            "intentField": INTENT_FIELD,
        }
        fields = dict.fromkeys(path for path in state.writes.values() if path)
        if plan.values:
            fields[plan.condition] = None
        return {**gate, "handoffFields": list(fields)} if fields else gate

    def _transitions(self, plan: Plan) -> dict[str, Any]:
        rules: dict[str, Any] = {}
        if plan.values:
            targets = {value: self._id(to) for value, to in plan.values.items()}
            rules[NEXT] = {"condition": _key(plan.condition), "targets": targets}
        for intent, target in plan.intents.items():
            rules[intent] = {"target": None if target is None else self._id(target)}
        return rules

    def _id(self, state: str) -> str:
        return self.ids.get(state, state)


def answer_fields(machine: Machine, state: State, plan: Plan) -> dict[str, Json]:
    """The fields of an answer that a registry needs besides what the state asks for."""
    fields = plain_fields(machine, state)
    if plan.choices:
        fields[DECISION] = choice_field(plan.choices)
    if not has_intent(state.answer):
        action: Json = {"type": "string", "enum": list(plan.allowed)}
        fields["next_action"] = {
            "type": "object", "required": ["action"], "properties": {"action": action}
        }  # fmt: skip
    return fields


def has_intent(answer: Json) -> bool:
    """True if the answer already has a field for the intent."""
    if not isinstance(answer, dict):
        return False
    properties, members = answer.get("properties"), answer.get("allOf")
    here = isinstance(properties, dict) and "next_action" in properties
    return here or (isinstance(members, list) and any(map(has_intent, members)))


def three_numbers(version: str | None) -> str:
    """A version as `1.2.3`, with zeros for missing numbers; "" if it does not begin with a
    number."""
    match = VERSION.match(version or "")
    return ".".join(part or "0" for part in match.groups()) if match else ""


def _key(path: str) -> str:
    """The key of a value that is handed over."""
    return path.rpartition(".")[2]


def _parameter(each: Input) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "type": each.type,
        "description": each.description or title(each.name),
        "required": each.required,
        "cli": f"--{word(each.name).replace('_', '-')}",
    }
    return {**fields, "default": each.default} if each.default is not None else fields


def whole(value: Any) -> Tree:
    """A file of values, or one that is not parsed."""
    return Tree(value=value, line=lambda _: 1)


def body(text: str) -> Tree:
    """A prompt file."""
    return Tree(value=None, line=lambda _: 1, body=f"{text}\n" if text else "")


def _bytes(path: str, part: Tree) -> bytes:
    if part.body is not None:
        return part.body.encode()
    return (pretty(part.value) if path.endswith(".json") else part.value).encode()


def _notes(drawn: Draft, machine: Machine) -> Iterator[Note]:
    if machine.version and machine.version != drawn.version:
        why = "The version of a registry consists of three numbers."
        yield Note(key=(PACK, "version"), fate="approximated", why=why)
    for state in machine.states:
        element = f"state:{state.id}"
        if drawn.ids[state.id] != state.id:
            why = f"A placeholder cannot name “{state.id}”, so the step is “{drawn.ids[state.id]}”."
            yield Note(key=(element, "id"), fate="approximated", why=why)
        for label in drawn.plans[state.id].lost:
            why = "The model names the outcome; a registry compares one field with one value."
            yield Note(
                key=transition_key(state.id, label, "condition"), fate="approximated", why=why
            )
        if state.max_visits is not None and machine.limits.visits is None:
            why = f"A registry bounds the whole run: {drawn.iterations} iterations."
            yield Note(key=(element, "max visits"), fate="approximated", why=why)
        yield from _prompt_notes(drawn, state)
        if any(spelled_as(name, TOOLS) != name for name in state.tools or ()):
            why = "Tools are called as Climpt's runner knows them."
            yield Note(key=(element, "tools"), fate="approximated", why=why)
    everything = set(drawn.tools)
    for state in machine.states:
        own = {spelled_as(name, TOOLS) for name in state.tools or ()}
        if own != everything and state.tools is not None:
            why = "All steps of an agent may use the same tools."
            yield Note(key=(f"state:{state.id}", "tools"), fate="approximated", why=why)


def _prompt_notes(drawn: Draft, state: State) -> Iterator[Note]:
    lost = [
        ref.name
        for ref in refs(joined(state.prompt))
        if (ref.kind == "slot" and len(drawn.variables_of(ref.name)) != 1)
        or (ref.kind == "came" and ref.name)
    ]
    if lost:
        why = f"No single step leaves “{lost[0]}” behind, so it cannot be named as it was."
        yield Note(key=(f"state:{state.id}", "prompt"), fate="approximated", why=why)
