"""SR7xx, third part: differences in prompts, models and keys (sections 2.2 and 5)."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.steps_registry.format.prompt_paths import (
    SECTION,
    existing_prompt,
    prompt_path,
    prompt_text,
    section_called,
)
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.vocabulary import FLOW_ONLY_VARIABLES
from workflows.core.dialects.steps_registry.rules.kit import (
    DOCUMENTED,
    at,
    climpt,
    registry_rule,
    step_rule,
)
from workflows.core.dialects.steps_registry.rules.prompts import copied_prompt
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import SetField, UnsetField
from workflows.core.pack.findings import EVERY, Place
from workflows.core.rules.kit import Note, Notes, make_fix
from workflows.core.text.json.document import pointer_text


@step_rule("SR706", "hint", "Climpt ignores the step's model", profiles=EVERY)
def models(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The document uses the step's `model`, else the agent's default, else opus. Signalbox does the
    same: a run without a model of its own looks the name up in the model names of its connection.
    Climpt reads neither (D9)."""
    for step in steps:
        if step.value.get("model") is not None:
            yield Note(
                message=f"{climpt(source)} does not read the model of {step.id!r}; Signalbox does.",
                pointer=at(step, "model"),
            )


@registry_rule("SR707", "hint", "Climpt ignores a registry key", profiles=EVERY)
def unread_keys(source: RegistrySource) -> Notes:
    """The document builds prompt paths from `pathTemplate` and `userPromptsBase`, and schema paths
    from `schemasBase`. Climpt takes them from the path config and `schemas/` (D8)."""
    keys = ("pathTemplate", "pathTemplateNoAdaptation", "userPromptsBase", "schemasBase")
    for key in keys:
        if key in source.value:
            yield Note(message=f"{climpt(source)} does not read {key}.", pointer=(key,))


@registry_rule("SR710", "hint", "No explicit stepKind", profiles=EVERY)
def inferred_kind(source: RegistrySource) -> Notes:
    """If no step has a literal `stepKind`, Climpt creates no prompt resolver and the run ends with
    PR-C3L-003."""
    steps = [step for step in source.steps.values() if not step.section]
    if steps and source.generation != "B" and all("stepKind" not in s.value for s in steps):
        first = steps[0]
        yield Note(
            message=f"No step has a stepKind, so {climpt(source)} finds no prompts (PR-C3L-003).",
            pointer=at(first),
            element=first.element,
            fix=make_fix(
                f"Set stepKind on {first.id}",
                SetField(element=first.element, field="/stepKind", value=first.kind or "work"),
            ),
        )


@step_rule(
    "SR711",
    "warning",
    "Variable not available in closure prompts",
    profiles=EVERY,
    hint_in=DOCUMENTED,
)
def closure_variables(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Closure prompts get no max_iterations, remaining, previous_summary, check_count or
    max_checks. Climpt silently replaces a prompt that declares such a variable by the verdict's own
    prompt (4.7)."""
    for step in steps:
        if step.kind != "closure":
            continue
        for index, name in enumerate(step.variables):
            if name.removeprefix("uv-") in FLOW_ONLY_VARIABLES:
                yield Note(
                    message=f"{climpt(source)} passes no {name!r} to the closure step {step.id!r} "
                    "and uses another prompt.",
                    pointer=at(step, "uvVariables", index),
                )


@registry_rule("SR714", "hint", "Built-in prompts removed", profiles=EVERY)
def fallback_keys(source: RegistrySource) -> Notes:
    """Up to 1.13.22, `fallbackKey` named a built-in prompt. Climpt 1.13.27 ignores it: a missing
    prompt file ends the run. Under the profile `climpt`, a registry with such keys runs as in
    1.13.15: one check after each answer of a closure step, `onFailure` ignored, transient errors
    ignored."""
    steps = [step for step in source.steps.values() if "fallbackKey" in step.value]
    if steps:
        yield Note(
            message=f"Climpt 1.13.27 has no built-in prompts: fallbackKey of {len(steps)} "
            f"step{'s' if len(steps) > 1 else ''} is not read.",
            place=Place(path=source.main, pointer=pointer_text(at(steps[0], "fallbackKey"))),
            hint="Under climpt this pack runs as in Climpt 1.13.15.",
        )


@registry_rule("SR715", "warning", "Missing prompt for the closure action", profiles=EVERY)
def closure_action(source: RegistrySource) -> Notes:
    """With GitHub enabled, `defaultClosureAction` selects the adaptation of closure prompts. If
    that file is missing, the plain prompt is used. If both files are missing, Climpt uses another
    prompt (#479)."""
    github = source.agent_value("runner", "integrations", "github")
    if not isinstance(github, dict) or not github.get("enabled"):
        return
    action = github.get("defaultClosureAction")
    if not isinstance(action, str) or action == "close":
        return
    for step in source.steps.values():
        if step.kind != "closure" or not step.c3:
            continue
        exact, plain = prompt_path(source, step, action), prompt_path(source, step, "")
        if exact not in source.files and plain in source.files:
            yield Note(
                message=f"Step {step.id!r} has no prompt for the closure action {action!r}.",
                pointer=at(step),
                hint=f"Expected path: {exact}.",
                fix=copied_prompt(source, plain, exact),
            )


@step_rule("SR716", "hint", "Climpt ignores targetMode", profiles=EVERY)
def target_mode(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Climpt never reads `targetMode` of a gate: `jump` goes to the step that `targetField` of the
    answer names, and a rule with a `target` is never conditional. Under the profile `documented`,
    the mode `explicit` takes targets from `transitions` only, `dynamic` takes those of next and
    jump from `targetField`, and `conditional` prefers conditional targets."""
    for step in steps:
        if step.gate is not None and "targetMode" in step.gate:
            yield Note(
                message=f"{climpt(source)} does not read targetMode of {step.id!r}.",
                pointer=at(step, "structuredGate", "targetMode"),
                fix=make_fix(
                    "Remove targetMode",
                    UnsetField(element=step.element, field="/structuredGate/targetMode"),
                ),
            )


@step_rule("SR725", "hint", "adaptationChain before 1.14", profiles=EVERY)
def chain_unread(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`adaptationChain` is new in 1.14. Earlier releases ignore it: a repeat sends the same prompt,
    as often as the iteration limit allows."""
    for step in steps if source.generation != "B" else ():
        if step.chain is not None:
            yield Note(
                message=f"{climpt(source)} does not read the adaptationChain of {step.id!r}.",
                pointer=at(step, "adaptationChain"),
            )


@registry_rule("SR726", "hint", "Section is not injected", profiles=EVERY)
def sections_stay_out(source: RegistrySource) -> Notes:
    """The document injects sections into prompts: `{project_context_section}` is replaced by
    `section.projectcontext`. Climpt injects nothing and sends the placeholder to the model
    (D18)."""
    for step in source.steps.values():
        path = existing_prompt(source, step)
        if path is None or b"_section}" not in source.data[path]:
            continue
        for name in dict.fromkeys(SECTION.findall(prompt_text(source, path))):
            section = section_called(source, name)
            if section is not None:
                yield Note(
                    message=f"{climpt(source)} does not replace {{{name}_section}} in the prompt "
                    f"of {step.id!r} by {section.id!r}.",
                    path=path,
                    element=step.element,
                )


@registry_rule("SR727", "hint", "agent.json names another registry", profiles=EVERY)
def other_registry(source: RegistrySource) -> Notes:
    """The document uses the registry that `runner.flow.prompts.registry` of agent.json names, and
    so does Climpt's `--validate`. A run of Climpt always reads `steps_registry.json`."""
    path = source.agent_value("runner", "flow", "prompts", "registry")
    if isinstance(path, str) and path and source.beside(path) != source.main:
        yield Note(
            message=f"agent.json names the registry {path!r}, but {climpt(source)} runs "
            f"{source.main.rpartition('/')[2]}.",
            path=source.agent_path,
            pointer=("runner", "flow", "prompts", "registry"),
            element="agent:",
        )


@step_rule("SR728", "hint", "Key newer than the registry", profiles=EVERY)
def newer_keys(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`permissionMode` of a step is new in 1.13.24, `runner` in 1.13.26. A registry with
    `fallbackKey` is for 1.13.22 and earlier, which read neither: the agent's permission applies,
    and the model is called."""
    for step in steps if source.generation == "S" else ():
        for key in ("permissionMode", "runner"):
            if key in step.value:
                yield Note(
                    message=f"{climpt(source)} does not read {key} of {step.id!r}.",
                    pointer=at(step, key),
                )
