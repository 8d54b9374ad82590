"""SR4xx, third part: variables and inputs of prompts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from workflows.core.dialects.steps_registry.format.prompt_paths import (
    PLACEHOLDER,
    existing_prompt,
    prompt_text,
    split_front_matter,
)
from workflows.core.dialects.steps_registry.format.steps import Step, text_of
from workflows.core.dialects.steps_registry.format.vocabulary import RUNTIME_VARIABLES
from workflows.core.dialects.steps_registry.rules.kit import at, step_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import SetField
from workflows.core.pack.findings import Fix
from workflows.core.rules.kit import Note, Notes


def _parameters(source: RegistrySource) -> dict[str, Any]:
    given = source.agent_value("parameters")
    return given if isinstance(given, dict) else {}


def _input_variables(step: Step) -> set[str]:
    """Names under which a step's inputs reach its prompt (section 4.6)."""
    names = set()
    for name, item in step.inputs.items():
        origin, dot, key = text_of(item.get("from")).rpartition(".")
        names.add(f"{origin.replace('.', '_')}_{key}" if dot else name)
    return names


@step_rule("SR406", "error", "Every variable has a source")
def variable_source(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A declared variable is filled from a parameter of agent.json, from the runtime, or from
    `inputs`. One without a source ends the run with PR-RESOLVE-003."""
    if not source.agent:
        return
    parameters = _parameters(source)
    for step in steps:
        for index, name in enumerate(step.variables):
            plain = name.removeprefix("uv-")
            if plain in parameters or plain in RUNTIME_VARIABLES:
                continue
            if plain not in _input_variables(step) and plain not in step.inputs:
                yield Note(
                    message=f"Variable {plain!r} of {step.id!r} has no source (PR-RESOLVE-003).",
                    pointer=at(step, "uvVariables", index),
                    element=step.element,
                    hint="Declare it as a parameter in agent.json, or take it out.",
                    fix=Fix(label=f"Take {plain} out", edits=(_variables(step, without=name),)),
                )


def _variables(step: Step, *, without: str = "", add: str = "") -> SetField:
    names = [name for name in step.variables if name != without]
    return SetField(
        element=step.element,
        field="/uvVariables",
        value=[*names, add] if add else list(names),
    )


@step_rule("SR407", "error", "Variables of the first iteration")
def first_iteration(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`completed_iterations` and `previous_summary` exist from the second iteration on; an
    `initial.*` step that declares one fails with PR-RESOLVE-003."""
    for step in steps:
        for name in step.variables if step.id.startswith("initial.") else ():
            if name.removeprefix("uv-") in ("completed_iterations", "previous_summary"):
                yield Note(
                    message=f"{step.id!r} declares {name!r}, which exists from the second "
                    "iteration on (PR-RESOLVE-003).",
                    pointer=at(step, "uvVariables"),
                    element=step.element,
                    fix=Fix(label=f"Take {name} out", edits=(_variables(step, without=name),)),
                )


def _used(source: RegistrySource, step: Step) -> frozenset[str] | None:
    """The names in the placeholders of a step's prompt; remembered with the source."""
    path = existing_prompt(source, step)
    if path is None:
        return None
    known: dict[str, frozenset[str]] = source.kept.setdefault("used", {})
    if path not in known:
        marked = b"{uv-" in source.data[path]
        body = split_front_matter(prompt_text(source, path))[1] if marked else ""
        known[path] = frozenset(PLACEHOLDER.findall(body))
    return known[path]


@step_rule("SR408", "error", "Used variables are declared")
def used_declared(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`{uv-name}` in a prompt belongs in the step's `uvVariables`; runtime variables need not."""
    for step in steps:
        used = _used(source, step)
        if not used:
            continue
        known = {name.removeprefix("uv-") for name in step.variables}
        known |= set(RUNTIME_VARIABLES) | _input_variables(step)
        for name in sorted(used - known):
            yield Note(
                message=f"The prompt of {step.id!r} uses {{uv-{name}}}, which is not declared.",
                pointer=at(step, "uvVariables"),
                element=step.element,
                hint="Without a value the run ends with PR-RESOLVE-005.",
                fix=Fix(label=f"Declare {name}", edits=(_variables(step, add=name),)),
            )


@step_rule("SR409", "hint", "Declared variables are used")
def declared_used(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A declared variable that the prompt does not use must still have a value in every run."""
    for step in steps:
        used = _used(source, step) if step.variables else None
        for name in step.variables if used is not None else ():
            if name.removeprefix("uv-") not in (used or ()):
                yield Note(
                    message=f"{step.id!r} declares {name!r}, but its prompt does not use it.",
                    pointer=at(step, "uvVariables"),
                    element=step.element,
                    fix=Fix(label=f"Take {name} out", edits=(_variables(step, without=name),)),
                )


@step_rule("SR410", "warning", "Parameters that may be missing")
def optional_parameter(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A variable from an optional parameter without default is empty unless given, and an empty
    variable ends the run with PR-RESOLVE-003."""
    parameters = _parameters(source)
    for step in steps:
        for name in step.variables:
            given = parameters.get(name.removeprefix("uv-"))
            if isinstance(given, dict) and not given.get("required") and "default" not in given:
                yield Note(
                    message=f"Variable {name!r} of {step.id!r} is an optional parameter without "
                    "default.",
                    pointer=at(step, "uvVariables"),
                    element=step.element,
                )


@step_rule("SR411", "warning", "Twins declare the same")
def twins_differ(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`initial.X` and `continuation.X` should declare the same variables, because one may follow
    the other by name alone."""
    for step in steps:
        twin = source.steps.get(f"continuation.{step.id.removeprefix('initial.')}")
        if not step.id.startswith("initial.") or twin is None:
            continue
        first, later = (
            {name.removeprefix("uv-") for name in item.variables} for item in (step, twin)
        )
        if first != later - {"completed_iterations", "previous_summary"}:
            yield Note(
                message=f"{step.id!r} and {twin.id!r} declare different variables.",
                pointer=at(twin, "uvVariables"),
                element=twin.element,
                owner=step.element,
            )


@step_rule("SR412", "hint", "Twins by name")
def twin_missing(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`next` without a rule leads from `initial.X` to `continuation.X`. Where that step is missing
    every intent needs its rule."""
    for step in steps:
        head, _, rest = step.id.partition(".")
        if head == "initial" and rest and f"continuation.{rest}" not in source.steps:
            yield Note(
                message=f"There is {step.id!r}, but no 'continuation.{rest}'.",
                pointer=at(step),
                element=step.element,
            )


@step_rule("SR413", "error", "No input text")
def stdin(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`usesStdin: true` always fails: no run passes input text (PR-RESOLVE-004)."""
    for step in steps:
        if step.value.get("usesStdin") is True:
            yield Note(
                message=f"{step.id!r} wants input text, which no run passes (PR-RESOLVE-004).",
                pointer=at(step, "usesStdin"),
                element=step.element,
                fix=Fix(
                    label="Set usesStdin to false",
                    edits=(SetField(element=step.element, field="/usesStdin", value=False),),
                ),
            )


TEXT = (str, "text")
STEP_TYPES: dict[str, tuple[type, str]] = {
    "uvVariables": (list, "a list"),
    "usesStdin": (bool, "true or false"),
    "structuredGate": (dict, "an object"),
    "transitions": (dict, "an object"),
    "inputs": (dict, "an object"),
    "runner": (dict, "an object"),
    "address": (dict, "an object"),
    "adaptationChain": (list, "a list"),
    **dict.fromkeys(("stepId", "name", "c2", "c3", "edition", "adaptation", "description"), TEXT),
}
GATE_TYPES: dict[str, tuple[type, str]] = {
    "allowedIntents": (list, "a list"),
    "handoffFields": (list, "a list"),
    "failFast": (bool, "true or false"),
    **dict.fromkeys(("intentField", "targetField", "fallbackIntent"), TEXT),
}


@step_rule("SR417", "error", "Types of step keys")
def key_types(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`uvVariables` is a list, `usesStdin` true or false, names and texts are texts, gate, rules
    and inputs are objects. The loader replaces the first two by empty ones; `--validate` refuses
    all of them (SR-VALID-004, or the JSON schema)."""
    for step in steps:
        places = ((step.value, STEP_TYPES, ()), (step.gate or {}, GATE_TYPES, ("structuredGate",)))
        for holder, wanted, under in places:
            for key, (kind, said) in wanted.items():
                if key in holder and not isinstance(holder[key], kind):
                    yield Note(
                        message=f"{key} of {step.id!r} is not {said} (SR-VALID-004).",
                        pointer=at(step, *under, key),
                        element=step.element,
                    )


@step_rule("SR418", "warning", "Inputs find their source")
def inputs_found(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """An input takes a value from an earlier step's output. That step must exist, and if it hands
    values over, the key must be the last part of one of its `handoffFields`: handing over replaces
    the rest of its output."""
    for step in steps:
        for name, item in step.inputs.items():
            if "from" not in item or item.get("required") is False:
                continue
            origin, dot, key = text_of(item["from"]).rpartition(".")
            said = _why_not(source, origin, key) if dot and origin else "is not 'stepId.key'"
            if said:
                yield Note(
                    message=f"Input {name!r} of {step.id!r} comes from {item['from']!r}, which "
                    f"{said}.",
                    pointer=at(step, "inputs", name, "from"),
                    element=step.element,
                )


def _why_not(source: RegistrySource, origin: str, key: str) -> str:
    step = source.steps.get(origin)
    if step is None:
        return "names no step"
    if step.gate is None:
        return "has no gate that hands anything over"
    if not step.handoff_fields:
        return "hands nothing over by name"
    names = {field.rpartition(".")[2] for field in step.handoff_fields}
    return "" if key in names else "is not among its handoffFields"


@step_rule("SR420", "warning", "Placeholders that stay")
def literal_placeholders(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`{uv-name}` takes letters, digits and underscores. A name with a hyphen is never replaced and
    reaches the model as it stands."""
    for step in steps:
        for name in step.variables:
            if not re.fullmatch(r"\w+", name.removeprefix("uv-")):
                yield Note(
                    message=f"Variable {name!r} of {step.id!r} has a character that placeholders "
                    "do not take; it is never replaced.",
                    pointer=at(step, "uvVariables"),
                    element=step.element,
                )
