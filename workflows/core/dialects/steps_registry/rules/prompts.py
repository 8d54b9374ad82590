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


@registry_rule("SR401", "error", "Prompt files are there")
def prompt_missing(source: RegistrySource) -> Notes:
    """Every step has a prompt file `<root>/<c2>/<c3>/f_<edition>[_<adaptation>].md`, where the
    root comes from the agent's path config. Without it Climpt ends the run with PR-C3L-004; for a
    closure step it falls back to the verdict's own prompt. Steps with a `runner` need none."""
    if not is_agent_folder(source):
        return
    for step in _prompted(source.steps.values()):
        if existing_prompt(source, step) is None and "runner" not in step.value:
            path = prompt_path(source, step)
            edit = WriteFile(path=path, text=prompt_template(source, step))
            yield Note(
                message=f"The prompt of {step.id!r} is not there: {path.rpartition('/')[2]} "
                "(PR-C3L-004).",
                pointer=at(step),
                element=step.element,
                hint=f"It is looked for at {path}.{_instead(source, step)}",
                fix=Fix(label="Write a first prompt", edits=(edit,)),
            )


def copied_prompt(source: RegistrySource, path: str, to: str) -> Fix | None:
    """The fix that begins a missing variant of a prompt with the text that is sent instead."""
    try:
        text = source.files[path].decode()
    except UnicodeDecodeError:
        return None
    return Fix(label="Begin it with the plain one", edits=(WriteFile(path=to, text=text),))


def _instead(source: RegistrySource, step: Step) -> str:
    """What Climpt asks with where a closure step's prompt is missing."""
    if step.kind != "closure":
        return ""
    other = continuation_of(source)
    if other in source.steps:
        return f" {CLIMPT} asks with the prompt of {other} instead."
    return f" {CLIMPT} looks for the step {other} instead and ends (PR-RESOLVE-001)."


@step_rule("SR425", "hint", "The prompt of a process")
def process_prompt(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A closure step with a `runner` asks no model and needs no prompt; `--validate` wants the file
    all the same (PR-C3L-004)."""
    if not is_agent_folder(source):
        return
    for step in _prompted(steps):
        if "runner" in step.value and existing_prompt(source, step) is None:
            yield Note(
                message=f"{step.id!r} runs a process and has no prompt; --validate wants one.",
                pointer=at(step),
                element=step.element,
                hint=f"It is looked for at {prompt_path(source, step)}.",
            )


@step_rule("SR421", "warning", "Fallback keys are known")
def fallback_key(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Until 1.13.22 `fallbackKey` names a built-in prompt, with underscores: `initial_issue`,
    `issue_closure_default`. An unknown key ends the run where the prompt file is missing
    (PR-FALLBACK-002)."""
    for step in steps if source.generation == "S" else ():
        key = step.value.get("fallbackKey")
        if key not in FALLBACK_KEYS:
            said = f"fallbackKey {key!r} of {step.id!r} names" if key else f"{step.id!r} names"
            yield Note(
                message=f"{said} no built-in prompt (PR-FALLBACK-002).",
                pointer=at(step, *(("fallbackKey",) if key else ())),
                element=step.element,
                hint="Keys are written with underscores, as in initial_issue.",
            )


@step_rule("SR402", "warning", "The adaptation's own prompt")
def adaptation_missing(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Where the file with the adaptation is missing, the run takes the one without it; `--validate`
    reports it all the same."""
    for step in _prompted(steps):
        path = existing_prompt(source, step) if step.adaptation else None
        if path is not None and path != prompt_path(source, step):
            yield Note(
                message=f"{step.id!r} has no prompt for adaptation {step.adaptation!r}; the plain "
                "one is used.",
                pointer=at(step, "adaptation"),
                element=step.element,
                hint=f"It is looked for at {prompt_path(source, step)}.",
                fix=copied_prompt(source, path, prompt_path(source, step)),
            )


@step_rule("SR415", "warning", "Front matter agrees")
def front_matter(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`uvVariables` in a prompt's front matter repeats what the registry says; runs read the
    registry. `--validate` reads such a list only where it stands on one line."""
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
        for names, said in (
            (set(strings(listed)) - declared, "lists {}, which the registry does not declare"),
            (declared - set(strings(listed)), "does not list {}, which the registry declares"),
        ):
            if names:
                told = said.format(", ".join(sorted(names)))
                yield Note(
                    message=f"The prompt of {step.id!r} {told}.", path=path, element=step.element
                )


def _parsed(head: str) -> dict[str, Any]:
    try:
        value = YAML(typ="safe", pure=True).load(head.strip().strip("-")) if head else None
    except (YAMLError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


@registry_rule("SR416", "warning", "Path config is there")
def path_config(source: RegistrySource) -> Notes:
    """`.agent/climpt/config/<agent>-<c1>-app.yml` says where the prompts are, `…-user.yml` which
    c2 and c3 are permitted, by a pattern for each. Climpt needs both."""
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
            hint="They stand at params.two.directiveType.pattern (c2) and …layerType.pattern (c3).",
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


@registry_rule("SR427", "warning", "Paths in agent.json")
def agent_paths(source: RegistrySource) -> Notes:
    """`runner.flow.prompts.registry` names a file of the agent's folder; `fallbackDir` beside it, a
    key of older releases, names a folder that nothing reads. Neither should name what is not
    there."""
    where = ("runner", "flow", "prompts")
    given = source.agent_value(*where, "registry")
    if isinstance(given, str) and given and source.beside(given) not in source.files:
        yield Note(
            message=f"agent.json names the registry {given!r}, which is not there.",
            path=source.agent_path,
            pointer=(*where, "registry"),
            element="agent:",
            hint=f"It is looked for at {source.beside(given)}.",
        )
    folder = source.agent_value(*where, "fallbackDir")
    if isinstance(folder, str) and not _is_folder(source, source.beside(folder)):
        yield Note(
            message=f"agent.json names the folder {folder!r} in prompts.fallbackDir, a key of old: "
            "it is not there, and nothing reads it.",
            path=source.agent_path,
            pointer=(*where, "fallbackDir"),
            element="agent:",
        )


@registry_rule("SR419", "warning", "The system prompt is there")
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
