"""The projection of a registry: a state for each step, a transition for each intent and target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from posixpath import basename
from typing import Any

from workflows.core.dialects.steps_registry.format.prompt_paths import prompt_path, prompt_paths
from workflows.core.dialects.steps_registry.format.steps import (
    Step,
    StepTransition,
    pointer_to,
    target_mode,
)
from workflows.core.dialects.steps_registry.format.validators import conditions_of, guard_of
from workflows.core.dialects.steps_registry.format.vocabulary import ALLOWED, boundary
from workflows.core.dialects.steps_registry.graph.implicit_transitions import (
    RETRY,
    DerivedTransition,
    derived,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.findings import Place
from workflows.core.pack.graph import Entry, Graph, Offer, State, Transition, TransitionKind
from workflows.core.prompts.first_line import READ, first_line
from workflows.core.text.json.document import pointer_text
from workflows.core.text.tolerant import as_str

Drawn = tuple[State, tuple[Transition, ...]]


@dataclass(frozen=True, eq=False, slots=True)
class CachedGraph:
    """The previous projection: the prompt paths and, by step id, the step, its prompt's path,
    its bytes if it exists, and its state and transitions."""

    setting: tuple[Any, ...]
    items: dict[str, tuple[Step, str, bytes | None, Drawn]]


def graph(source: RegistrySource, profile: str) -> Graph:
    """The graph of a registry. States and transitions of unchanged steps are reused.

    Every iteration counts as a visit, even if the run stays at the step. So the verdict's iteration
    limit limits the visits, and a visit makes one model call.
    """
    name = as_str(source.agent_value("displayName")) or source.agent_id
    drawn = _drawn(source, profile) if source.readable else ()
    return Graph(
        dialect="steps_registry",
        profile=profile,
        name=name or basename(source.main),
        entries=tuple(Entry(state=state, key=key) for key, state in source.entries),
        states=tuple([box for box, _ in drawn]),
        transitions=tuple(chain.from_iterable([out for _, out in drawn])),
        most_visits=source.most_iterations if source.readable else None,
    )


def _drawn(source: RegistrySource, profile: str) -> Collection[Drawn]:
    """State and transitions of every step, in order. Unchanged ones are reused. Schema files are
    not read."""
    setting = (source.main, prompt_paths(source), source.flow)
    before: CachedGraph | None = source.memo.get(("drawn", profile))
    earlier = before.items if before is not None and before.setting == setting else {}
    items: dict[str, tuple[Step, str, bytes | None, Drawn]] = {}
    for id, step in source.steps.items():
        held = earlier.get(id)
        if held is None or held[0] is not step or source.data.get(held[1]) is not held[2]:
            path = prompt_path(source, step)
            text = source.data.get(path)
            transitions = tuple(_transitions(source, step, profile))
            held = (step, path, text, (_state(source, step, path, text), transitions))
        items[id] = held
    source.memo["drawn", profile] = CachedGraph(setting, items)
    drawn = {id: held[3] for id, held in items.items()}
    for id, more in derived(source, profile).items():
        box, out = drawn[id]
        drawn[id] = box, (*out, *(_derived(source, each) for each in more))
    for id, number in _validator_counts(source, profile).items():
        if number and id in drawn:
            box, out = drawn[id]
            counts = {"validators": number, **box.counts}
            drawn[id] = replace(box, counts=counts, required=box.terminal), out
    users = Counter(path for _, path, text, _ in items.values() if text is not None)
    for id, (_, path, text, _) in items.items():
        if text is not None and users[path] > 1:
            box, out = drawn[id]
            drawn[id] = replace(box, prompt_users=users[path]), out
    return drawn.values()


def _state(source: RegistrySource, step: Step, path: str, text: bytes | None) -> State:
    counts = {}
    if fields := step.handoff_fields:
        counts["handoff"] = len(fields)
    if variables := step.variables:
        counts["variables"] = len(variables)
    shown = path.removeprefix(f"{source.folder}/") if text is not None else ""
    return State(
        id=step.id,
        kind="section" if step.section else step.kind or "step",
        name=as_str(step.value.get("name")),
        terminal=ends_flow(step),
        may_end=not source.flow and not step.section,
        stateless=step.section,
        role=shown or "/".join(part for part in (step.c2, step.c3) if part),
        prompt_line=first_line(text[:READ].decode(errors="ignore")) if text is not None else "",
        counts=counts,
        most_calls=0 if step.section or runs_process(step) else 1,
        place=Place(path=source.main, pointer=pointer_to(("steps", step.id)), element=step.element),
    )


def runs_process(step: Step) -> bool:
    """True if the step runs a process instead of a model call (section 4.11)."""
    return step.kind == "closure" and isinstance(step.value.get("runner"), dict)


def ends_flow(step: Step) -> bool:
    """True if a run may end at this step: a closure step with `closing`, or without a gate; or a
    step without a kind that allows `closing` (section 4.5)."""
    if step.kind is None:
        return "closing" in step.allowed
    if step.kind != "closure":
        return False
    closing = step.rules.get("closing")
    return "closing" in step.allowed or closing is not None or step.gate is None


def _transitions(source: RegistrySource, step: Step, profile: str) -> Iterator[Transition]:
    for transition in step.transitions:
        label = transition.label
        yield Transition(
            source=step.id,
            target=transition.target,
            label=label,
            kind=_kind(transition),
            event=transition.intent,
            value=transition.value,
            inert=inert(step, transition, profile),
            place=Place(
                path=source.main,
                pointer=pointer_to(transition.pointer),
                element=f"transition:{step.id}|{label}|{transition.target}",
            ),
        )


def _derived(source: RegistrySource, transition: DerivedTransition) -> Transition:
    place = Place(
        path=source.main,
        pointer=pointer_text(transition.pointer),
        element=f"transition:{transition.id}",
    )
    return Transition(
        source=transition.source,
        target=transition.target,
        label=transition.label,
        kind=transition.kind,
        event="" if transition.label == RETRY else transition.label,
        after=transition.target if transition.label == RETRY else "",
        place=place,
    )


def _kind(transition: StepTransition) -> TransitionKind:
    if transition.kind == "fallback":
        return "fallback"
    if transition.kind == "value":
        return "conditional"
    return "handoff" if transition.intent == "handoff" else "event"


def inert(step: Step, transition: StepTransition, profile: str) -> bool:
    """True if a run under this profile never takes the transition.

    `fallback` is never read (section 1.4). Climpt never reads `transitions.repeat` (D2) or the rule
    of `closing` (D11), accepts no conditional rule for handoff and escalate (4.5), and prefers
    `target` to `targets` (1.4), which the target mode conditional reverses.
    """
    if transition.kind == "fallback" or transition.intent == "abort":
        return True
    if step.gate is not None and transition.intent not in step.allowed:
        return True
    rule = step.rules[transition.intent]
    conditional = target_mode(step, profile) == "conditional"
    if transition.kind == "value" and "target" in rule and not conditional:
        return True
    if transition.kind == "target" and "targets" in rule and conditional:
        return True
    if profile != "climpt":
        return False
    if transition.intent == "repeat":
        return transition.target != step.id
    if transition.intent == "closing":
        return True
    return step.kind == "closure" or (
        transition.kind == "value" and transition.intent in ("handoff", "escalate")
    )


def _validator_counts(source: RegistrySource, profile: str) -> dict[str, int]:
    """The number of validators of each closure step, by step id.

    The document keys `validationSteps` by step id. Climpt keys them by verdict type, for every
    closure step (D4).
    """
    if not source.table("validationSteps"):
        return {}
    return {
        step.id: len({name for _, name in conditions_of(guard_of(source, step.id, profile)[1])})
        for step in source.steps.values()
        if step.kind == "closure"
    }


def offers(source: RegistrySource, state: str, profile: str) -> tuple[Offer, ...]:
    """The intents that a step can still connect, with the targets that the profile allows (sections
    1.9 and 3.2e)."""
    step = source.steps.get(state)
    if step is None or step.section or source.generation == "legacy":
        return ()
    intents = ALLOWED.get(step.kind or "", ("next", "repeat", "jump", "handoff", "closing"))
    free = [intent for intent in intents if _free(step, intent)]
    # The first offer is the default of a new transition, which seldom repeats or ends.
    free.sort(key=("repeat", "closing").__contains__)
    return tuple(_offer(source, step, intent, profile) for intent in free)


def _free(step: Step, intent: str) -> bool:
    """True if the intent can get a transition. A plain target uses up the intent; a conditional
    rule does not."""
    rule = step.rules.get(intent)
    if intent == "closing":
        return intent not in step.allowed or rule is None
    return rule is None or "targets" in rule or not isinstance(rule.get("target"), str)


def _offer(source: RegistrySource, step: Step, intent: str, profile: str) -> Offer:
    kind: TransitionKind = "handoff" if intent == "handoff" else "event"
    if intent == "closing":
        return Offer(source=step.id, label=intent, targets=(), reason="closing ends the run.")
    wanted = boundary(step.kind, intent, profile)
    conditional = "targets" in step.rules.get(intent, {})
    targets = tuple(
        id
        for id, other in source.steps.items()
        if not other.section
        and (wanted is None or other.kind in wanted or other.kind is None or id == step.id)
    )
    reason = (
        ""
        if wanted is None
        else f"{intent} from a {step.kind} step leads to {' or '.join(wanted)}."
    )
    return Offer(
        source=step.id,
        label=intent,
        kind="conditional" if conditional else kind,
        targets=targets,
        reason=reason,
    )
