"""The neutral machine and its states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from workflows.core.convert.neutral.texts import Ref, Text, joined, refs, stripped
from workflows.core.pack.forms import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """An input value of a run."""

    name: str
    type: str = "string"
    required: bool = False
    default: Json = None
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A value that one state stores for others."""

    name: str
    type: str = "text/plain"
    description: str = ""
    append: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool that a model may call. `parameters` is a JSON Schema."""

    key: str
    name: str = ""
    description: str = ""
    parameters: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """A transition. `label` names the outcome; the model selects it, unless it depends on `when` (a
    condition on the answer, in the language of stage pipelines) or on `otherwise` (no other
    transition is taken). Without targets the run ends. `parallel` targets are taken at once and
    meet in `join`; other targets are taken one after another."""

    label: str
    targets: tuple[str, ...] = ()
    parallel: bool = False
    join: str | None = None
    when: Json = None
    otherwise: bool = False
    spelling: str = ""
    """The label as the author wrote it, if it cannot be derived from `label`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A state. `writes` maps slots to the paths of their values in the answer; `answer` is the
    schema of the answer without slots and without the choice of a transition."""

    id: str
    name: str = ""
    description: str = ""
    prompt: Text = ()
    tools: tuple[str, ...] | None = ()
    answer: Json = None
    writes: Mapping[str, str] = field(default_factory=dict)
    unset: Mapping[str, Json] = field(default_factory=dict)
    """Text in the prompt for a slot without a value, if it is not empty."""
    transitions: tuple[Transition, ...] = ()
    attempts: int | None = None
    turns: int | None = None
    kind: str = ""
    role: str = ""
    """Name of the prompt, if it is a separate object with another name."""
    waits: bool = False
    """True if a run waits for a user here."""
    max_visits: int | None = None
    on_max_visits: str | None = None

    @property
    def ends(self) -> bool:
        """True if every answer ends the run."""
        return not any(transition.targets for transition in self.transitions)

    @property
    def labels(self) -> tuple[str, ...]:
        """The outcomes that the model selects."""
        return tuple(
            transition.label
            for transition in self.transitions
            if transition.when is None and not transition.otherwise
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of a whole run."""

    visits: int | None = None
    tool_calls: int | None = None
    seconds: int | None = None


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A workflow. `system` precedes the prompt of every state."""

    id: str
    name: str = ""
    description: str = ""
    version: str | None = None
    entry: str = ""
    states: tuple[State, ...] = ()
    inputs: tuple[Input, ...] = ()
    slots: tuple[Slot, ...] = ()
    tools: tuple[Tool, ...] = ()
    fragments: Mapping[str, Text] = field(default_factory=dict)
    system: Text = ()
    limits: Limits = Limits()

    @cached_property
    def by_id(self) -> Mapping[str, State]:
        return {state.id: state for state in self.states}

    @cached_property
    def slot(self) -> Mapping[str, Slot]:
        """Every slot by name, including slots that only a prompt or `writes` names."""
        slots = {slot.name: slot for slot in self.slots}
        for state in self.states:
            for name in (*state.writes, *reads(state)):
                slots.setdefault(name, Slot(name=name))
        return slots

    @cached_property
    def writers(self) -> Mapping[str, tuple[str, ...]]:
        """Slot → the states that write it."""
        writers: dict[str, list[str]] = {}
        for state in self.states:
            for name in state.writes:
                writers.setdefault(name, []).append(state.id)
        return {name: tuple(ids) for name, ids in writers.items()}

    @cached_property
    def slots_shown(self) -> frozenset[str]:
        """The slots that any prompt shows."""
        return frozenset(name for state in self.states for name in reads(state))

    @cached_property
    def before(self) -> Mapping[str, tuple[str, ...]]:
        """State → the states with a transition to it."""
        earlier: dict[str, dict[str, None]] = {}
        for state in self.states:
            for transition in state.transitions:
                for target in transition.targets:
                    earlier.setdefault(target, {})[state.id] = None
        return {target: tuple(ids) for target, ids in earlier.items()}

    @cached_property
    def inputs_used(self) -> tuple[Input, ...]:
        """The declared inputs, then undeclared ones that a prompt names."""
        inputs = {each.name: each for each in self.inputs}
        for text in (self.system, *(with_written_values(self, state) for state in self.states)):
            for ref in refs(text):
                if ref.kind == "input":
                    inputs.setdefault(ref.name, Input(name=ref.name))
        return tuple(inputs.values())


def reads(state: State) -> tuple[str, ...]:
    """The slots that the prompt of a state shows."""
    return tuple(ref.name for ref in refs(state.prompt) if ref.kind == "slot")


FRAGMENT_LEVELS = 8
"""Levels of fragments inside fragments."""


def with_written_values(
    machine: Machine, state: State, text: Text | None = None, depth: int = 0
) -> Text:
    """The text with its fragments and the state's id and name filled in."""
    pieces: list[str | Ref] = []
    for piece in state.prompt if text is None else text:
        match piece:
            case Ref(kind="fragment", name=name) if (
                name in machine.fragments and depth < FRAGMENT_LEVELS
            ):
                pieces += with_written_values(machine, state, machine.fragments[name], depth + 1)
            case Ref(kind="state", name="id"):
                pieces.append(state.id)
            case Ref(kind="state", name="name"):
                pieces.append(state.name or state.id)
            case _:
                pieces.append(piece)
    return joined(pieces)


def whole_prompt(machine: Machine, state: State) -> Text:
    """The whole prompt: the text of the pack, then the text of the state."""
    own = stripped(with_written_values(machine, state))
    if not machine.system:
        return own
    top = stripped(with_written_values(machine, state, machine.system))
    return joined((*top, "\n\n", *own)) if own else top


def with_common_opening(machine: Machine) -> Machine:
    """The machine with the paragraphs at the beginning of every prompt moved to `system`. Headings
    alone are not moved."""
    if machine.system or len(machine.states) < 2:
        return machine
    shared = _common([_paragraphs(state.prompt) for state in machine.states])
    if all(paragraph.startswith("#") for paragraph in shared):
        return machine
    opening = "\n\n".join(shared)
    return replace(
        machine,
        system=(opening,),
        states=tuple(
            replace(state, prompt=_without(state.prompt, opening)) for state in machine.states
        ),
    )


def _paragraphs(text: Text) -> list[str]:
    """The complete paragraphs before the first placeholder, without the last one."""
    first = text[0] if text else ""
    return first.split("\n\n")[:-1] if isinstance(first, str) else []


def _common(openings: list[list[str]]) -> list[str]:
    shared: list[str] = []
    for together in zip(*openings, strict=False):
        if len(set(together)) > 1 or not together[0].strip():
            break
        shared.append(together[0])
    return shared


def _without(text: Text, opening: str) -> Text:
    first = str(text[0]).removeprefix(opening).lstrip("\n")
    return joined((first, *text[1:]))
