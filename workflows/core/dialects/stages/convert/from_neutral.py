"""Conversion of a neutral machine to a pipeline with stage files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from workflows.core.convert.conversion import Note, WrittenPack
from workflows.core.convert.coverage import Tree
from workflows.core.convert.facts import PACK
from workflows.core.convert.neutral import (
    DECISION,
    PLAIN,
    Machine,
    State,
    Text,
    Transition,
    choice_field,
    joined,
    plain_fields,
    reads,
    refs,
    slug,
    spelled_as,
    stripped,
    title,
    unique_name,
    whole_prompt,
    with_common_opening,
    with_fields,
    with_written_values,
    word,
)
from workflows.core.convert.simplify import NEXT, most_entries, states_on_loops
from workflows.core.dialects.stages.convert.caps import with_guard
from workflows.core.dialects.stages.convert.placeholders import write_text
from workflows.core.dialects.stages.convert.yaml_writer import to_yaml
from workflows.core.dialects.stages.format.tools import REGISTERED as TOOLS
from workflows.core.dialects.stages.recognise import FORMAT
from workflows.core.pack.files import Files
from workflows.core.pack.forms import Json
from workflows.core.text.json.new_file import pretty

PAYLOAD_PATH = "result.parsed"
ORIGINAL_ID = "convertedFrom"
"""The key of a stage for its original name, if stages need another one."""
DEFAULT_TURNS = 20
POLICY = "retry-later"
_KEBAB = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def from_neutral(machine: Machine) -> WrittenPack:
    """Write `pipeline.json` and a file for each stage."""
    drawn = Draft(machine=machine)
    return WrittenPack(files=drawn.files, notes=tuple(_notes(drawn)))


@dataclass(frozen=True, kw_only=True)
class Draft:
    """The files to write, as values."""

    machine: Machine

    @cached_property
    def ids(self) -> Mapping[str, str]:
        """State → stage id: in kebab-case, unique."""
        ids: dict[str, str] = {}
        taken = {state.id for state in self.machine.states if _KEBAB.fullmatch(state.id)}
        for state in self.machine.states:
            id = state.id
            if id not in taken:
                id = unique_name(slug(id, "stage"), taken)
                taken.add(id)
            ids[state.id] = id
        return ids

    @cached_property
    def bounds(self) -> Mapping[str, int]:
        """Maximum number of visits in a bounded run, for stages of cycles without a cap."""
        most = self.machine.limits.visits
        if most is None:
            return {}
        free = tuple(state for state in self.machine.states if state.max_visits is None)
        looping = states_on_loops(replace(self.machine, states=free))
        return most_entries(self.machine, sorted(looping), most)

    @cached_property
    def parts(self) -> Mapping[str, Tree]:
        """The pipeline, and the front matter and body of every stage, as values."""
        trees = {"pipeline.json": Tree(value=self.pipeline(), line=lambda _: 1)}
        for state in self.machine.states:
            text = write_text(self.body(state))
            trees[f"stages/{self.ids[state.id]}.md"] = Tree(
                value=self.head(state), line=lambda _: 1, body=f"\n{text}\n"
            )
        return trees

    @cached_property
    def files(self) -> Files:
        return Files.of({path: _bytes(part) for path, part in self.parts.items()})

    # -- the pipeline

    def pipeline(self) -> dict[str, Any]:
        machine = self.machine
        value: dict[str, Any] = {
            "format": FORMAT,
            "id": machine.id,
            "name": machine.name or title(machine.id),
        }
        if machine.description:
            value["description"] = machine.description
        if machine.version:
            value["version"] = machine.version
        value["entryStage"] = self._id(machine.entry)
        value["stages"] = {self.ids[state.id]: self._entry(state) for state in machine.states}
        if inputs := machine.inputs_used:
            value["runInputSchema"] = {
                "type": "object",
                "required": [word(each.name) for each in inputs if each.required],
                "properties": {
                    word(each.name): _without_none(
                        {
                            "type": each.type,
                            "description": each.description or None,
                            "default": each.default,
                        }
                    )
                    for each in inputs
                },
            }
        return value

    def _id(self, state: str) -> str:
        return self.ids.get(state, state)

    def _entry(self, state: State) -> dict[str, Any]:
        value: dict[str, Any] = {"file": f"stages/{self.ids[state.id]}.md"}
        if setup := dict(self._setup(state)):
            value["setup"] = setup
        if state.writes:
            value["exit"] = {
                "slot": {
                    word(slot): f"{PAYLOAD_PATH}.{path}" if path else PAYLOAD_PATH
                    for slot, path in state.writes.items()
                }
            }
        most = state.max_visits
        if most is None:
            most = self.bounds.get(state.id)
        if most is not None:
            value["maxVisits"] = most
        value["next"] = self._next(state)
        return value

    def _setup(self, state: State) -> Iterator[tuple[str, Any]]:
        inputs = {each.name: each for each in self.machine.inputs}
        for ref in refs(whole_prompt(self.machine, state)):
            if ref.kind == "input":
                field: dict[str, Any] = {"from": f"run.input.{word(ref.name)}"}
                each = inputs.get(ref.name)
                if each is not None and each.default is not None:
                    field["default"] = each.default
                elif each is None or not each.required:
                    field["default"] = ""
                yield word(ref.name), field
        for slot in reads(state):
            default = state.unset.get(slot, "")
            yield word(slot), {"from": f"slot.{word(slot)}", "default": default}

    def _next(self, state: State) -> dict[str, Any]:
        transitions = [
            transition for transition in state.transitions if transition.targets or not state.ends
        ]
        if not transitions:
            return self._result(Transition(label=NEXT))
        *rest, last = transitions
        if not any(
            transition.otherwise or transition.when is not None for transition in transitions
        ):
            cases, otherwise = rest, [last]
        else:
            cases = [transition for transition in transitions if not transition.otherwise]
            otherwise = [transition for transition in transitions if transition.otherwise]
        found_cases = [
            each
            for transition in cases
            for each in (*self._full(transition), self._case(transition))
        ]
        found_cases += [
            each
            for transition in otherwise
            for each in self._full(replace(transition, otherwise=True))
        ]
        if not found_cases:
            return self._result(otherwise[-1])
        value: dict[str, Any] = {"cases": found_cases}
        return {**value, "else": self._result(otherwise[-1])} if otherwise else value

    def _case(self, transition: Transition) -> dict[str, Any]:
        return {"when": self._when(transition), "then": self._result(transition)}

    def _full(self, transition: Transition) -> Iterator[dict[str, Any]]:
        """The case before a route to a capped stage: another target."""
        target = (
            self.machine.by_id.get(transition.targets[0]) if len(transition.targets) == 1 else None
        )
        if target is None or target.max_visits is None or target.on_max_visits is None:
            return
        own = None if transition.otherwise else self._when(transition)
        when = with_guard(own, self._id(target.id), target.max_visits)
        yield {
            "when": when,
            "then": self._result(Transition(label="", targets=(target.on_max_visits,))),
        }

    def _when(self, transition: Transition) -> Json:
        if transition.when is not None:
            return transition.when
        return {"path": f"{PAYLOAD_PATH}.{DECISION}", "op": "equals", "value": transition.label}

    def _result(self, transition: Transition) -> dict[str, Any]:
        value: dict[str, Any] = {
            "nextStages": [self._id(target) for target in transition.targets],
            "execution": "parallel" if transition.parallel else "sequential",
        }
        if transition.join:
            value["nextStages"].append(self._id(transition.join))
            value["join"] = self._id(transition.join)
        return value

    # -- one stage

    def head(self, state: State) -> dict[str, Any]:
        """The front matter."""
        id = self.ids[state.id]
        head: dict[str, Any] = {"id": id, "name": state.name or title(state.id)}
        if id != state.id:
            head[ORIGINAL_ID] = state.id
        if state.description:
            head["description"] = state.description
        head |= {
            "allowedTools": [spelled_as(name, TOOLS) for name in state.tools or ()],
            "completionTool": f"submit_{id.replace('-', '_')}",
            "completionSchema": self.schema(state),
            "retryPolicy": {"maxAttempts": state.attempts or 1, "backoff": "none"},
            "turnCap": state.turns or DEFAULT_TURNS,
            "resolutionPolicy": POLICY,
        }
        return head

    def body(self, state: State) -> Text:
        """The pack's system text, then the prompt of the state."""
        own = stripped(tuple(_without_state(self.machine, state)))
        if not self.machine.system:
            return own
        top = stripped(with_written_values(self.machine, state, self.machine.system))
        return joined((*top, "\n\n", *own))

    def schema(self, state: State) -> dict[str, Json]:
        base = state.answer if state.answer is not None else dict(PLAIN)
        fields = answer_fields(self.machine, state)
        return with_fields(base, fields) if fields or state.answer is None else dict_of(base)


def dict_of(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else dict(PLAIN)


def answer_fields(machine: Machine, state: State) -> dict[str, Json]:
    """Fields of the payload that stages need in addition to those of the state."""
    fields = plain_fields(machine, state)
    labels = state.labels if not state.ends else ()
    if labels and labels != (NEXT,):
        fields[DECISION] = choice_field((*labels, *_default_choices(state)))
    return fields


def _default_choices(state: State) -> tuple[str, ...]:
    """The values of the decision for which other routes test other fields."""
    others = [
        transition
        for transition in state.transitions
        if transition.when is not None or transition.otherwise
    ]
    if not others or NEXT in state.labels:
        return ()
    return tuple(transition.label for transition in others if transition.otherwise) or (NEXT,)


def _without_state(machine: Machine, state: State) -> Iterator[Any]:
    """The prompt with its fragments inserted. References to the state stay, because a stage can
    name itself."""
    for piece in state.prompt:
        if isinstance(piece, str) or piece.kind != "fragment":
            yield piece
        else:
            yield from with_written_values(machine, state, (piece,))


def _with_full_prompts(machine: Machine) -> Machine:
    """The machine with all texts in every prompt, as in stages."""
    states = tuple(replace(each, prompt=whole_prompt(machine, each)) for each in machine.states)
    return replace(machine, system=(), states=states)


def _without_none(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if item is not None}


def _bytes(part: Tree) -> bytes:
    text = (
        pretty(part.value) if part.body is None else f"---\n{to_yaml(part.value)}---\n{part.body}"
    )
    return text.encode()


def _notes(drawn: Draft) -> Iterator[Note]:
    machine = drawn.machine
    if machine.system and with_common_opening(_with_full_prompts(machine)).system != machine.system:
        why = "The text for all states is copied to the top of every stage."
        yield Note(key=(PACK, "system"), fate="approximated", why=why)
    if drawn.bounds:
        why = "A pipeline limits each stage of a cycle, not the whole run."
        yield Note(key=(PACK, "visits"), fate="approximated", why=why)
    for state in drawn.machine.states:
        element = f"state:{state.id}"
        if any(spelled_as(name, TOOLS) != name for name in state.tools or ()):
            why = "Tools have the names that stud-cli registers."
            yield Note(key=(element, "tools"), fate="approximated", why=why)
        if drawn.ids[state.id] != state.id:
            why = f"Ids of stages are in kebab-case: “{drawn.ids[state.id]}”."
            yield Note(key=(element, "id"), fate="approximated", why=why)
        for ref in refs(state.prompt):
            if ref.kind == "run" and ref.name not in ("workflowRunId", "stageExecutionId"):
                why = f"A stage has no value for “{ref.name}”, so the name is written instead."
                yield Note(key=(element, "prompt"), fate="approximated", why=why)
                break
