"""What is said of single steps, remembered from source to source.

A rule that looks at one step looks at its *sight*: the step, the steps it names, its prompt, its
definition. A step whose sight is made of the same objects as before is not looked at again, so an
edit costs what it changed. What holds for all steps alike (path config, parameters, definitions
that others refer to) is the *setting*; when that changes, everything is looked at anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from workflows.core.dialects.steps_registry.format.prompt_paths import (
    front_matter_is_usual,
    is_agent_folder,
    prompt_path,
    prompt_paths,
)
from workflows.core.dialects.steps_registry.format.steps import Step, text_of
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaLocation,
    SchemaProblem,
    own_schema,
    reference_targets,
    schema_files,
    schemas_folder,
    value_at,
)
from workflows.core.dialects.steps_registry.source import RegistrySource

T = TypeVar("T")
Sight = tuple[Any, ...]
"""The step, its prompt with and without adaptation, its definition; a new one whenever one of
these is another object, or a step that it names is."""
Plan = tuple[Step, str, str, tuple[str, ...]]
"""Where the sight of a step lies: the step, two paths, the ids of the steps it names."""
Look = Callable[[RegistrySource, Iterable[Step]], Iterable[T]]
"""Goes through the steps it is given, and yields what it has to say of each while there."""

ABSENT = object()


@dataclass(frozen=True, eq=False, slots=True)
class Sights:
    """The sight of every step of one source, and the keys by which each was found."""

    steps: list[Step]
    seen: dict[str, Sight]
    plans: dict[str, Plan]
    raw: dict[str, Any]
    setting: tuple[Any, ...]
    shared: dict[SchemaLocation, Any]
    token: object = field(default_factory=object)
    stale: dict[object, list[Step]] = field(default_factory=dict)

    def unlike(self, before: Sights | None) -> list[Step]:
        """The steps whose sight is new since those earlier sights."""
        if before is None:
            return self.steps
        if before.token not in self.stale:
            held, seen = before.seen.get, self.seen
            changed = [step for step in self.steps if held(step.id) is not seen[step.id]]
            self.stale[before.token] = changed
        return self.stale[before.token]


def remembered(source: RegistrySource, name: str, look: Look[T]) -> dict[str, tuple[T, ...]]:
    """What `look` says of each step it has something to say of, by step id.

    `name` tells the looks apart. The look must use nothing but sight and setting of a step.
    """
    now = sights(source)
    held: tuple[Sights, dict[str, tuple[T, ...]]] | None = source.memo.get(name)
    if held is not None and held[0] is now:
        return held[1]
    before, said = held if held is not None else (None, {})
    stale = now.unlike(before)
    fresh = _looked(source, look, stale)
    if before is not None and _says_the_same(now, stale, said, fresh):
        fresh = said
    elif said:
        again = {step.id for step in stale}
        fresh |= {id: items for id, items in said.items() if id not in again}
        fresh = {id: fresh[id] for id in now.seen if id in fresh}
    source.memo[name] = (now, fresh)
    return fresh


def _says_the_same(
    now: Sights,
    stale: list[Step],
    said: dict[str, tuple[T, ...]],
    fresh: dict[str, tuple[T, ...]],
) -> bool:
    """Whether nothing new is said, so that the very same answer holds."""
    return all(said.get(step.id) == fresh.get(step.id) for step in stale) and (
        not said or all(id in now.seen for id in said)
    )


class _Walk:
    """Steps in turn, and which one it is at."""

    def __init__(self, steps: Iterable[Step]) -> None:
        self.steps = steps
        self.id = ""

    def __iter__(self) -> Iterator[Step]:
        for step in self.steps:
            self.id = step.id
            yield step


def _looked(source: RegistrySource, look: Look[T], steps: list[Step]) -> dict[str, tuple[T, ...]]:
    walk = _Walk(steps)
    found: dict[str, tuple[T, ...]] = {}
    for said in look(source, walk):
        found[walk.id] = (*found.get(walk.id, ()), said)
    return found


def sights(source: RegistrySource) -> Sights:
    """The sights of this source; those that did not change are the objects of last time."""
    found: Sights | None = source.kept.get("sights")
    if found is None:
        found = source.kept["sights"] = _sights(source, source.memo.get("sights"))
        source.memo["sights"] = found
    return found


def _sights(source: RegistrySource, before: Sights | None) -> Sights:
    setting, shared = _setting(source), _shared(source)
    if before is not None and not _same_setting(before, setting, shared):
        before = None
    raw: dict[str, Any] = source.value["steps"]
    moved = _moved(before.raw, raw) if before is not None else set()
    held_seen = before.seen if before is not None else {}
    held_plans = before.plans if before is not None else {}
    data = source.data.get
    seen: dict[str, Sight] = {}
    plans: dict[str, Plan] = {}
    steps = list(source.steps.values())
    for step in steps:
        id = step.id
        plan = held_plans.get(id)
        if plan is None or plan[0] is not step:
            plan = _plan(source, step)
        plans[id] = plan
        _, exact, plain, named = plan
        own = _definition(source, step)
        held = held_seen.get(id)
        if (
            held is not None
            and held[0] is step
            and held[1] is data(exact)
            and held[2] is data(plain)
            and held[3] is own
            and moved.isdisjoint(named)
        ):
            seen[id] = held
        else:
            seen[id] = (step, data(exact), data(plain), own)
    return Sights(steps, seen, plans, raw, setting, shared)


def _moved(before: dict[str, Any], now: dict[str, Any]) -> set[str]:
    """The ids under which another step stands than before, or none, or one for the first time."""
    held = before.get
    fresh = {id for id, value in now.items() if held(id, ABSENT) is not value}
    return fresh | (before.keys() - now.keys())


def _plan(source: RegistrySource, step: Step) -> Plan:
    named = dict.fromkeys([arrow.target for arrow in step.arrows])
    head, _, rest = step.id.partition(".")
    if head == "initial":
        named[f"continuation.{rest}"] = None
    for item in step.inputs.values():
        named[text_of(item.get("from")).rpartition(".")[0]] = None
    exact = prompt_path(source, step)
    plain = prompt_path(source, step, "") if step.adaptation else exact
    return step, exact, plain, tuple(named)


def _definition(source: RegistrySource, step: Step) -> Any:
    """The step's definition as it stands, or why there is none, as an object of its own."""
    try:
        return own_schema(source, step)
    except SchemaProblem as problem:
        reasons: dict[str, str] = source.memo.setdefault("reasons", {})
        return reasons.setdefault(str(problem), str(problem))


def _setting(source: RegistrySource) -> tuple[Any, ...]:
    return (
        source.main,
        source.generation,
        source.flow,
        bool(source.agent),
        prompt_paths(source),
        is_agent_folder(source),
        front_matter_is_usual(source),
        schemas_folder(source),
        source.agent_value("parameters"),
    )


def _shared(source: RegistrySource) -> dict[SchemaLocation, Any]:
    """Every value that some `$ref` leads to, as it stands."""
    found: dict[SchemaLocation, Any] = {}
    paths = dict.fromkeys(schema_files(source))
    waiting = list(paths)
    while waiting:
        for location in reference_targets(source, waiting.pop()):
            found[location] = value_at(source, location)
            if location.path not in paths:
                paths[location.path] = None
                waiting.append(location.path)
    return found


def _same_setting(
    before: Sights, setting: tuple[Any, ...], shared: dict[SchemaLocation, Any]
) -> bool:
    *plain, parameters = setting
    *held_plain, held_parameters = before.setting
    return (
        parameters is held_parameters
        and plain == held_plain
        and len(shared) == len(before.shared)
        and all(before.shared.get(location, ABSENT) is value for location, value in shared.items())
    )
