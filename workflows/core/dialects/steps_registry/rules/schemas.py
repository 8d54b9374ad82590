"""SR3xx: answer schemas and the enum of intents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from workflows.core.conversation.answer_form import not_enforced
from workflows.core.dialects.steps_registry.edits.schema import (
    first_schema,
    minimal_schema,
    place_of_name,
)
from workflows.core.dialects.steps_registry.format.prompt_paths import is_agent_folder
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.vocabulary import DYNAMIC_INTENTS
from workflows.core.dialects.steps_registry.program.answer_reads import (
    AnswerRead,
    answer_reads,
    refused,
)
from workflows.core.dialects.steps_registry.program.texts import nested
from workflows.core.dialects.steps_registry.rules.incremental_rules import cached_by_step
from workflows.core.dialects.steps_registry.rules.kit import (
    CLIMPT_ONLY,
    at,
    registry_rule,
    step_profile_rule,
    step_rule,
)
from workflows.core.dialects.steps_registry.rules.startup import Problem, of_rule
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaLocation,
    SchemaProblem,
    definition,
    definition_names,
    own_schema,
    reference_targets,
    schema_files,
    schema_path,
)
from workflows.core.dialects.steps_registry.schemas.resolve import repeated_references, step_schema
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.rehearsal.answer_gaps import (
    ANY,
    Gap,
    example,
    gap,
    path_text,
)
from workflows.core.engine.rehearsal.schema_values import ABSENT
from workflows.core.pack.edits import SetField, UnsetField, WriteFile
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.pack.naming import did_you_mean
from workflows.core.rules.kit import Note, Notes, count_of, make_fix


def align(step: Step, label: str = "Update the enum") -> Fix:
    """The fix that updates the enum. Setting `allowedIntents` also sets the enum, even if the value
    is unchanged."""
    edit = SetField(
        element=step.element,
        field="/structuredGate/allowedIntents",
        value=list(step.allowed),
    )
    return make_fix(label, edit)


def _plain(source: RegistrySource, code: str) -> Iterator[tuple[Problem, Step]]:
    return ((problem, source.steps[problem.step]) for problem in of_rule(source, code))


@registry_rule("SR301", "error", "Missing schema file", profiles=EVERY)
def schema_file(source: RegistrySource) -> Notes:
    """`outputSchemaRef.file` names a JSON file in the agent's `schemas` folder. If it is missing
    and the step has a gate, the registry does not load (SR-VALID-003). Without a gate, the model
    gets no schema."""
    reported: set[str] = set()
    for step in source.steps.values():
        path = schema_path(source, step.reference[0]) if step.reference is not None else ""
        if step.reference is None or source.json(path) is not None:
            continue
        problem = "is not JSON" if path in source.files else "is missing"
        yield Note(
            message=f"The schema file {step.reference[0]!r} of {step.id!r} {problem} "
            "(SR-VALID-003).",
            pointer=at(step, "outputSchemaRef", "file"),
            hint=did_you_mean(path, schema_files(source), f"Expected path: {path}."),
            fix=None if path in reported else _written_schema(source, path),
        )
        reported.add(path)


def _written_schema(source: RegistrySource, path: str) -> Fix | None:
    """The fix that creates a missing schema file for all steps that name it."""
    if path in source.files or not is_agent_folder(source):
        return None
    write = WriteFile(path=path, text=first_schema(source, path))
    return make_fix("Create the schema", write)


@registry_rule("SR302", "error", "Missing schema definition", profiles=EVERY)
def schema_name(source: RegistrySource) -> Notes:
    """`outputSchemaRef.schema` is a JSON pointer, or a name in `definitions`, in `$defs` or at the
    top of the file. If it is not found, the registry does not load (SR-VALID-003)."""
    for step in source.steps.values():
        reference = step.reference
        try:
            own_schema(source, step)
        except SchemaProblem as problem:
            if reference is None or source.json(schema_path(source, reference[0])) is None:
                continue
            schema = minimal_schema(source, step.id)
            write = SetField(element=step.element, field="/schema", value=schema)
            yield Note(
                message=f"Step {step.id!r}: {problem} (SR-VALID-003).",
                pointer=at(step, "outputSchemaRef", "schema"),
                hint=did_you_mean(reference[1], definition_names(source, reference[0])),
                fix=make_fix("Create the definition", write)
                if place_of_name(reference[1])
                else None,
            )


@registry_rule("SR303", "error", "intentSchemaRef without an enum", profiles=EVERY)
def pointer_lands(source: RegistrySource) -> Notes:
    """`intentSchemaRef` must lead to a property with `enum` inside the step's resolved schema
    (SR-VALID-003)."""
    for problem, step in _plain(source, "SR303"):
        yield Note(
            message=f"Step {step.id!r}: intentSchemaRef does not lead to an enum (SR-VALID-003).",
            pointer=problem.pointer,
            hint="Add the enum of intents to the schema at that pointer.",
            fix=align(step, "Add the enum"),
        )


@registry_rule("SR304", "error", "Enum differs from allowedIntents", profiles=EVERY)
def enum_agrees(source: RegistrySource) -> Notes:
    """The enum in the schema must hold exactly the allowed intents, in any order (SR-VALID-003).
    The enum limits the model's answer, and `allowedIntents` limits the runner."""
    for problem, step in _plain(source, "SR304"):
        missing, extra = problem.detail
        parts = [f"does not have {missing}"] if missing else []
        parts += [f"also has {extra}"] if extra else []
        yield Note(
            message=f"Step {step.id!r}: the schema's enum {' and '.join(parts)} (SR-VALID-003).",
            pointer=problem.pointer,
            hint="The fix copies allowedIntents to the enum.",
            fix=align(step),
        )


@registry_rule("SR305", "error", "Broken or circular $ref", profiles=EVERY)
def references(source: RegistrySource) -> Notes:
    """Every `$ref` in a step's schema must have a target, and no chain of them may form a cycle
    (SR-VALID-003)."""
    for problem, step in _plain(source, "SR305"):
        yield Note(
            message=f"Step {step.id!r}: {problem.detail[0]} (SR-VALID-003).",
            pointer=problem.pointer,
        )


@step_rule("SR306", "error", "outputSchemaRef is not an object", profiles=EVERY)
def reference_shape(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`outputSchemaRef` is an object with `file` and `schema`. Climpt reads a string as
    `undefined#undefined`."""
    for step in steps:
        if "outputSchemaRef" in step.value and step.reference is None:
            reference = step.value["outputSchemaRef"]
            fix = None
            if isinstance(reference, str) and "#" in reference:
                file, _, name = reference.partition("#")
                value = {"file": file, "schema": name.rpartition("/")[2]}
                edit = SetField(element=step.element, field="/outputSchemaRef", value=value)  # type: ignore[arg-type]
                fix = make_fix("Convert to an object", edit)
            yield Note(
                message=f"outputSchemaRef of {step.id!r} is not an object with file and schema "
                "(SCHEMA_POINTER_ERROR).",
                pointer=at(step, "outputSchemaRef"),
                fix=fix,
            )


@step_rule("SR307", "warning", "$ref used twice", profiles=CLIMPT_ONLY)
def twice(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Climpt 1.13.27 mistakes the second use of the same `$ref` in a schema for a cycle and refuses
    to load the registry (SR-VALID-003). Signalbox resolves it; the warning is for packs that run in
    Climpt."""
    repeated: dict[SchemaLocation, str | None] = {}
    for step in steps:
        if step.gate is None or step.reference is None:
            continue
        if not reference_targets(source, schema_path(source, step.reference[0])):
            continue
        try:
            location = definition(source, step)
            if location is None:
                continue
            if location not in repeated:
                repeated[location] = next(repeated_references(source, location), None)
        except SchemaProblem:
            continue
        if (reference := repeated[location]) is not None:
            yield Note(
                message=f"Climpt 1.13.27 will not load {step.id!r}: its schema uses "
                f"{reference!r} twice (SCHEMA_CIRCULAR_REFERENCE).",
                pointer=at(step, "outputSchemaRef"),
                hint="Replace one of the two by a copy of the definition.",
            )


@step_rule("SR308", "hint", "Handoff field missing from the schema", profiles=EVERY)
def handoff_fields_declared(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A path in `handoffFields` that the schema does not declare never appears in an answer,
    because the schema is closed. Nothing is handed over."""
    for step in steps:
        schema = _answer_schema(source, step) if step.handoff_fields else None
        for index, field in enumerate(step.handoff_fields):
            missing = None if schema is None else gap(schema, nested(field, ANY))
            if missing is not None:
                yield Note(
                    message=f"Step {step.id!r} hands over {field!r}, but {missing.reason}.",
                    pointer=at(step, "structuredGate", "handoffFields", index),
                    hint=missing.next_step,
                )


@step_profile_rule("SR311", "error", "Answer that the schema does not allow", profiles=EVERY)
def answers_are_possible(source: RegistrySource, steps: Iterable[Step], profile: str) -> Notes:
    """The gate, the conditions and the target of a step read values of the answer, and the schema
    lists what a model may answer. If no answer of the schema has a value that is read, every run
    fails at the gate, or never takes the transition. Correct `intentField`, `targetField`, the
    values of the condition, or the schema. `intentSchemaRef` and `allowedIntents` are compared by
    SR303 and SR304."""
    compared = {problem.step for code in ("SR303", "SR304") for problem in of_rule(source, code)}
    for step in steps:
        schema = _answer_schema(source, step)
        if schema is None:
            continue
        paths: set[str] = set()
        for read in answer_reads(step, profile):
            if read.path in paths or (read.reader == "gate" and step.id in compared):
                continue
            missing = refused(schema, read)
            if missing is None:
                continue
            if missing.value is ABSENT:
                paths.add(read.path)
            yield Note(
                message=f"The {read.reader} of {step.id!r} reads {read.path!r}, but "
                f"{missing.reason}.",
                pointer=at(step, *read.pointer),
                hint=f"{missing.next_step} A model answers as in {example(schema)}.",
                fix=_other_path(step, read, missing),
            )


def _other_path(step: Step, read: AnswerRead, missing: Gap) -> Fix | None:
    """The fix that reads the nearest path of the schema, for a misspelled path of the gate."""
    if not missing.near or read.pointer[-1] not in ("intentField", "targetField"):
        return None
    near = path_text(missing.near)
    field = f"/structuredGate/{read.pointer[-1]}"
    edit = SetField(element=step.element, field=field, value=near)
    return make_fix(f"Read {near}", edit)


def _answer_schema(source: RegistrySource, step: Step) -> dict[str, Any] | None:
    """The schema of a step's answer; None without one, or if another rule has a finding for it."""
    try:
        return step_schema(source, step)
    except SchemaProblem:
        return None


@step_rule("SR309", "hint", "targetField without jump", profiles=EVERY)
def target_field(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`targetField` is only read for `jump`, and for `next` if `targetMode` is dynamic. On a step
    that does not allow jump, it has no effect. The document's own example of a gate has both."""
    for step in steps:
        gate = step.gate or {}
        readers = DYNAMIC_INTENTS if gate.get("targetMode") == "dynamic" else ("jump",)
        if gate.get("targetField") and not set(readers) & set(step.allowed):
            yield Note(
                message=f"Step {step.id!r} has a targetField but does not allow jump.",
                pointer=at(step, "structuredGate", "targetField"),
                fix=make_fix(
                    "Remove targetField",
                    UnsetField(element=step.element, field="/structuredGate/targetField"),
                ),
            )


@registry_rule("SR310", "hint", "Schema that a provider does not enforce", profiles=EVERY)
def enforced_by_providers(source: RegistrySource) -> Notes:
    """Providers hold a model to a schema of a published subset of JSON Schema. OpenAI and Anthropic
    do not for objects with properties of any name, values of any type, `not`, `if` and `allOf`, and
    Anthropic not for schemas that contain themselves or have many optional properties. Their models
    get such a schema as a description only, so an answer may differ from it, and the step fails if
    it lacks its intent. Declare the properties and types that you need. Steps with the same reason
    share one finding."""
    by_reason: dict[tuple[str, str], list[str]] = {}
    for id, results in cached_by_step(source, "SR310", _reasons).items():
        for result in results:
            by_reason.setdefault(result, []).append(id)
    for (who, reason), ids in by_reason.items():
        more = f" and {count_of(len(ids) - 1, 'more step')}" if len(ids) > 1 else ""
        yield Note(
            message=f"{who} the schema of {ids[0]!r}{more}: {reason}.",
            pointer=at(source.steps[ids[0]], "outputSchemaRef"),
            element=source.steps[ids[0]].element,
            hint="Their models get it as a description only.",
        )


def _reasons(
    source: RegistrySource, steps: Iterable[Step]
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Equal schemas without `$ref` are resolved once."""
    known: dict[object, tuple[str, str] | None] = {}
    for step in steps:
        with suppress(SchemaProblem):
            written = json.dumps(own_schema(source, step))
            key = step.reference if '"$ref"' in written else written
            if key not in known:
                schema = step_schema(source, step)
                known[key] = not_enforced(schema) if schema is not None else None
            if (reason := known[key]) is not None:
                yield step.id, reason
