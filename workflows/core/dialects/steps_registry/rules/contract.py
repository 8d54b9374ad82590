"""Keys and names that no run would read: the document's contract, without guessing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workflows.core.dialects.steps_registry.format.prompt_paths import (
    documented_path,
    documented_prompt,
    is_agent_folder,
)
from workflows.core.dialects.steps_registry.format.vocabulary import GIT_EXTRACTORS, VALIDATION_KEY
from workflows.core.dialects.steps_registry.rules.kit import DOCUMENTED, registry_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import RenameObject, SetField
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, Notes, make_fix
from workflows.core.text.json.document import Pointer
from workflows.core.text.tolerant import as_str

PATH_KEYS = ("userPromptsBase", "pathTemplate", "pathTemplateNoAdaptation")
TOP_KEYS = (
    "agentId", "version", "c1", "schemasBase", *PATH_KEYS, "entryStep", "entryStepMapping",
    "failurePatterns", "validators", "validationSteps", "steps",
)  # fmt: skip
STEP_KEYS = (
    "stepId", "name", "stepKind", "c2", "c3", "edition", "adaptation", "fallbackKey",
    "uvVariables", "usesStdin", "outputSchemaRef", "structuredGate", "transitions", "model",
    "permissionMode", "inputs", "runner",
)  # fmt: skip
GATE_KEYS = (
    "allowedIntents", "intentSchemaRef", "intentField", "targetField", "handoffFields",
    "targetMode", "failFast", "fallbackIntent",
)  # fmt: skip
VALIDATOR_KEYS = ("type", "command", "successWhen", "failurePattern", "extractParams")
PATTERN_KEYS = ("description", "edition", "adaptation", "params")
CHECK_KEYS = ("stepId", "name", "c2", "c3", "validationConditions", "onFailure")
FAILURE_KEYS = ("action", "maxAttempts")
AROUND = {"structuredGate": STEP_KEYS, "onFailure": CHECK_KEYS}
"""Object with fixed keys → the keys of the object around it."""


@registry_rule("SR431", "error", "No prompt at the registry's own paths", profiles=DOCUMENTED)
def prompt_paths_find_nothing(source: RegistrySource) -> Notes:
    """`userPromptsBase`, `pathTemplate` and `pathTemplateNoAdaptation` set where the prompts are.
    If no step has a file there, a run would send other texts than the author's: built-in ones, or
    those at Climpt's paths. Correct the keys, or remove them."""
    keys = [key for key in PATH_KEYS if key in source.value]
    steps = [step for step in source.steps.values() if step.c2 and step.c3]
    if not keys or not steps or not is_agent_folder(source):
        return
    found = [
        documented_path(source, step, adaptation)
        for step in steps
        for adaptation in (None, "")
        if documented_path(source, step, adaptation) in source.data
    ]
    if found:
        return
    others = sum(documented_prompt(source, step, None) is not None for step in steps)
    expected = documented_path(source, steps[0], None)
    yield Note(
        message=f"{' and '.join(keys)} lead to no prompt at all: {steps[0].id!r} has no file "
        f"{expected}.",
        pointer=(keys[0],),
        hint=f"{others} of {len(steps)} steps have a prompt elsewhere in the agent's folder."
        if others
        else "No step has a prompt.",
    )


@registry_rule("SR515", "error", "Validation step of no closure step", profiles=DOCUMENTED)
def validation_keys(source: RegistrySource) -> Notes:
    """A key of `validationSteps` is the id of a closure step, or the key of a verdict type such as
    `closure.polling`. With any other key, none of its validators runs, and the run completes
    without them."""
    table = source.table("validationSteps")
    closures = [step.id for step in source.steps.values() if step.kind == "closure"]
    for key in table:
        step = source.steps.get(key)
        if key in VALIDATION_KEY.values() or (step is not None and step.kind == "closure"):
            continue
        free = [id for id in (*closures, *VALIDATION_KEY.values()) if id not in table]
        near = closest_name(key, free) or (free[0] if len(closures) == 1 and free else "")
        what = "is no step and no verdict type" if step is None else f"is a {step.kind or ''} step"
        rename = RenameObject(element=f"validationStep:{key}", new_key=near)
        yield Note(
            message=f"The validators of {key!r} never run: {key!r} {what}.",
            pointer=("validationSteps", key),
            element=f"validationStep:{key}",
            hint=f"Did you mean {near!r}?" if near else "Use the id of a closure step.",
            fix=make_fix(f"Rename to {near}", rename) if near else None,
        )


@registry_rule("SR516", "warning", "Extractor of another command's output", profiles=EVERY)
def git_extractors(source: RegistrySource) -> Notes:
    """`parseChangedFiles` and its relatives read the output of `git status --porcelain`. For the
    output of another command they return nothing, or lines that are no files."""
    for key, item in source.table("validators").items():
        wanted = item.get("extractParams")
        if not isinstance(wanted, dict) or "git" in as_str(item.get("command")):
            continue
        git = [name for name, how in wanted.items() if how in GIT_EXTRACTORS]
        if git and item.get("command"):
            rest = {name: how for name, how in wanted.items() if name not in git}
            edit = SetField(element=f"validator:{key}", field="/extractParams", value=rest)
            yield Note(
                message=f"Validator {key!r} reads {', '.join(git)} as output of git, but its "
                f"command is {as_str(item.get('command'))!r}.",
                pointer=("validators", key, "extractParams"),
                element=f"validator:{key}",
                hint="Use stdout, stderr, or an extractor for tests or types.",
                fix=make_fix("Remove these parameters", edit),
            )


@registry_rule("SR613", "error", "Missing c1 or invalid version", profiles=DOCUMENTED)
def required_top_keys(source: RegistrySource) -> Notes:
    """`c1` is required: it is the first part of every prompt's path. `version` is a semantic
    version: three numbers, and perhaps a pre-release or build after them."""
    version = source.value.get("version")
    if version is not None and not _is_semver(version):
        yield Note(
            message=f"The version {version!r} is not a semantic version.",
            pointer=("version",),
            hint="Write it as in 1.0.0.",
        )
    if not source.value.get("c1"):
        edit = SetField(element="pack", field="/c1", value="steps")
        yield Note(
            message="The registry has no c1, the first part of every prompt's path.",
            fix=make_fix("Set c1 to steps", edit),
        )


def _is_semver(version: Any) -> bool:
    core = version.partition("+")[0].partition("-")[0] if isinstance(version, str) else ""
    parts = core.split(".")
    return len(parts) == 3 and all(part.isdigit() for part in parts)


@registry_rule("SR614", "warning", "Misspelled or misplaced key", profiles=EVERY)
def misspelled_keys(source: RegistrySource) -> Notes:
    """Runs do not read unknown keys. One that is almost a key of the format is most likely that
    key: `entrySteps`, `structuredGates`, `maxAttemps`. One that is a key of the object around this
    one, such as `transitions` in `structuredGate`, is in the wrong place."""
    for element, pointer, value, keys in _objects(source):
        missing = [key for key in keys if key not in value]
        for key in value:
            near = closest_name(key, missing) if key not in keys else ""
            inside = str(pointer[-1]) if pointer else ""
            outer = key not in keys and key in AROUND.get(inside, ())
            if near or outer:
                yield Note(
                    message=f"No run reads the key {key!r}{f' in {inside}' if outer else ''}.",
                    pointer=(*pointer, key),
                    element=element,
                    hint=f"Move it out of {inside}." if outer else f"Did you mean {near!r}?",
                )


def _objects(
    source: RegistrySource,
) -> Iterator[tuple[str, Pointer, Mapping[str, Any], tuple[str, ...]]]:
    """(element, pointer, object, keys of the format) of every object with fixed keys."""
    yield "pack", (), source.value, TOP_KEYS
    for step in source.steps.values():
        yield step.element, ("steps", step.id), step.value, STEP_KEYS
        if step.gate is not None:
            yield step.element, ("steps", step.id, "structuredGate"), step.gate, GATE_KEYS
    for table, kind, keys in (
        ("validators", "validator", VALIDATOR_KEYS),
        ("failurePatterns", "failurePattern", PATTERN_KEYS),
        ("validationSteps", "validationStep", CHECK_KEYS),
    ):
        for key, item in source.table(table).items():
            yield f"{kind}:{key}", (table, key), item, keys
            failure = item.get("onFailure")
            if table == "validationSteps" and isinstance(failure, dict):
                yield f"{kind}:{key}", (table, key, "onFailure"), failure, FAILURE_KEYS
