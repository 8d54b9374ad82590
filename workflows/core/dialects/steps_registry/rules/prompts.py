"""SR4xx, second part: prompt files, their front matter, path config."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from workflows.core.dialects.steps_registry.edits.states import prompt_template
from workflows.core.dialects.steps_registry.format.prompt_paths import (
    continuation_of,
    existing_prompt,
    is_agent_folder,
    prompt_path,
    prompt_paths,
    prompt_text,
    split_front_matter,
)
from workflows.core.dialects.steps_registry.format.steps import Step, strings, text_of
from workflows.core.dialects.steps_registry.format.vocabulary import CLIMPT, FALLBACK_KEYS
from workflows.core.dialects.steps_registry.rules.kit import at, registry_rule, step_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import WriteFile
from workflows.core.pack.findings import Fix
from workflows.core.rules.kit import Note, Notes


def _prompted(steps: Iterable[Step]) -> Iterator[Step]:
    """Steps with the address of a prompt."""
    return (step for step in steps if step.c2 and step.c3)


@registry_rule("SR401", "error", "Missing prompt file")
def prompt_missing(source: RegistrySource) -> Notes:
    """Every step has a prompt file `<root>/<c2>/<c3>/f_<edition>[_<adaptation>].md`; the path
    config sets the root. Without the file, Climpt ends the run with PR-C3L-004. A closure step uses
    the verdict's own prompt instead. Steps with a `runner` need no prompt."""
    if not is_agent_folder(source):
        return
    for step in _prompted(source.steps.values()):
        if existing_prompt(source, step) is None and "runner" not in step.value:
            path = prompt_path(source, step)
            edit = WriteFile(path=path, text=prompt_template(source, step))
            yield Note(
                message=f"The prompt file {path.rpartition('/')[2]} of {step.id!r} is missing "
                "(PR-C3L-004).",
                pointer=at(step),
                element=step.element,
                hint=f"Expected path: {path}.{_instead(source, step)}",
                fix=Fix(label="Create the prompt", edits=(edit,)),
            )


def copied_prompt(source: RegistrySource, path: str, to: str) -> Fix | None:
    """The fix that creates a missing variant of a prompt as a copy of the plain prompt."""
    try:
        text = source.files[path].decode()
    except UnicodeDecodeError:
        return None
    return Fix(label="Copy the plain prompt", edits=(WriteFile(path=to, text=text),))


def _instead(source: RegistrySource, step: Step) -> str:
    """A sentence for the hint: the prompt that Climpt uses if a closure step's own is missing."""
    if step.kind != "closure":
        return ""
    other = continuation_of(source)
    if other in source.steps:
        return f" {CLIMPT} uses the prompt of {other} instead."
    return f" {CLIMPT} requires the step {other} instead and fails (PR-RESOLVE-001)."


@step_rule("SR425", "hint", "Process step without a prompt")
def process_prompt(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A closure step with a `runner` calls no model and needs no prompt. Climpt's `--validate`
    still requires the file (PR-C3L-004)."""
    if not is_agent_folder(source):
        return
    for step in _prompted(steps):
        if "runner" in step.value and existing_prompt(source, step) is None:
            yield Note(
                message=f"The process step {step.id!r} has no prompt, which --validate requires.",
                pointer=at(step),
                element=step.element,
                hint=f"Expected path: {prompt_path(source, step)}.",
            )


@step_rule("SR421", "warning", "Unknown fallbackKey")
def fallback_key(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Up to 1.13.22, `fallbackKey` names a built-in prompt, written with underscores:
    `initial_issue`, `issue_closure_default`. If the prompt file is missing, an unknown key ends the
    run (PR-FALLBACK-002)."""
    for step in steps if source.generation == "S" else ():
        key = step.value.get("fallbackKey")
        if key not in FALLBACK_KEYS:
            yield Note(
                message=f"fallbackKey {key!r} of {step.id!r} is not a built-in prompt "
                "(PR-FALLBACK-002)."
                if key
                else f"Step {step.id!r} has no fallbackKey (PR-FALLBACK-002).",
                pointer=at(step, *(("fallbackKey",) if key else ())),
                element=step.element,
                hint="Keys are written with underscores, as in initial_issue.",
            )


@step_rule("SR402", "warning", "Missing prompt for an adaptation")
def adaptation_missing(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """If the prompt file for the adaptation is missing, the run uses the prompt without it.
    Climpt's `--validate` still reports it."""
    for step in _prompted(steps):
        path = existing_prompt(source, step) if step.adaptation else None
        if path is not None and path != prompt_path(source, step):
            yield Note(
                message=f"Step {step.id!r} has no prompt for the adaptation {step.adaptation!r}.",
                pointer=at(step, "adaptation"),
                element=step.element,
                hint=f"Expected path: {prompt_path(source, step)}.",
                fix=copied_prompt(source, path, prompt_path(source, step)),
            )


@step_rule("SR415", "warning", "Front matter differs from the registry")
def front_matter(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`uvVariables` in a prompt's front matter repeats the registry; runs only read the registry.
    Climpt's `--validate` reads the list only if it is on one line."""
    for step in steps:
        path = existing_prompt(source, step)
        if path is None or not source.data[path].startswith(b"---"):
            continue
        fences = split_front_matter(prompt_text(source, path))[0]
        head = _parsed(fences) if "uvVariables" in fences else {}
        listed = head.get("uvVariables")
        if not isinstance(listed, list):
            continue
        declared = {name.removeprefix("uv-") for name in step.variables}
        for names, text in (
            (set(strings(listed)) - declared, "lists {}, which the registry does not declare"),
            (declared - set(strings(listed)), "does not list {}, which the registry declares"),
        ):
            if names:
                problem = text.format(", ".join(sorted(names)))
                yield Note(
                    message=f"The prompt of {step.id!r} {problem}.",
                    path=path,
                    element=step.element,
                )


def _parsed(head: str) -> dict[str, Any]:
    try:
        value = YAML(typ="safe", pure=True).load(head.strip().strip("-")) if head else None
    except (YAMLError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


@registry_rule("SR416", "warning", "Missing path config")
def path_config(source: RegistrySource) -> Notes:
    """`.agent/climpt/config/<agent>-<c1>-app.yml` sets the folder of the prompts. `…-user.yml` sets
    a pattern each for the permitted c2 and c3. Climpt needs both files."""
    if not source.in_tree:
        return
    paths = prompt_paths(source)
    for path, text in (
        (paths.app, _app_yml(source)),
        (paths.user, USER_YML),
    ):
        if path not in source.files:
            yield Note(
                message=f"The path config {path.rpartition('/')[2]} is missing.",
                pointer=("c1",),
                hint=f"Expected path: {path}.",
                fix=Fix(label="Create the file", edits=(WriteFile(path=path, text=text),)),
            )
    missing = [
        key
        for key, pattern in (("directiveType", paths.c2_pattern), ("layerType", paths.c3_pattern))
        if not pattern
    ]
    if missing and paths.user in source.files:
        yield Note(
            message=f"{paths.user.rpartition('/')[2]} has no pattern for {' and '.join(missing)}.",
            path=paths.user,
            element=f"file:{paths.user}",
            hint="Set params.two.directiveType.pattern (c2) and …layerType.pattern (c3).",
        )


USER_YML = (
    'params:\n  two:\n    directiveType:\n      pattern: "^[a-z]+$"\n'
    '    layerType:\n      pattern: "^[a-z-]+$"\n'
)


def _app_yml(source: RegistrySource) -> str:
    root = prompt_paths(source).root.removeprefix(f"{source.folder}/")
    folder = source.folder.removeprefix(f"{source.repository}/")
    return f'working_dir: "{folder}"\napp_prompt:\n  base_dir: "{root}"\n'


def _is_folder(source: RegistrySource, path: str) -> bool:
    prefix = f"{path.rstrip('/')}/"
    return any(file.startswith(prefix) for file in source.data)


@registry_rule("SR427", "warning", "Missing path in agent.json")
def agent_paths(source: RegistrySource) -> Notes:
    """`runner.flow.prompts.registry` names a file in the agent's folder.
    `runner.flow.prompts.fallbackDir`, a key of older releases, names a folder that no release reads
    any more. Both paths must exist."""
    where = ("runner", "flow", "prompts")
    given = source.agent_value(*where, "registry")
    if isinstance(given, str) and given and source.beside(given) not in source.files:
        yield Note(
            message=f"agent.json names the missing registry {given!r}.",
            path=source.agent_path,
            pointer=(*where, "registry"),
            element="agent:",
            hint=f"Expected path: {source.beside(given)}.",
        )
    folder = source.agent_value(*where, "fallbackDir")
    if isinstance(folder, str) and not _is_folder(source, source.beside(folder)):
        yield Note(
            message=f"agent.json names the missing folder {folder!r} in prompts.fallbackDir.",
            path=source.agent_path,
            pointer=(*where, "fallbackDir"),
            element="agent:",
            hint="Remove the key. Only older releases read it.",
        )


@registry_rule("SR419", "warning", "Missing system prompt")
def system_prompt(source: RegistrySource) -> Notes:
    """The file at `runner.flow.systemPromptPath` (default `prompts/system.md`) must exist
    (PR-SYSTEM-001)."""
    given = source.agent_value("runner", "flow", "systemPromptPath")
    path = source.beside(text_of(given) or "prompts/system.md")
    if source.agent and path not in source.files:
        yield Note(
            message=f"The system prompt {path.rpartition('/')[2]} is missing (PR-SYSTEM-001).",
            path=source.agent_path,
            element="agent:",
            hint=f"Expected path: {path}.",
            fix=Fix(
                label="Create the file",
                edits=(WriteFile(path=path, text=f"You are {source.agent_id}.\n"),),
            ),
        )
