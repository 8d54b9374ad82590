"""The machine and its states, and what can be asked of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from workflows.core.convert.neutral.texts import Ref, Text, joined, refs, stripped
from workflows.core.pack.forms import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A value that a run is started with."""

    name: str
    type: str = "string"
    required: bool = False
    default: Json = None
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A value that one state leaves behind for others to read."""

    name: str
    type: str = "text/plain"
    description: str = ""
    append: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """What a model may call. `parameters` is a JSON Schema."""

    key: str
    name: str = ""
    description: str = ""
    parameters: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """One way on. `label` names the outcome; the model picks it, unless `when` (a condition over
    the answer, in the language of stage pipelines) or `otherwise` (where no other way is taken)
    says how it comes about. No targets: the run ends here. `parallel` targets are taken at once and
    meet in `join`; several that are not are taken one after the other."""

    label: str
    targets: tuple[str, ...] = ()
    parallel: bool = False
    join: str | None = None
    when: Json = None
    otherwise: bool = False
    spelling: str = ""
    """How the author wrote the label, where that cannot be told from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One piece of work. `writes` are slots and where in the answer their values stand, `answer`
    what the answer has to look like apart from slots and the choice of a way."""

    id: str
    name: str = ""
    description: str = ""
    prompt: Text = ()
    tools: tuple[str, ...] | None = ()
    answer: Json = None
    writes: Mapping[str, str] = field(default_factory=dict)
    unset: Mapping[str, Json] = field(default_factory=dict)
    """What stands in the prompt for a slot that nobody has filled yet, where that is not just
    nothing."""
    ways: tuple[Transition, ...] = ()
    attempts: int | None = None
    turns: int | None = None
    kind: str = ""
    role: str = ""
    """Name of the prompt where that is an object of its own and called differently."""
    waits: bool = False
    """A run that comes here goes on when a person says so."""
    max_visits: int | None = None
    on_max_visits: str | None = None

    @property
    def ends(self) -> bool:
        """Whether a run is over after this state, whatever its answer is."""
        return not any(way.targets for way in self.ways)

    @property
    def labels(self) -> tuple[str, ...]:
        """The outcomes that the model names."""
        return tuple(way.label for way in self.ways if way.when is None and not way.otherwise)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of a whole run."""

    visits: int | None = None
    tool_calls: int | None = None
    seconds: int | None = None


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A whole workflow. `system` stands before the prompt of every state."""

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
        """Every slot by name, those included that only a state's `writes` or a prompt names."""
        known = {slot.name: slot for slot in self.slots}
        for state in self.states:
            for name in (*state.writes, *reads(state)):
                known.setdefault(name, Slot(name=name))
        return known

    @cached_property
    def writers(self) -> Mapping[str, tuple[str, ...]]:
        """Slot → the states that fill it."""
        found: dict[str, list[str]] = {}
        for state in self.states:
            for name in state.writes:
                found.setdefault(name, []).append(state.id)
        return {name: tuple(ids) for name, ids in found.items()}

    @cached_property
    def slots_shown(self) -> frozenset[str]:
        """The slots that some prompt shows."""
        return frozenset(name for state in self.states for name in reads(state))

    @cached_property
    def before(self) -> Mapping[str, tuple[str, ...]]:
        """State → the states with a way to it."""
        found: dict[str, dict[str, None]] = {}
        for state in self.states:
            for way in state.ways:
                for target in way.targets:
                    found.setdefault(target, {})[state.id] = None
        return {target: tuple(ids) for target, ids in found.items()}

    @cached_property
    def inputs_used(self) -> tuple[Input, ...]:
        """The declared inputs, then those that a prompt names without anybody declaring them."""
        known = {each.name: each for each in self.inputs}
        for text in (self.system, *(with_written_values(self, state) for state in self.states)):
            for ref in refs(text):
                if ref.kind == "input":
                    known.setdefault(ref.name, Input(name=ref.name))
        return tuple(known.values())


def reads(state: State) -> tuple[str, ...]:
    """The slots that its prompt shows."""
    return tuple(ref.name for ref in refs(state.prompt) if ref.kind == "slot")


MAX_DEPTH = 8
"""How deep fragments may stand in fragments."""


def with_written_values(
    machine: Machine, state: State, text: Text | None = None, depth: int = 0
) -> Text:
    """A text with its fragments and the state's own id and name put in place."""
    found: list[str | Ref] = []
    for piece in state.prompt if text is None else text:
        match piece:
            case Ref(kind="fragment", name=name) if name in machine.fragments and depth < MAX_DEPTH:
                found += with_written_values(machine, state, machine.fragments[name], depth + 1)
            case Ref(kind="state", name="id"):
                found.append(state.id)
            case Ref(kind="state", name="name"):
                found.append(state.name or state.id)
            case _:
                found.append(piece)
    return joined(found)


def whole_prompt(machine: Machine, state: State) -> Text:
    """All that the model is told of its task: the pack's own words, then the state's."""
    own = stripped(with_written_values(machine, state))
    if not machine.system:
        return own
    top = stripped(with_written_values(machine, state, machine.system))
    return joined((*top, "\n\n", *own)) if own else top


def with_common_opening(machine: Machine) -> Machine:
    """Paragraphs with which every prompt begins are what the pack says to all of them; headings
    alone are not enough."""
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
    """Those at the beginning that are whole and without a placeholder, with more to come."""
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
