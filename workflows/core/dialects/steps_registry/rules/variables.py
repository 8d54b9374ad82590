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
from workflows.core.dialects.steps_registry.format.steps import Step, input_variables
from workflows.core.dialects.steps_registry.format.vocabulary import RUNTIME_VARIABLES
from workflows.core.dialects.steps_registry.rules.kit import (
    CLIMPT_ONLY,
    at,
    registry_rule,
    step_profile_rule,
    step_rule,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import SetField
from workflows.core.pack.findings import EVERY, Place
from workflows.core.pack.naming import did_you_mean
from workflows.core.pack.source_cache import once_per_source
from workflows.core.rules.kit import Note, Notes, make_fix
from workflows.core.text.tolerant import as_object, as_str


def _parameters(source: RegistrySource) -> dict[str, Any]:
    return as_object(source.agent_value("parameters"))


@step_rule("SR406", "error", "Variable without a source", profiles=EVERY)
def variable_source(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A declared variable gets its value from a parameter of agent.json, from the runtime, or from
    `inputs`. The verdict type `poll:state` also sets `repository`. A variable without a source ends
    the run with PR-RESOLVE-003."""
    if not source.agent:
        return
    parameters = _parameters(source)
    for step in steps:
        for index, name in enumerate(step.variables):
            plain = name.removeprefix("uv-")
            if plain != name:
                names = [one.removeprefix("uv-") for one in step.variables]
                edit = SetField(element=step.element, field="/uvVariables", value=[*names])
                yield Note(
                    message=f"{name!r} of {step.id!r} is not the name of a parameter.",
                    pointer=at(step, "uvVariables", index),
                    hint=f"Write {plain!r}. Only prompts have the prefix: {{uv-{plain}}}.",
                    fix=make_fix("Remove the prefix", edit),
                )
                continue
            if plain in parameters or plain in RUNTIME_VARIABLES:
                continue
            if plain == "repository" and source.verdict == "poll:state":
                continue
            if plain not in input_variables(step) and plain not in step.inputs:
                yield Note(
                    message=f"Variable {plain!r} of {step.id!r} has no source (PR-RESOLVE-003).",
                    pointer=at(step, "uvVariables", index),
                    hint=did_you_mean(
                        plain,
                        (*parameters, *RUNTIME_VARIABLES),
                        "Declare it as a parameter in agent.json, or remove it.",
                    ),
                    fix=make_fix(f"Remove {plain}", _variables(step, without=name)),
                )


def _variables(step: Step, *, without: str = "", add: str = "") -> SetField:
    names = [name for name in step.variables if name != without]
    return SetField(
        element=step.element,
        field="/uvVariables",
        value=[*names, add] if add else list(names),
    )


@step_rule("SR407", "error", "Variable not available in the first iteration", profiles=CLIMPT_ONLY)
def first_iteration(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """In Climpt, `completed_iterations` and `previous_summary` have values from the second
    iteration on. An `initial.*` step that declares one of them fails with PR-RESOLVE-003. In the
    document, the runner guarantees a value for every runtime variable."""
    for step in steps:
        for name in step.variables if step.id.startswith("initial.") else ():
            if name.removeprefix("uv-") in ("completed_iterations", "previous_summary"):
                yield Note(
                    message=f"Step {step.id!r} declares {name!r}, which has no value in the first "
                    "iteration (PR-RESOLVE-003).",
                    pointer=at(step, "uvVariables"),
                    fix=make_fix(f"Remove {name}", _variables(step, without=name)),
                )


def _used(source: RegistrySource, step: Step) -> frozenset[str] | None:
    """The placeholder names in a step's prompt; None without a prompt."""
    path = existing_prompt(source, step)
    return None if path is None else _used_in(source, path)


@once_per_source
def _used_in(source: RegistrySource, path: str) -> frozenset[str]:
    marked = b"{uv-" in source.data[path]
    body = split_front_matter(prompt_text(source, path))[1] if marked else ""
    return frozenset(PLACEHOLDER.findall(body))


def _used_place(source: RegistrySource, step: Step, name: str) -> Place:
    """The line of a step's prompt with this placeholder."""
    path = existing_prompt(source, step) or ""
    text = prompt_text(source, path)
    line = text.count("\n", 0, max(0, text.find(f"{{uv-{name}}}"))) + 1
    return Place(path=path, line=line, element=step.element)


@step_rule("SR408", "error", "Undeclared variable in a prompt", profiles=EVERY)
def used_declared(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A `{uv-name}` in a prompt must be listed in the step's `uvVariables`, except runtime
    variables."""
    for step in steps:
        used = _used(source, step)
        if not used:
            continue
        names = {name.removeprefix("uv-") for name in step.variables}
        names |= set(RUNTIME_VARIABLES) | input_variables(step)
        for name in sorted(used - names):
            yield Note(
                message=f"The prompt of {step.id!r} uses {{uv-{name}}}, which is not declared.",
                pointer=at(step, "uvVariables"),
                place=_used_place(source, step, name),
                hint=did_you_mean(
                    name, sorted(names), "Without a value the run ends with PR-RESOLVE-005."
                ),
                fix=make_fix(f"Declare {name}", _variables(step, add=name)),
            )


@step_rule("SR409", "hint", "Unused variable", profiles=EVERY)
def declared_used(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A declared variable needs a value in every run, even if the prompt does not use it."""
    for step in steps:
        used = _used(source, step) if step.variables else None
        for name in step.variables if used is not None else ():
            if name.removeprefix("uv-") not in (used or ()):
                yield Note(
                    message=f"Step {step.id!r} declares {name!r}, but its prompt does not use it.",
                    pointer=at(step, "uvVariables"),
                    fix=make_fix(f"Remove {name}", _variables(step, without=name)),
                )


@step_rule("SR410", "warning", "Variable from an optional parameter", profiles=EVERY)
def optional_parameter(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A variable from an optional parameter without a default is empty unless the caller sets it.
    An empty variable ends the run with PR-RESOLVE-003."""
    parameters = _parameters(source)
    for step in steps:
        for name in step.variables:
            parameter = parameters.get(name.removeprefix("uv-"))
            if (
                isinstance(parameter, dict)
                and not parameter.get("required")
                and "default" not in parameter
            ):
                yield Note(
                    message=f"Variable {name!r} of {step.id!r} is an optional parameter without a "
                    "default.",
                    pointer=at(step, "uvVariables"),
                    hint="Make the parameter required, or give it a default.",
                )


@step_profile_rule(
    "SR411", "warning", "Initial and continuation differ in variables", profiles=EVERY
)
def twins_differ(source: RegistrySource, steps: Iterable[Step], profile: str) -> Notes:
    """`initial.X` and `continuation.X` should declare the same variables, because `continuation.X`
    can follow by name alone. Variables of the runtime, and those of its `inputs`, may be declared
    by the continuation alone."""
    for step in steps:
        twin = source.steps.get(f"continuation.{step.id.removeprefix('initial.')}")
        if not step.id.startswith("initial.") or twin is None:
            continue
        first, later = (
            {name.removeprefix("uv-") for name in item.variables} for item in (step, twin)
        )
        more = {"completed_iterations", "previous_summary"}
        if profile != "climpt":
            more = _of_a_continuation(twin) - first
        if first != later - more:
            yield Note(
                message=f"{step.id!r} and {twin.id!r} declare different variables.",
                pointer=at(twin, "uvVariables"),
                element=twin.element,
                owner=step.element,
            )


def _of_a_continuation(step: Step) -> set[str]:
    """The variables that only a continuation can have: of the runtime, and of its inputs."""
    origins = (as_str(item.get("from")).rpartition(".") for item in step.inputs.values())
    named = {f"{origin.replace('.', '_')}_{key}" for origin, _, key in origins}
    return {*RUNTIME_VARIABLES, *step.inputs, *named}


@step_rule("SR412", "hint", "Initial step without a continuation", profiles=EVERY)
def twin_missing(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`next` without a rule leads from `initial.X` to `continuation.X`. If that step is missing,
    every intent needs a rule."""
    for step in steps:
        head, _, rest = step.id.partition(".")
        if head == "initial" and rest and f"continuation.{rest}" not in source.steps:
            yield Note(
                message=f"The initial step {step.id!r} has no matching 'continuation.{rest}'.",
                pointer=at(step),
            )


@step_rule("SR413", "error", "Step needs standard input", profiles=CLIMPT_ONLY)
def stdin(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """In Climpt, `usesStdin: true` always fails, because no run passes input text (PR-RESOLVE-004).
    Under `documented`, the input text is empty."""
    for step in steps:
        if step.value.get("usesStdin") is True:
            yield Note(
                message=f"Step {step.id!r} needs input text, which no run passes (PR-RESOLVE-004).",
                pointer=at(step, "usesStdin"),
                fix=make_fix(
                    "Set usesStdin to false",
                    SetField(element=step.element, field="/usesStdin", value=False),
                ),
            )


TEXT = (str, "a string")
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


@step_rule("SR417", "error", "Step key of the wrong type", profiles=EVERY)
def key_types(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`uvVariables` is a list, `usesStdin` is true or false, names are strings, and gate, rules and
    inputs are objects. Climpt's loader replaces a wrong `uvVariables` or `usesStdin` by an empty
    value; its `--validate` refuses all of them (SR-VALID-004, or the JSON schema)."""
    for step in steps:
        places = ((step.value, STEP_TYPES, ()), (step.gate or {}, GATE_TYPES, ("structuredGate",)))
        for holder, wanted, under in places:
            for key, (kind, article) in wanted.items():
                if key in holder and not isinstance(holder[key], kind):
                    yield Note(
                        message=f"{key} of {step.id!r} is not {article} (SR-VALID-004).",
                        pointer=at(step, *under, key),
                    )


@registry_rule("SR418", "warning", "Input without a source", profiles=EVERY)
def input_sources(source: RegistrySource) -> Notes:
    """An input takes a value from an earlier step's output. That step must exist. If it hands
    values over, the key must be the last part of one of its `handoffFields`, because the values
    handed over replace the rest of its output."""
    for step in source.steps.values():
        for name, item in step.inputs.items():
            if "from" not in item or item.get("required") is False:
                continue
            origin, dot, key = as_str(item["from"]).rpartition(".")
            problem = _problem(source, origin, key) if dot and origin else "is not 'stepId.key'"
            if problem:
                yield Note(
                    message=f"Input {name!r} of {step.id!r} comes from {item['from']!r}, which "
                    f"{problem}.",
                    pointer=at(step, "inputs", name, "from"),
                    hint=_nearest_source(source, origin, key),
                )


def _nearest_source(source: RegistrySource, origin: str, key: str) -> str:
    step = source.steps.get(origin)
    if step is None:
        return did_you_mean(origin, source.steps)
    return did_you_mean(key, [field.rpartition(".")[2] for field in step.handoff_fields])


def _problem(source: RegistrySource, origin: str, key: str) -> str:
    step = source.steps.get(origin)
    if step is None:
        return "is not a step"
    if step.gate is None:
        return "has no gate and hands nothing over"
    if not step.handoff_fields:
        return "has no handoffFields"
    names = {field.rpartition(".")[2] for field in step.handoff_fields}
    return "" if key in names else "does not list it in handoffFields"


@step_rule("SR420", "warning", "Variable name that is never replaced", profiles=EVERY)
def literal_placeholders(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`{uv-name}` accepts letters, digits and underscores. A placeholder with a hyphen is sent to
    the model unchanged."""
    for step in steps:
        for name in step.variables:
            if not re.fullmatch(r"\w+", name.removeprefix("uv-")):
                yield Note(
                    message=f"Variable {name!r} of {step.id!r} is never replaced: its name has an "
                    "unsupported character.",
                    pointer=at(step, "uvVariables"),
                    hint="Use letters, digits and underscores.",
                )
