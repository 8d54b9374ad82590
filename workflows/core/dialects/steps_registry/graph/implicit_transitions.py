"""Transitions that a run takes and that no rule of `transitions` names as a target: ends of the
run, retries of failed validators, and continuations by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.validators import guard_of, retries
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.graph import END, TransitionKind
from workflows.core.text.json.document import Pointer

CLOSING, NEXT, RETRY, EXIT = "closing", "next", "retry", "exit 0"
NEVER_DECIDES = ("poll:state", "meta:custom")
"""Verdict types that never end a run here: GitHub is not queried, handlers are not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedTransition:
    """A transition without a target in the file. `pointer` is the value from which it follows,
    `why` the explanation in its form."""

    source: str
    label: str
    target: str
    kind: TransitionKind = "event"
    pointer: Pointer
    why: str

    @property
    def id(self) -> str:
        return f"{self.source}|{self.label}|{self.target}"


def derived(source: RegistrySource, profile: str) -> dict[str, list[DerivedTransition]]:
    """Step → its derived transitions. Cached on the source."""
    by_profile: dict[str, dict[str, list[DerivedTransition]]] = source.kept.setdefault(
        "derived", {}
    )
    if profile not in by_profile:
        by_step: dict[str, list[DerivedTransition]] = {}
        for step in source.steps.values():
            for transition in (
                *_continuations(source, step, profile),
                *_ends(source, step, profile),
            ):
                by_step.setdefault(step.id, []).append(transition)
        for transition in _retries(source, profile, by_step):
            by_step.setdefault(transition.source, []).append(transition)
        by_profile[profile] = by_step
    return by_profile[profile]


def derived_transition(source: RegistrySource, profile: str, id: str) -> DerivedTransition | None:
    """The derived transition with this id; None if there is none."""
    for transitions in derived(source, profile).values():
        for transition in transitions:
            if transition.id == id:
                return transition
    return None


def end_of(source: RegistrySource, step: Step, profile: str, label: str) -> str:
    """The id of the transition with which a run ends at a step; "" if none is drawn."""
    here = derived(source, profile).get(step.id, ())
    return next((a.id for a in here if a.label == label and a.target == END), "")


def continuation_by_name(source: RegistrySource, step: Step) -> str:
    """`continuation.X` for `initial.X`; "" if the registry has no such step."""
    twin = f"continuation.{step.id.removeprefix('initial.')}"
    return twin if step.id.startswith("initial.") and twin in source.steps else ""


def _continuations(source: RegistrySource, step: Step, profile: str) -> Iterator[DerivedTransition]:
    """`initial.X` → `continuation.X`: for an allowed next or jump without a rule, and, in the
    document, for every iteration of a registry without gates (specs, D13)."""
    twin = continuation_by_name(source, step)
    if not twin:
        return
    if step.gate is not None:
        for intent in (NEXT, "jump"):
            if intent in step.allowed and intent not in step.rules:
                yield DerivedTransition(
                    source=step.id,
                    label=intent,
                    target=twin,
                    pointer=("steps", step.id, "structuredGate"),
                    why=f"Without a rule for {intent}, a run continues by name.",
                )
    elif not source.flow and profile != "climpt" and source.most_iterations > 1:
        yield DerivedTransition(
            source=step.id,
            label=NEXT,
            target=twin,
            pointer=("steps", step.id),
            why="From the second iteration, a registry without gates continues by name.",
        )


def _ends(source: RegistrySource, step: Step, profile: str) -> Iterator[DerivedTransition]:
    if step.section:
        return
    process = step.kind == "closure" and isinstance(step.value.get("runner"), dict)
    rule: Pointer = ("steps", step.id, "transitions", CLOSING)
    if process and not (profile == "climpt" and source.generation == "S"):
        yield DerivedTransition(
            source=step.id,
            label=EXIT,
            target=END,
            pointer=("steps", step.id, "runner"),
            why="The run completes when the process ends with exit code 0.",
        )
        return
    if _closes(source, step, profile):
        yield DerivedTransition(
            source=step.id,
            label=CLOSING,
            target=END,
            pointer=rule if CLOSING in step.rules else ("steps", step.id, "structuredGate"),
            why="closing completes the run, once its validators pass.",
        )
    if step.gate is None and _verdict_decides(source, step, profile):
        yield DerivedTransition(
            source=step.id,
            label=source.verdict,
            target=END,
            pointer=("steps", step.id),
            why=f"The run completes when the verdict {source.verdict} is reached.",
        )


def _closes(source: RegistrySource, step: Step, profile: str) -> bool:
    """True if closing at this step ends the run. In the document, a rule with a target leads on
    (specs, D11)."""
    listed = step.allowed if step.gate is not None else tuple(step.rules)
    if CLOSING not in listed or step.kind not in ("closure", None):
        return False
    target = step.rules.get(CLOSING, {}).get("target")
    return profile == "climpt" or not (isinstance(target, str) and target in source.steps)


def _verdict_decides(source: RegistrySource, step: Step, profile: str) -> bool:
    if source.verdict in NEVER_DECIDES or (source.flow and step.kind != "closure"):
        return False
    leaves = not source.flow and profile != "climpt" and continuation_by_name(source, step)
    counted = source.verdict == "count:iteration" and source.most_iterations > 1
    return not (leaves and counted)


def _retries(
    source: RegistrySource, profile: str, by_step: dict[str, list[DerivedTransition]]
) -> Iterator[DerivedTransition]:
    """closure → work: in the document, a failed validator sends the run back to the step that
    worked last (specs, D3)."""
    if profile == "climpt" or not source.table("validationSteps"):
        return
    before: dict[str, list[str]] = {}
    for step in source.steps.values():
        targets = [
            transition.target for transition in step.transitions if transition.kind != "fallback"
        ]
        targets += [transition.target for transition in by_step.get(step.id, ())]
        for target in targets:
            before.setdefault(target, []).append(step.id)
    for step in source.steps.values():
        key, guard = guard_of(source, step.id, profile)
        if step.kind != "closure" or not retries(guard):
            continue
        for worker in _workers(source, step.id, before):
            yield DerivedTransition(
                source=step.id,
                label=RETRY,
                target=worker,
                kind="fallback",
                pointer=("validationSteps", key),
                why=f"If a validator of {key} fails, the run returns to the step that worked last.",
            )


def _workers(source: RegistrySource, id: str, before: dict[str, list[str]]) -> list[str]:
    """The steps that may have worked last before a closure step, other closure steps between."""
    visited, waiting, workers = {id}, [id], list[str]()
    while waiting:
        for origin in before.get(waiting.pop(), ()):
            if origin in visited:
                continue
            visited.add(origin)
            if source.steps[origin].kind == "closure":
                waiting.append(origin)
            else:
                workers.append(origin)
    return [step for step in source.steps if step in workers]
