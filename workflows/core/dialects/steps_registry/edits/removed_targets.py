"""Removing all transitions to a step, with one rewrite of each file."""

from __future__ import annotations

from itertools import groupby

from workflows.core.dialects.steps_registry.edits.intents import (
    MOST_INTENTS,
    forbid,
    own_enum_places,
)
from workflows.core.dialects.steps_registry.format.steps import Step, StepTransition
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.text.json.document import Pointer


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
    return _forbidden(source, unused)


def _forbidden(source: RegistrySource, unused: list[tuple[str, str]]) -> RegistrySource:
    """The pack after `forbid` for each intent. Removals from lists of one step are collected, and
    written before an intent that needs more than that."""
    removals: dict[str, list[Pointer]] = {}
    for start, intent in unused:
        found = own_enum_places(source, start, intent)
        if found is None:
            source = forbid(_without(source, removals), start, intent)
            removals = {}
        elif found[1]:
            removals.setdefault(found[0], []).extend(found[1])
    return _without(source, removals)


def _without(source: RegistrySource, removals: dict[str, list[Pointer]]) -> RegistrySource:
    for path, places in removals.items():
        text = source.json(path)
        source = source if text is None else source.put(path, text.delete_all(places))
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
    if not plain or len(step.allowed) > MOST_INTENTS:
        return []
    places = {name: index for index, name in enumerate(step.allowed)}
    here = ("steps", step.id, "structuredGate", "allowedIntents")
    return [(*here, places[intent]) for intent in intents if intent in places]
