"""The rule kit for steps registries. A check reads the source, or one step after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from itertools import chain
from typing import TypeAlias

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.vocabulary import RELEASES
from workflows.core.dialects.steps_registry.rules.incremental_rules import cached_by_step
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.findings import Level, Rule
from workflows.core.rules.kit import Note, Notes, RuleKit
from workflows.core.text.json.document import Pointer

DOCUMENTED = ("documented",)
CLIMPT_ONLY = ("climpt",)


def _element_at(source: RegistrySource, pointer: Pointer) -> str:
    """A step for its values; the others belong to the pack."""
    match pointer:
        case ("steps", str(id), *_):
            return f"state:{id}"
    return ""


_KIT = RuleKit[RegistrySource, RegistrySource](
    view=lambda source: source,
    element_at=_element_at,
    applies=lambda source: source.readable and source.generation != "legacy",
)
registry_rule = _KIT.rule
"""Declares a rule. Registries from before 1.13 are shown and not checked."""
registry_profile_rule = _KIT.profile_rule
"""Declares a rule whose findings depend on the profile, the second argument of its check."""

StepCheck: TypeAlias = Callable[[RegistrySource, Iterable[Step]], Notes]
StepProfileCheck: TypeAlias = Callable[[RegistrySource, Iterable[Step], str], Notes]


def step_rule(
    code: str,
    level: Level,
    title: str,
    *,
    profiles: tuple[str, ...],
    hint_in: tuple[str, ...] = (),
) -> Callable[[StepCheck], Rule]:
    """Declare a rule that checks single steps and only reruns for steps that changed.

    The check may read only what `incremental_rules` tracks. `step_of` finds the step of
    a note.
    """

    def register(check: StepCheck) -> Rule:
        @wraps(check)
        def run(source: RegistrySource) -> Notes:
            return _cached(source, code, check)

        return registry_rule(code, level, title, profiles=profiles, hint_in=hint_in)(run)

    return register


def step_profile_rule(
    code: str, level: Level, title: str, *, profiles: tuple[str, ...]
) -> Callable[[StepProfileCheck], Rule]:
    """As `step_rule`, for a check whose third argument is the profile."""

    def register(check: StepProfileCheck) -> Rule:
        @wraps(check)
        def run(source: RegistrySource, profile: str) -> Notes:
            def under_profile(source: RegistrySource, steps: Iterable[Step]) -> Notes:
                return check(source, steps, profile)

            return _cached(source, f"{code} {profile}", under_profile)

        return registry_profile_rule(code, level, title, profiles=profiles)(run)

    return register


def _cached(source: RegistrySource, name: str, check: StepCheck) -> Notes:
    """The notes of a check, step by step; those of unchanged steps are reused."""

    def by_step(source: RegistrySource, steps: Iterable[Step]) -> Iterator[tuple[str, Note]]:
        return ((step_of(note), note) for note in check(source, steps))

    return chain.from_iterable(cached_by_step(source, name, by_step).values())


def step_of(note: Note) -> str:
    """The id of the step to which a note belongs: its owner, else the step in its pointer, else
    its element. Raises ValueError if none of them is a step."""
    match note.pointer:
        case ("steps", str(id), *_) if not note.path and not note.owner:
            return id
    kind, _, id = (note.owner or note.element).partition(":")
    if kind != "state":
        raise ValueError(f"The note {note.message!r} has no place in a step.")
    return id


def at(step: Step, *keys: str | int) -> Pointer:
    """The pointer to a value of a step."""
    return ("steps", step.id, *keys)


def climpt(source: RegistrySource) -> str:
    """The Climpt release for which the file was written."""
    return f"Climpt {RELEASES[source.generation]}"
