"""SR4xx: prompt files, variables, inputs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from workflows.core.dialects.steps_registry.c3l import (
    PLACEHOLDER,
    existing_prompt,
    has_prompts,
    prompt_path,
    prompt_paths,
    prompt_text,
    split_front_matter,
)
from workflows.core.dialects.steps_registry.edits.states import prompt_template
from workflows.core.dialects.steps_registry.rules.notes import Note, Notes, at, check
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.dialects.steps_registry.steps import Step, strings, text_of
from workflows.core.dialects.steps_registry.words import RUNTIME_VARIABLES
from workflows.core.edits import SetField, WriteFile
from workflows.core.findings import Fix

C3 = re.compile(r"[a-z]+(-[a-z]+)*")


def _complete(source: RegistrySource) -> bool:
    """Whether this is an agent's folder, so that a missing file is missing indeed."""
    return source.in_tree or has_prompts(source) or source.agent_path in source.files


def _prompted(source: RegistrySource) -> Iterator[Step]:
    """Steps that need a prompt: not those that run a process instead."""
    return (step for step in source.steps.values() if step.c2 and step.c3)


@check("SR401", "error", "Prompt files are there")
def prompt_missing(source: RegistrySource) -> Notes:
    """Every step has a prompt file `<root>/<c2>/<c3>/f_<edition>[_<adaptation>].md`, where the
    root comes from the agent's path config. Without it Climpt ends the run with PR-C3L-004; for a
    closure step it falls back to the verdict's own prompt. Steps with a `runner` need none."""
    if not _complete(source):
        return
    for step in _prompted(source):
        if existing_prompt(source, step) is None and "runner" not in step.value:
            path = prompt_path(source, step)
            edit = WriteFile(path=path, text=prompt_template(source, step))
            yield Note(
                message=f"The prompt of {step.id!r} is not there: {path.rpartition('/')[2]} "
                "(PR-C3L-004).",
                pointer=at(step),
                element=step.element,
                hint=f"It is looked for at {path}.",
                fix=Fix(label="Write a first prompt", edits=(edit,)),
            )


@check("SR402", "warning", "The adaptation's own prompt")
def adaptation_missing(source: RegistrySource) -> Notes:
    """Where the file with the adaptation is missing, the run takes the one without it; `--validate`
    reports it all the same."""
    for step in _prompted(source):
        path = existing_prompt(source, step)
        if step.adaptation and path is not None and path != prompt_path(source, step):
            yield Note(
                message=f"{step.id!r} has no prompt for adaptation {step.adaptation!r}; the plain "
                "one is used.",
                pointer=at(step, "adaptation"),
                element=step.element,
            )


@check("SR403", "error", "Address of the prompt")
def address(source: RegistrySource) -> Notes:
    """A step needs `c2` and `c3`: they are the two folders of its prompt."""
    for step in source.steps.values():
        missing = [key for key, given in (("c2", step.c2), ("c3", step.c3)) if not given]
        if missing and "promptPath" not in step.value:
            yield Note(
                message=f"{step.id!r} has no {' and no '.join(missing)}.",
                pointer=at(step),
                element=step.element,
            )


@check("SR404", "error", "Form of c3")
def c3_form(source: RegistrySource) -> Notes:
    """`c3` is lower-case words with hyphens. Capitals and digits are refused by `--validate`
    (SR-VALID-004) and by the prompt library."""
    for step in source.steps.values():
        if step.c3 and not C3.fullmatch(step.c3):
            plain = "-".join(re.findall(r"[a-z]+", re.sub(r"([A-Z])", r"-\1", step.c3).lower()))
            yield Note(
                message=f"c3 {step.c3!r} of {step.id!r} is not lower-case words with hyphens "
                "(SR-VALID-004).",
                pointer=at(step, "c3"),
                element=step.element,
                hint=f"{plain!r} would do; its prompt folder has the same name." if plain else "",
            )


@check("SR405", "error", "Permitted by the path config")
def permitted(source: RegistrySource) -> Notes:
    """user.yml lists which c2 and c3 may be used; others cannot be resolved (PR-C3L-002). Only
    patterns that are plain alternatives are checked here."""
    paths = prompt_paths(source)
    patterns = (("c2", _words(paths.c2_pattern)), ("c3", _words(paths.c3_pattern)))
    for key, words in patterns:
        for step in source.steps.values() if words else ():
            given = step.c2 if key == "c2" else step.c3
            if given and given not in words:
                yield Note(
                    message=f"{key} {given!r} of {step.id!r} is not permitted by "
                    f"{paths.user.rpartition('/')[2]} (PR-C3L-002).",
                    pointer=at(step, key),
                    element=step.element,
                    hint=f"Permitted are {', '.join(words)}.",
                )


def _words(pattern: str) -> tuple[str, ...]:
    inner = re.fullmatch(r"\^?\((?:\?:)?([\w|-]+)\)\$?", pattern)
    return tuple(inner[1].split("|")) if inner else ()


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


@check("SR406", "error", "Every variable has a source")
def variable_source(source: RegistrySource) -> Notes:
    """A declared variable is filled from a parameter of agent.json, from the runtime, or from
    `inputs`. One without a source ends the run with PR-RESOLVE-003."""
    if not source.agent:
        return
    parameters = _parameters(source)
    for step in source.steps.values():
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


@check("SR407", "error", "Variables of the first iteration")
def first_iteration(source: RegistrySource) -> Notes:
    """`completed_iterations` and `previous_summary` exist from the second iteration on; an
    `initial.*` step that declares one fails with PR-RESOLVE-003."""
    for step in source.steps.values():
        for name in step.variables if step.id.startswith("initial.") else ():
            if name.removeprefix("uv-") in ("completed_iterations", "previous_summary"):
                yield Note(
                    message=f"{step.id!r} declares {name!r}, which exists from the second "
                    "iteration on (PR-RESOLVE-003).",
                    pointer=at(step, "uvVariables"),
                    element=step.element,
                    fix=Fix(label=f"Take {name} out", edits=(_variables(step, without=name),)),
                )


def _used(source: RegistrySource, step: Step) -> set[str] | None:
    path = existing_prompt(source, step)
    if path is None:
        return None
    data = source.files[path]
    held = source.memo.get(("used", path))
    if held is None or held[0] is not data:
        body = split_front_matter(prompt_text(source, path))[1]
        held = (data, frozenset(PLACEHOLDER.findall(body)))
        source.memo[("used", path)] = held
    return set(held[1])


@check("SR408", "error", "Used variables are declared")
def used_declared(source: RegistrySource) -> Notes:
    """`{uv-name}` in a prompt belongs in the step's `uvVariables`; runtime variables need not."""
    for step in source.steps.values():
        known = {name.removeprefix("uv-") for name in step.variables}
        known |= set(RUNTIME_VARIABLES) | _input_variables(step)
        for name in sorted((_used(source, step) or set()) - known):
            yield Note(
                message=f"The prompt of {step.id!r} uses {{uv-{name}}}, which is not declared.",
                pointer=at(step, "uvVariables"),
                element=step.element,
                hint="Without a value the run ends with PR-RESOLVE-005.",
                fix=Fix(label=f"Declare {name}", edits=(_variables(step, add=name),)),
            )


@check("SR409", "hint", "Declared variables are used")
def declared_used(source: RegistrySource) -> Notes:
    """A declared variable that the prompt does not use must still have a value in every run."""
    for step in source.steps.values():
        used = _used(source, step)
        for name in step.variables if used is not None else ():
            if name.removeprefix("uv-") not in (used or ()):
                yield Note(
                    message=f"{step.id!r} declares {name!r}, but its prompt does not use it.",
                    pointer=at(step, "uvVariables"),
                    element=step.element,
                    fix=Fix(label=f"Take {name} out", edits=(_variables(step, without=name),)),
                )


@check("SR410", "warning", "Parameters that may be missing")
def optional_parameter(source: RegistrySource) -> Notes:
    """A variable from an optional parameter without default is empty unless given, and an empty
    variable ends the run with PR-RESOLVE-003."""
    parameters = _parameters(source)
    for step in source.steps.values():
        for name in step.variables:
            given = parameters.get(name.removeprefix("uv-"))
            if isinstance(given, dict) and not given.get("required") and "default" not in given:
                yield Note(
                    message=f"Variable {name!r} of {step.id!r} is an optional parameter without "
                    "default.",
                    pointer=at(step, "uvVariables"),
                    element=step.element,
                )


@check("SR411", "warning", "Twins declare the same")
def twins_differ(source: RegistrySource) -> Notes:
    """`initial.X` and `continuation.X` should declare the same variables, because one may follow
    the other by name alone."""
    for step in source.steps.values():
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
            )


@check("SR412", "hint", "Twins by name")
def twin_missing(source: RegistrySource) -> Notes:
    """`next` without a rule leads from `initial.X` to `continuation.X`. Where that step is missing
    every intent needs its rule."""
    for step in source.steps.values():
        head, _, rest = step.id.partition(".")
        if head == "initial" and rest and f"continuation.{rest}" not in source.steps:
            yield Note(
                message=f"There is {step.id!r}, but no 'continuation.{rest}'.",
                pointer=at(step),
                element=step.element,
            )


@check("SR413", "error", "No input text")
def stdin(source: RegistrySource) -> Notes:
    """`usesStdin: true` always fails: no run passes input text (PR-RESOLVE-004)."""
    for step in source.steps.values():
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


@check("SR414", "hint", "Id and address agree")
def id_address(source: RegistrySource) -> Notes:
    """By convention the id's first part is `c2` and its second `c3`."""
    for step in source.steps.values():
        parts = step.id.split(".")
        for key, given, part in zip(("c2", "c3"), (step.c2, step.c3), parts[:2], strict=False):
            if len(parts) > 1 and given and given != part:
                yield Note(
                    message=f"{key} of {step.id!r} is {given!r}, its id says {part!r}.",
                    pointer=at(step, key),
                    element=step.element,
                )


@check("SR415", "warning", "Front matter agrees")
def front_matter(source: RegistrySource) -> Notes:
    """`uvVariables` and `stepId` in a prompt's front matter repeat what the registry says; runs
    read the registry."""
    for step in source.steps.values():
        path = existing_prompt(source, step)
        head = _front_matter(source, path) if path is not None else {}
        listed = head.get("uvVariables")
        extra = set(strings(listed)) - {name.removeprefix("uv-") for name in step.variables}
        if isinstance(listed, list) and extra:
            yield Note(
                message=f"The prompt of {step.id!r} lists {', '.join(sorted(extra))}, which the "
                "registry does not declare.",
                path=path or "",
                element=step.element,
            )


def _front_matter(source: RegistrySource, path: str) -> dict[str, Any]:
    data = source.files[path]
    held = source.memo.get(("front", path))
    if held is None or held[0] is not data:
        held = (data, _parsed(split_front_matter(prompt_text(source, path))[0]))
        source.memo[("front", path)] = held
    found: dict[str, Any] = held[1]
    return found


def _parsed(head: str) -> dict[str, Any]:
    try:
        value = YAML(typ="safe", pure=True).load(head.strip().strip("-")) if head else None
    except (YAMLError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


@check("SR416", "warning", "Path config is there")
def path_config(source: RegistrySource) -> Notes:
    """`.agent/climpt/config/<agent>-<c1>-app.yml` says where the prompts are, `…-user.yml` which
    c2 and c3 are permitted. Climpt needs both."""
    if not source.in_tree:
        return
    paths = prompt_paths(source)
    for path, text in (
        (paths.app, _app_yml(source)),
        (paths.user, USER_YML),
    ):
        if path not in source.files:
            yield Note(
                message=f"The path config {path.rpartition('/')[2]} is not there.",
                pointer=("c1",),
                hint=f"It belongs at {path}.",
                fix=Fix(label="Write it", edits=(WriteFile(path=path, text=text),)),
            )


USER_YML = (
    'params:\n  two:\n    directiveType:\n      pattern: "^[a-z]+$"\n'
    '    layerType:\n      pattern: "^[a-z-]+$"\n'
)


def _app_yml(source: RegistrySource) -> str:
    root = prompt_paths(source).root.removeprefix(f"{source.folder}/")
    folder = source.folder.removeprefix(f"{source.repository}/")
    return f'working_dir: "{folder}"\napp_prompt:\n  base_dir: "{root}"\n'


@check("SR417", "error", "Types of step keys")
def key_types(source: RegistrySource) -> Notes:
    """`uvVariables` is a list, `usesStdin` true or false, `stepId` and `name` text. The loader
    replaces the first two by empty ones; `--validate` refuses them."""
    wanted: tuple[tuple[str, type, str], ...] = (
        ("uvVariables", list, "a list"),
        ("usesStdin", bool, "true or false"),
        ("stepId", str, "text"),
        ("name", str, "text"),
    )
    for step in source.steps.values():
        for key, kind, said in wanted:
            if key in step.value and not isinstance(step.value[key], kind):
                yield Note(
                    message=f"{key} of {step.id!r} is not {said}.",
                    pointer=at(step, key),
                    element=step.element,
                )


@check("SR418", "warning", "Inputs find their source")
def inputs_found(source: RegistrySource) -> Notes:
    """An input takes a value from an earlier step's output. That step must exist, and if it hands
    values over, the key must be the last part of one of its `handoffFields`: handing over replaces
    the rest of its output."""
    for step in source.steps.values():
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


@check("SR419", "warning", "The system prompt is there")
def system_prompt(source: RegistrySource) -> Notes:
    """`runner.flow.systemPromptPath` (default `prompts/system.md`) must exist (PR-SYSTEM-001)."""
    given = source.agent_value("runner", "flow", "systemPromptPath")
    path = source.beside(text_of(given) or "prompts/system.md")
    if source.agent and path not in source.files:
        yield Note(
            message=f"The system prompt {path.rpartition('/')[2]} is not there (PR-SYSTEM-001).",
            path=source.agent_path,
            element="agent:",
            hint=f"It is looked for at {path}.",
            fix=Fix(
                label="Write a first one",
                edits=(WriteFile(path=path, text=f"You are {source.agent_id}.\n"),),
            ),
        )


@check("SR420", "warning", "Placeholders that stay")
def literal_placeholders(source: RegistrySource) -> Notes:
    """`{uv-name}` takes letters, digits and underscores. A name with a hyphen is never replaced and
    reaches the model as it stands."""
    for step in source.steps.values():
        for name in step.variables:
            if not re.fullmatch(r"\w+", name.removeprefix("uv-")):
                yield Note(
                    message=f"Variable {name!r} of {step.id!r} has a character that placeholders "
                    "do not take; it is never replaced.",
                    pointer=at(step, "uvVariables"),
                    element=step.element,
                )
