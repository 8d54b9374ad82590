"""Removing all transitions to a step, with one rewrite of the registry."""

from __future__ import annotations

from itertools import groupby

from workflows.core.dialects.steps_registry.edits.intents import forbid
from workflows.core.dialects.steps_registry.format.steps import Step, StepTransition
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.text.json.document import Pointer

_MOST = 1_000  # intents of a gate; in longer lists, a change compares place by place


def without_transitions_to(source: RegistrySource, id: str) -> RegistrySource:
    """The registry without the transitions of other steps to a step. It is what
    `remove_transition` gives for one after another."""
    gone: list[Pointer] = []
    unused: list[tuple[str, str]] = []  # steps, and their intents that have no rule any more
    for step in source.steps.values():
        if step.id == id:
            continue
        leading = [each for each in step.transitions if each.target == id]
        intents: list[str] = []
        for intent, transitions in groupby(leading, key=lambda each: each.intent):
            pointers, whole = _removed(step, intent, list(transitions))
            gone += pointers
            intents += [intent] if whole else []
        gone += _allowed(step, intents)
        unused += [(step.id, intent) for intent in intents]
    source = source.registry_edit(lambda text: text.delete_all(gone))
    for start, intent in unused:
        source = forbid(source, start, intent)
    return source


def _removed(
    step: Step, intent: str, transitions: list[StepTransition]
) -> tuple[list[Pointer], bool]:
    """The places to remove for some transitions of a rule, and True if the whole rule goes."""
    rule, place = step.rules[intent], ("steps", step.id, "transitions", intent)
    targets = rule.get("targets")
    left = len(targets) if isinstance(targets, dict) else 0
    has_target = "target" in rule
    pointers: list[Pointer] = []
    for each in transitions:
        if each.kind == "value" and left <= 1:
            if not has_target:
                return [place], True
            pointers.append((*place, "targets"))
        elif each.kind == "target" and not left:
            return [place], True
        else:
            pointers.append(each.pointer)
            has_target = has_target and each.kind != "target"
        left -= each.kind == "value"
    return pointers, False


def _allowed(step: Step, intents: list[str]) -> list[Pointer]:
    """The places of intents in the gate. None if the list is unusual: `forbid` writes it then."""
    written = (step.gate or {}).get("allowedIntents")
    plain = written == list(step.allowed) and len(set(step.allowed)) == len(step.allowed)
    if not plain or len(step.allowed) > _MOST:
        return []
    places = {name: index for index, name in enumerate(step.allowed)}
    here = ("steps", step.id, "structuredGate", "allowedIntents")
    return [(*here, places[intent]) for intent in intents if intent in places]
