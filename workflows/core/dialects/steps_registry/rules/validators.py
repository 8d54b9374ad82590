"""SR5xx: validators, failure patterns, validation steps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import join
from typing import Any

from workflows.core.dialects.steps_registry.format.prompt_paths import (
    file_name,
    has_prompts,
    prompt_paths,
)
from workflows.core.dialects.steps_registry.format.steps import Step, address_of
from workflows.core.dialects.steps_registry.format.success_when import semantic_pattern
from workflows.core.dialects.steps_registry.format.validators import conditions_of, guard_of
from workflows.core.dialects.steps_registry.format.vocabulary import EXTRACTORS
from workflows.core.dialects.steps_registry.rules.kit import (
    CLIMPT_ONLY,
    climpt,
    registry_profile_rule,
    registry_rule,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import AddObject, RemoveObject, SetField, WriteFile
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.pack.naming import did_you_mean
from workflows.core.patterns import javascript
from workflows.core.patterns.problems import PatternError, quoted
from workflows.core.rules.kit import TYPE_STEPS, Note, Notes, make_fix
from workflows.core.text.json.document import Pointer
from workflows.core.text.tolerant import as_list, as_object, as_str

SUCCESS = re.compile(r"empty|exitCode:-?\d+|contains:.*|matches:.*", re.DOTALL)


def conditions(source: RegistrySource) -> Iterator[tuple[str, str, int, str]]:
    """(validation step, slot, index, validator) of every condition."""
    for id, item in source.table("validationSteps").items():
        for (slot, index), name in conditions_of(item):
            yield id, slot, index, name


@registry_rule("SR501", "error", "Unknown validator", profiles=EVERY)
def unknown_validator(source: RegistrySource) -> Notes:
    """Each condition of a validation step names a validator of this registry. An unknown validator
    ends the run with AGENT_QUERY_ERROR."""
    validators = source.table("validators")
    for id, slot, index, name in conditions(source):
        if name not in validators:
            yield Note(
                message=f"{id!r} names the unknown validator {name!r} (AGENT_QUERY_ERROR).",
                pointer=("validationSteps", id, slot, index, "validator"),
                element=f"validationStep:{id}",
                hint=did_you_mean(name, validators),
                fix=make_fix(f"Add validator {name}", AddObject(kind="validator", key=name))
                if name
                else None,
            )


@registry_rule("SR502", "error", "Unknown failure pattern", profiles=EVERY)
def unknown_pattern(source: RegistrySource) -> Notes:
    """`failurePattern` of a validator names a failure pattern of this registry. For an unknown
    name, the run selects a pattern by `semanticMatch`, else it uses the general retry prompt."""
    patterns = source.table("failurePatterns")
    for key, item in source.table("validators").items():
        name = item.get("failurePattern")
        if isinstance(name, str) and name not in patterns:
            yield Note(
                message=f"Validator {key!r} names the unknown failure pattern {name!r}.",
                pointer=("validators", key, "failurePattern"),
                element=f"validator:{key}",
                hint=did_you_mean(name, patterns),
                fix=make_fix(
                    f"Add failure pattern {name}", AddObject(kind="failurePattern", key=name)
                )
                if name
                else None,
            )


@registry_rule("SR503", "error", "Invalid successWhen", profiles=EVERY)
def success_when(source: RegistrySource) -> Notes:
    """`successWhen` is `empty`, `exitCode:N`, `contains:text` or `matches:regex`. With any other
    value, the validator always fails."""
    for key, item in source.table("validators").items():
        value = item.get("successWhen")
        if as_str(item.get("type")) in ("", "command") and not (
            isinstance(value, str) and SUCCESS.fullmatch(value)
        ):
            yield Note(
                message=f"Validator {key!r} always fails: its successWhen is {value!r}.",
                pointer=("validators", key, "successWhen")
                if "successWhen" in item
                else ("validators", key),
                element=f"validator:{key}",
                hint="Use empty, exitCode:0, contains:… or matches:…",
                fix=make_fix(
                    "Use exitCode:0",
                    SetField(element=f"validator:{key}", field="/successWhen", value="exitCode:0"),
                ),
            )


@registry_rule("SR504", "warning", "Missing extractParams", profiles=CLIMPT_ONLY)
def extract_params(source: RegistrySource) -> Notes:
    """Without `extractParams`, Climpt crashes when the validator fails. An empty object is enough.
    In the document, the key is optional."""
    for key, item in source.table("validators").items():
        if not isinstance(item.get("extractParams"), dict) and source.generation != "B":
            yield Note(
                message=f"Validator {key!r} has no extractParams, so {climpt(source)} crashes when "
                "it fails.",
                pointer=("validators", key),
                element=f"validator:{key}",
                fix=make_fix(
                    "Add empty extractParams",
                    SetField(element=f"validator:{key}", field="/extractParams", value={}),
                ),
            )


@registry_rule("SR505", "warning", "Unknown extractor", profiles=EVERY)
def unknown_extractor(source: RegistrySource) -> Notes:
    """An unknown extractor returns no value. `parseBranchName`, `parseRemoteStatus` and
    `parseMergeStatus` are among them: Climpt does not implement them."""
    for key, item in source.table("validators").items():
        for name, extractor in as_object(item.get("extractParams")).items():
            if extractor not in EXTRACTORS:
                yield Note(
                    message=f"Validator {key!r} uses the unknown extractor {extractor!r}, so "
                    f"{name!r} stays empty.",
                    pointer=("validators", key, "extractParams", name),
                    element=f"validator:{key}",
                )


ACTIONS = ("retry", "abort", "skip")


@registry_rule("SR506", "error", "Invalid onFailure", profiles=EVERY)
def on_failure(source: RegistrySource) -> Notes:
    """`onFailure.action` is retry, abort or skip; `maxAttempts` is at least 1."""
    for id, item in source.table("validationSteps").items():
        failure = item.get("onFailure")
        if not isinstance(failure, dict):
            continue
        problem = hint = ""
        most: Any = failure.get("maxAttempts", 1)
        if failure.get("action", "retry") not in ACTIONS:
            problem = f"action {failure.get('action')!r} is not retry, abort or skip"
            hint = did_you_mean(failure.get("action"), ACTIONS, "Write retry.")
        elif not isinstance(most, int) or isinstance(most, bool) or most < 1:
            problem = f"maxAttempts {most!r} is not an integer of at least 1"
            hint = TYPE_STEPS["integer"]
        if problem:
            yield Note(
                message=f"onFailure of {id!r}: {problem}.",
                pointer=("validationSteps", id, "onFailure"),
                element=f"validationStep:{id}",
                hint=hint,
            )


def retry_paths(
    source: RegistrySource, id: str, pattern: str, step: Step | None = None
) -> list[str]:
    """Candidate paths for the retry prompt of a failed validator, best first (section 4.8).

    They are in the folder of the validation step. If `step` is set, the first one is the exact
    file in that closure step's folder, as in the document (D7).
    """
    folder = _folder(source, address_of(source.table("validationSteps").get(id, {})))
    entry = source.table("failurePatterns").get(pattern)
    if entry is None:
        return [join(folder, "f_failed.md")]
    edition = as_str(entry.get("edition")) or "failed"
    name = file_name(edition, as_str(entry.get("adaptation")))
    own = [join(_folder(source, address_of(step.value)), name)] if step is not None else []
    return [*own, join(folder, name), join(folder, "f_failed.md")]


def _folder(source: RegistrySource, address: dict[str, Any]) -> str:
    return join(prompt_paths(source).root, as_str(address.get("c2")), as_str(address.get("c3")))


@registry_profile_rule("SR507", "warning", "Missing retry prompt", profiles=EVERY)
def retry_prompt(source: RegistrySource, profile: str) -> Notes:
    """When a validator fails, the run sends the prompt of its failure pattern from the validation
    step's folder, else `f_failed.md` from that folder, else a general text. In the document, the
    prompt in the closure step's folder comes first."""
    if not has_prompts(source):
        return
    reported: set[str] = set()
    for id, _, _, name in conditions(source):
        validator = source.table("validators").get(name, {})
        pattern = as_str(validator.get("failurePattern"))
        for step in _guarded(source, id, profile):
            paths = retry_paths(source, id, pattern, step)
            if paths[0] in reported or any(path in source.files for path in paths):
                continue
            reported.add(paths[0])
            yield Note(
                message=f"The validator {name!r} in {id!r} has no retry prompt.",
                pointer=("validationSteps", id),
                element=f"validationStep:{id}",
                hint=f"Expected path: {paths[0]}.",
                fix=make_fix(
                    "Create the prompt", WriteFile(path=paths[0], text=_template(name, validator))
                ),
            )


def _template(name: str, validator: Mapping[str, Any]) -> str:
    """A retry prompt with the failure: command, exit code, output and extracted parameters."""
    wanted = validator.get("extractParams")
    params = [f"- {key}: {{{{{key}}}}}" for key in wanted] if isinstance(wanted, dict) else []
    lines = [
        f"# {name} failed",
        "",
        f"`{as_str(validator.get('command'))}` ended with exit code {{{{exitCode}}}}:",
        "",
        "```",
        "{{output}}",
        "```",
        "",
        *([*params, ""] if params else []),
        "Repair what it reports, then finish again.",
    ]
    return "\n".join(lines) + "\n"


def _guarded(source: RegistrySource, id: str, profile: str) -> Sequence[Step | None]:
    """The closure steps in whose folder a run looks for retry prompts of a validation step. None
    is Climpt's, which only looks in the validation step's folder."""
    if profile == "climpt":
        return (None,)
    closing = (step for step in source.steps.values() if step.kind == "closure")
    return [step for step in closing if guard_of(source, step.id, profile)[0] == id]


def _removal(element: str) -> Fix:
    return make_fix("Remove", RemoveObject(element=element))


@registry_rule("SR508", "hint", "Unused validator", profiles=EVERY)
def unused_validator(source: RegistrySource) -> Notes:
    """A validator that no validation step names never runs."""
    used = {name for _, _, _, name in conditions(source)}
    for key in source.table("validators"):
        if key not in used:
            yield Note(
                message=f"Validator {key!r} is not used.",
                pointer=("validators", key),
                element=f"validator:{key}",
                fix=_removal(f"validator:{key}"),
            )


@registry_rule("SR509", "hint", "Unused failure pattern", profiles=EVERY)
def unused_pattern(source: RegistrySource) -> Notes:
    """A failure pattern that no validator names can only be selected by `semanticMatch`."""
    used = {as_str(item.get("failurePattern")) for item in source.table("validators").values()}
    for key, item in source.table("failurePatterns").items():
        if key not in used and not item.get("semanticMatch"):
            yield Note(
                message=f"Failure pattern {key!r} is not used.",
                pointer=("failurePatterns", key),
                element=f"failurePattern:{key}",
                fix=_removal(f"failurePattern:{key}"),
            )


@registry_rule("SR510", "error", "Missing keys of a validator or failure pattern", profiles=EVERY)
def required(source: RegistrySource) -> Notes:
    """A validator needs type, command, successWhen and failurePattern; a failure pattern needs
    description and edition; a validation step needs stepId, name, c2 and c3."""
    wanted = (
        ("validators", "validator", ("type", "failurePattern")),
        ("failurePatterns", "failurePattern", ("description", "edition")),
        ("validationSteps", "validationStep", ("stepId", "name", "c2", "c3")),
    )
    for table, kind, keys in wanted:
        for key, item in source.table(table).items():
            values = {**address_of(item), **item}
            missing = [name for name in keys if not values.get(name)]
            if item.get("type") == "command" and not item.get("command"):
                missing.append("command")
            if missing:
                yield Note(
                    message=f"The {kind} {key!r} has no {', '.join(missing)}.",
                    pointer=(table, key),
                    element=f"{kind}:{key}",
                )


TYPES = ("command", "file", "custom", "semantic")


@registry_rule("SR512", "error", "Unsupported validator type", profiles=EVERY)
def validator_type(source: RegistrySource) -> Notes:
    """The only `type` of a validator is `command`. `file`, `custom` and `semantic` also run, but
    the document does not have them, and Climpt's `--validate` refuses them."""
    for key, item in source.table("validators").items():
        kind = item.get("type")
        if kind is None or kind == "command":
            continue
        runs = kind in TYPES
        yield Note(
            message=f"Validator {key!r} has the type {kind!r}, which --validate refuses."
            if runs
            else f"Validator {key!r} has the unknown type {kind!r}.",
            pointer=("validators", key, "type"),
            element=f"validator:{key}",
            hint="Write command, with the check as a command of the shell.",
        )


@registry_rule("SR513", "error", "Registry table is not an object", profiles=EVERY)
def tables_are_objects(source: RegistrySource) -> Notes:
    """`failurePatterns`, `validators` and `validationSteps` are objects keyed by name, and so is
    each member. `entryStepMapping` is an object too."""
    for table in ("failurePatterns", "validators", "validationSteps", "entryStepMapping"):
        value = source.value.get(table)
        if value is not None and not isinstance(value, dict):
            yield Note(message=f"{table} is not an object.", pointer=(table,))
        for key, item in as_object(value).items():
            if table != "entryStepMapping" and not isinstance(item, dict):
                yield Note(message=f"{key!r} of {table} is not an object.", pointer=(table, key))


@registry_rule("SR514", "warning", "Pattern that cannot be used", profiles=EVERY)
def unusable_pattern(source: RegistrySource) -> Notes:
    """The pattern after `matches:`, and between slashes in `semanticMatch`, has JavaScript's
    syntax. One that is invalid, or over 2,000 characters, never matches here."""
    for element, pointer, pattern, flags in _patterns(source):
        try:
            javascript.check_pattern(pattern, flags=flags)
        except PatternError as problem:
            yield Note(
                message=f"The pattern {quoted(pattern)} {problem.message}, so it never matches.",
                pointer=pointer,
                element=element,
            )


def _patterns(source: RegistrySource) -> Iterator[tuple[str, Pointer, str, str]]:
    """(element, pointer, pattern, flags) of every pattern."""
    for key, item in source.table("validators").items():
        kind, colon, rest = as_str(item.get("successWhen")).partition(":")
        if kind == "matches" and colon:
            yield f"validator:{key}", ("validators", key, "successWhen"), rest, ""
    for key, item in source.table("failurePatterns").items():
        for index, word in enumerate(as_list(item.get("semanticMatch"))):
            if isinstance(word, str) and (pattern := semantic_pattern(word)):
                pointer = ("failurePatterns", key, "semanticMatch", index)
                yield f"failurePattern:{key}", pointer, pattern, "i"
