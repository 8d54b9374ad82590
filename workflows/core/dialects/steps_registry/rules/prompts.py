"""SR4xx, second part: prompt files, their front matter, path config."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.steps_registry.edits.states import prompt_template
from workflows.core.dialects.steps_registry.format.prompt_paths import (
    PATTERN_SECONDS,
    continuation_of,
    documented_path,
    documented_prompt,
    existing_prompt,
    is_agent_folder,
    prompt_path,
    prompt_paths,
    prompt_text,
    split_front_matter,
    yaml_mapping,
    yaml_problem,
)
from workflows.core.dialects.steps_registry.format.steps import Step, strings
from workflows.core.dialects.steps_registry.format.vocabulary import CLIMPT, FALLBACK_KEYS
from workflows.core.dialects.steps_registry.rules.kit import (
    CLIMPT_ONLY,
    DOCUMENTED,
    at,
    registry_profile_rule,
    registry_rule,
    step_profile_rule,
    step_rule,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import SetField, WriteFile
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.patterns import javascript
from workflows.core.patterns.problems import PatternError, quoted
from workflows.core.rules.kit import Note, Notes, make_fix
from workflows.core.text.tolerant import as_str


def _prompted(steps: Iterable[Step]) -> Iterator[Step]:
    """Steps with the address of a prompt."""
    return (step for step in steps if step.c2 and step.c3)


@registry_profile_rule("SR401", "error", "Missing prompt file", profiles=EVERY)
def prompt_missing(source: RegistrySource, profile: str) -> Notes:
    """Every step has a prompt file `<root>/<c2>/<c3>/f_<edition>[_<adaptation>].md`. In Climpt, the
    path config sets the root. Without the file, Climpt ends the run with PR-C3L-004. A closure step
    uses the verdict's own prompt instead. Steps with a `runner` need no prompt.

    In the document, `userPromptsBase` and `pathTemplate` set the path, and a step whose
    `fallbackKey` names a built-in prompt needs no file."""
    if not is_agent_folder(source):
        return
    for step in _prompted(source.steps.values()):
        if not _has_prompt(source, step, profile) and "runner" not in step.value:
            path = prompt_path(source, step)
            edit = WriteFile(path=path, text=prompt_template(source, step))
            yield Note(
                message=f"The prompt file {path.rpartition('/')[2]} of {step.id!r} is missing "
                "(PR-C3L-004).",
                pointer=at(step),
                hint=f"Expected path: {path}.{_instead(source, step)}",
                fix=make_fix("Create the prompt", edit),
            )


def _has_prompt(source: RegistrySource, step: Step, profile: str) -> bool:
    if existing_prompt(source, step) is not None:
        return True
    if profile == "climpt":
        return False
    built_in = step.value.get("fallbackKey") in FALLBACK_KEYS
    return built_in or documented_prompt(source, step, None) is not None


@registry_rule("SR430", "hint", "Built-in prompt instead of a file", profiles=DOCUMENTED)
def built_in_prompts(source: RegistrySource) -> Notes:
    """Without a prompt file, a run sends the built-in prompt that `fallbackKey` names. The texts
    are our own. Climpt sends built-in prompts at closure steps only: a work or verification step
    without a file ends the run (PR-FALLBACK-003)."""
    for step in _prompted(source.steps.values()) if is_agent_folder(source) else ():
        key = step.value.get("fallbackKey")
        if key in FALLBACK_KEYS and documented_prompt(source, step, None) is None:
            path = prompt_path(source, step)
            edit = WriteFile(path=path, text=prompt_template(source, step))
            ends = (
                "" if step.kind == "closure" else " Climpt 1.13.15 ends the run (PR-FALLBACK-003)."
            )
            yield Note(
                message=f"Step {step.id!r} has no prompt file; the built-in prompt "
                f"{key!r} is sent.{ends}",
                pointer=at(step, "fallbackKey"),
                hint=f"Expected path: {path}.",
                fix=make_fix("Create the prompt", edit),
            )


def copied_prompt(source: RegistrySource, path: str, to: str) -> Fix | None:
    """The fix that creates a missing variant of a prompt as a copy of the plain prompt."""
    try:
        text = source.files[path].decode()
    except UnicodeDecodeError:
        return None
    return make_fix("Copy the plain prompt", WriteFile(path=to, text=text))


def _instead(source: RegistrySource, step: Step) -> str:
    """A sentence for the hint: the prompt that Climpt uses if a closure step's own is missing."""
    if step.kind != "closure":
        return ""
    other = continuation_of(source)
    if other in source.steps:
        return f" {CLIMPT} uses the prompt of {other} instead."
    return f" {CLIMPT} requires the step {other} instead and fails (PR-RESOLVE-001)."


@step_rule("SR425", "hint", "Process step without a prompt", profiles=CLIMPT_ONLY)
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
                hint=f"Expected path: {prompt_path(source, step)}.",
            )


EXAMPLE_KEYS = {
    "issue_initial_default": ("of a step definition", "initial_issue"),
    "initial_assess": ("for count:iteration", "initial_iterate"),
    "continuation_assess": ("for count:iteration", "continuation_iterate"),
}
"""Keys that the document uses in an example and leaves out of its list: the example, and the key
in the list that fits it."""


@step_profile_rule("SR421", "warning", "Unknown fallbackKey", profiles=EVERY)
def fallback_key(source: RegistrySource, steps: Iterable[Step], profile: str) -> Notes:
    """Up to 1.13.22, `fallbackKey` names a built-in prompt, written with underscores:
    `initial_issue`, `issue_closure_default`. If the prompt file is missing, an unknown key ends the
    run (PR-FALLBACK-002). Climpt 1.13.15 requires the key on every step; in the document, it is
    optional.

    The document contradicts itself: its example of a step has the key `issue_initial_default`, and
    its example for `count:iteration` has `initial_assess` and `continuation_assess`. None of them
    is in its list of built-in prompts."""
    for step in steps if source.generation == "S" else ():
        key = step.value.get("fallbackKey")
        if key is None and (profile != "climpt" or step.section):
            continue
        if isinstance(key, str) and key in EXAMPLE_KEYS:
            example, listed = EXAMPLE_KEYS[key]
            edit = SetField(element=step.element, field="/fallbackKey", value=listed)
            yield Note(
                message=f"fallbackKey {key!r} of {step.id!r} is in the document's example "
                f"{example}, but not in the document's list of built-in prompts.",
                pointer=at(step, "fallbackKey"),
                hint=f"The list has {listed}.",
                fix=make_fix(f"Use {listed}", edit),
            )
        elif key not in FALLBACK_KEYS:
            yield Note(
                message=f'No fallback prompt found for key: "{key}" (step: {step.id}) '
                "(PR-FALLBACK-002)."
                if key
                else f"Step {step.id!r} has no fallbackKey (PR-FALLBACK-002).",
                pointer=at(step, *(("fallbackKey",) if key else ())),
                hint="Keys are written with underscores, as in initial_issue.",
            )


@step_profile_rule("SR402", "warning", "Missing prompt for an adaptation", profiles=EVERY)
def adaptation_missing(source: RegistrySource, steps: Iterable[Step], profile: str) -> Notes:
    """If the prompt file for the adaptation is missing, the run uses the prompt without it.
    Climpt's `--validate` still reports it."""
    for step in _prompted(steps):
        path = existing_prompt(source, step) if step.adaptation else None
        if profile != "climpt" and documented_path(source, step) in source.data:
            continue
        if path is not None and path != prompt_path(source, step):
            yield Note(
                message=f"Step {step.id!r} has no prompt for the adaptation {step.adaptation!r}.",
                pointer=at(step, "adaptation"),
                hint=f"Expected path: {prompt_path(source, step)}.",
                fix=copied_prompt(source, path, prompt_path(source, step)),
            )


@step_rule("SR415", "warning", "Front matter differs from the registry", profiles=EVERY)
def front_matter(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`uvVariables` in a prompt's front matter repeats the registry; runs only read the registry.
    Climpt's `--validate` reads the list only if it is on one line."""
    for step in steps:
        path = existing_prompt(source, step)
        if path is None or not source.data[path].startswith(b"---"):
            continue
        fences = split_front_matter(prompt_text(source, path))[0]
        if not fences and b"uvVariables:" in source.data[path]:
            yield Note(
                message=f"The front matter of {step.id!r}'s prompt has no end, so the model gets "
                "it too.",
                path=path,
                element=step.element,
                hint="Write a line --- below it.",
            )
        head = yaml_mapping(fences.strip().strip("-").encode()) if "uvVariables" in fences else {}
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
                    hint="Write the same names in both places; runs read the registry.",
                )


@registry_rule("SR416", "warning", "Missing path config", profiles=CLIMPT_ONLY)
def path_config(source: RegistrySource) -> Notes:
    """The document builds prompt paths from `userPromptsBase` and `pathTemplate`. Climpt reads two
    files instead: `.agent/climpt/config/<agent>-<c1>-app.yml` sets the folder of the prompts, and
    `…-user.yml` sets a pattern each for the permitted c2 and c3."""
    if not source.in_tree:
        return
    paths = prompt_paths(source)
    for path, text in (
        (paths.app, _app_yml(source)),
        (paths.user, USER_YML),
    ):
        name = path.rpartition("/")[2]
        if (problem := yaml_problem(source.files.get(path, b""))) != "":
            yield Note(
                message=f"The path config {name} cannot be read: {problem}",
                path=path,
                element=f"file:{path}",
            )
        if path not in source.files:
            yield Note(
                message=f"The path config {name} is missing.",
                pointer=("c1",),
                hint=f"Expected path: {path}.",
                fix=make_fix("Create the file", WriteFile(path=path, text=text)),
            )
    missing = [
        key
        for key, pattern in (("directiveType", paths.c2_pattern), ("layerType", paths.c3_pattern))
        if not pattern
    ]
    user = source.files.get(paths.user)
    if missing and user is not None and not yaml_problem(user):
        yield Note(
            message=f"{paths.user.rpartition('/')[2]} has no pattern for {' and '.join(missing)}.",
            path=paths.user,
            element=f"file:{paths.user}",
            hint="Set params.two.directiveType.pattern (c2) and …layerType.pattern (c3).",
        )


@registry_rule("SR428", "warning", "Path pattern that cannot be used", profiles=EVERY)
def unusable_path_pattern(source: RegistrySource) -> Notes:
    """The patterns for c2 and c3 in the path config have JavaScript's syntax. One that is invalid,
    over 2,000 characters or too slow permits every folder here."""
    paths = prompt_paths(source)
    for pattern in dict.fromkeys((paths.c2_pattern, paths.c3_pattern)):
        try:
            javascript.check_pattern(pattern)
            javascript.search(pattern, "issue", seconds=PATTERN_SECONDS)
        except PatternError as problem:
            yield Note(
                message=f"The pattern {quoted(pattern)} {problem.message}, so it permits every "
                "folder.",
                path=paths.user,
                element=f"file:{paths.user}",
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


@registry_rule("SR427", "warning", "Missing path in agent.json", profiles=EVERY)
def agent_paths(source: RegistrySource) -> Notes:
    """`runner.flow.prompts.registry` names a file in the agent's folder.
    `runner.flow.prompts.fallbackDir`, a key of older releases, names a folder that no release reads
    any more. Both paths must exist."""
    where = ("runner", "flow", "prompts")
    path = source.agent_value(*where, "registry")
    if isinstance(path, str) and path and source.beside(path) not in source.files:
        yield Note(
            message=f"agent.json names the missing registry {path!r}.",
            path=source.agent_path,
            pointer=(*where, "registry"),
            element="agent:",
            hint=f"Expected path: {source.beside(path)}.",
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


@registry_rule("SR419", "warning", "Missing system prompt", profiles=CLIMPT_ONLY)
def system_prompt(source: RegistrySource) -> Notes:
    """In Climpt, the file at `runner.flow.systemPromptPath` (default `prompts/system.md`) must
    exist (PR-SYSTEM-001). The document has a built-in system prompt."""
    value = source.agent_value("runner", "flow", "systemPromptPath")
    path = source.beside(as_str(value) or "prompts/system.md")
    if source.agent and path not in source.files:
        yield Note(
            message=f"The system prompt {path.rpartition('/')[2]} is missing (PR-SYSTEM-001).",
            path=source.agent_path,
            element="agent:",
            hint=f"Expected path: {path}.",
            fix=make_fix(
                "Create the file", WriteFile(path=path, text=f"You are {source.agent_id}.\n")
            ),
        )
