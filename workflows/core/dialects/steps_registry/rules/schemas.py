"""SR3xx: answer schemas and the enum of intents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.steps_registry.edits.schema import (
    first_schema,
    minimal_schema,
    place_of_name,
)
from workflows.core.dialects.steps_registry.format.prompt_paths import is_agent_folder
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.rules.kit import Note, Notes, at, check, check_steps
from workflows.core.dialects.steps_registry.rules.startup import Problem, of_rule
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaLocation,
    SchemaProblem,
    definition,
    own_schema,
    reference_targets,
    schema_path,
    value_at,
    walk,
)
from workflows.core.dialects.steps_registry.schemas.resolve import repeated_references
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import SetField, UnsetField, WriteFile
from workflows.core.pack.findings import Fix


def align(step: Step, label: str = "Make the enum equal") -> Fix:
    """Setting the allowed intents to what they are brings the enum in line with them."""
    edit = SetField(
        element=step.element,
        field="/structuredGate/allowedIntents",
        value=list(step.allowed),
    )
    return Fix(label=label, edits=(edit,))


def _plain(source: RegistrySource, code: str) -> Iterator[tuple[Problem, Step]]:
    return ((problem, source.steps[problem.step]) for problem in of_rule(source, code))


@check("SR301", "error", "Schema files are there")
def schema_file(source: RegistrySource) -> Notes:
    """`outputSchemaRef.file` names a JSON file in the agent's `schemas` folder. A missing one stops
    the load where the step has a gate (SR-VALID-003); elsewhere the model is asked without a
    schema."""
    told: set[str] = set()
    for step in source.steps.values():
        path = schema_path(source, step.reference[0]) if step.reference is not None else ""
        if step.reference is None or source.json(path) is not None:
            continue
        said = "is not JSON" if path in source.files else "is not there"
        yield Note(
            message=f"The schema file {step.reference[0]!r} of {step.id!r} {said} (SR-VALID-003).",
            pointer=at(step, "outputSchemaRef", "file"),
            element=step.element,
            hint=f"It is looked for at {path}.",
            fix=None if path in told else _written_schema(source, path),
        )
        told.add(path)


def _written_schema(source: RegistrySource, path: str) -> Fix | None:
    """The fix that writes a missing schema file, for all steps that name it."""
    if path in source.files or not is_agent_folder(source):
        return None
    write = WriteFile(path=path, text=first_schema(source, path))
    return Fix(label="Write a first schema", edits=(write,))


@check_steps("SR302", "error", "Schema names are there")
def schema_name(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`outputSchemaRef.schema` is a JSON pointer or a name looked for in `definitions`, `$defs` and
    at the top of the file; not finding it stops the load (SR-VALID-003)."""
    for step in steps:
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
                element=step.element,
                fix=Fix(label="Write a first definition", edits=(write,))
                if place_of_name(reference[1])
                else None,
            )


@check("SR303", "error", "The pointer lands on an enum")
def pointer_lands(source: RegistrySource) -> Notes:
    """`intentSchemaRef`, walked inside the step's resolved schema, must land on a property with
    `enum` (SR-VALID-003)."""
    for problem, step in _plain(source, "SR303"):
        yield Note(
            message=f"Step {step.id!r}: intentSchemaRef does not lead to an enum (SR-VALID-003).",
            pointer=problem.pointer,
            element=step.element,
            hint="The schema needs the enum of intents at that place.",
            fix=align(step, "Write the enum there"),
        )


@check("SR304", "error", "Enum and allowed intents agree")
def enum_agrees(source: RegistrySource) -> Notes:
    """The enum in the schema must hold exactly the allowed intents, in any order (SR-VALID-003).
    The two are one contract: what the model may say, and what the runner takes."""
    for problem, step in _plain(source, "SR304"):
        missing, extra = problem.detail
        parts = [f"lacks {missing}"] if missing else []
        parts += [f"has {extra} too many"] if extra else []
        yield Note(
            message=f"Step {step.id!r}: the schema's enum {' and '.join(parts)} (SR-VALID-003).",
            pointer=problem.pointer,
            element=step.element,
            hint="One click makes the enum say what the gate allows.",
            fix=align(step),
        )


@check("SR305", "error", "References of schemas")
def references(source: RegistrySource) -> Notes:
    """Every `$ref` of a step's schema must lead somewhere, and not round in circles
    (SR-VALID-003)."""
    for problem, step in _plain(source, "SR305"):
        yield Note(
            message=f"Step {step.id!r}: {problem.detail[0]} (SR-VALID-003).",
            pointer=problem.pointer,
            element=step.element,
        )


@check_steps("SR306", "error", "How a schema is named")
def reference_shape(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`outputSchemaRef` is an object with `file` and `schema`. Written as text it becomes
    `undefined#undefined`."""
    for step in steps:
        if "outputSchemaRef" in step.value and step.reference is None:
            given = step.value["outputSchemaRef"]
            fix = None
            if isinstance(given, str) and "#" in given:
                file, _, name = given.partition("#")
                value = {"file": file, "schema": name.rpartition("/")[2]}
                edit = SetField(element=step.element, field="/outputSchemaRef", value=value)  # type: ignore[arg-type]
                fix = Fix(label="Write it as an object", edits=(edit,))
            yield Note(
                message=f"outputSchemaRef of {step.id!r} is not an object with file and schema "
                "(SCHEMA_POINTER_ERROR).",
                pointer=at(step, "outputSchemaRef"),
                element=step.element,
                fix=fix,
            )


@check_steps("SR307", "warning", "One reference twice")
def twice(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Climpt 1.13.27 takes the second occurrence of one `$ref` in a schema for a circle and
    refuses to load the registry (SR-VALID-003). Here it is resolved; the warning is for those who
    run the pack there."""
    told: dict[SchemaLocation, str | None] = {}
    for step in steps:
        if step.gate is None or step.reference is None:
            continue
        if not reference_targets(source, schema_path(source, step.reference[0])):
            continue
        try:
            location = definition(source, step)
            if location is None:
                continue
            if location not in told:
                told[location] = next(repeated_references(source, location), None)
        except SchemaProblem:
            continue
        if (reference := told[location]) is not None:
            yield Note(
                message=f"Climpt 1.13.27 will not load {step.id!r}: its schema uses "
                f"{reference!r} twice (SCHEMA_CIRCULAR_REFERENCE).",
                pointer=at(step, "outputSchemaRef"),
                element=step.element,
                hint="Write one of the two out.",
            )


@check_steps("SR308", "hint", "The answer has what is handed over")
def handed_over_is_asked(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A path in `handoffFields` that the schema does not have is never in the answer, because the
    schema is closed: nothing is handed over."""
    for step in steps:
        for index, field in enumerate(step.handoff_fields):
            if not _asked_for(source, step, field):
                yield Note(
                    message=f"{step.id!r} hands over {field!r}, which its schema does not ask for.",
                    pointer=at(step, "structuredGate", "handoffFields", index),
                    element=step.element,
                )


def _asked_for(source: RegistrySource, step: Step, field: str) -> bool:
    """Straight down where the schema is plain; else by walking."""
    try:
        node = own_schema(source, step)
    except SchemaProblem:
        return True
    for part in field.split("."):
        properties = node.get("properties") if isinstance(node, dict) else None
        if not isinstance(properties, dict) or part not in properties:
            return _in_schema(source, step, field)
        node = properties[part]
    return True


def _in_schema(source: RegistrySource, step: Step, field: str) -> bool:
    try:
        location = definition(source, step)
        if location is None:
            return True
        for part in field.split("."):
            node = value_at(source, location)
            if isinstance(node, dict) and node.get("additionalProperties"):
                return True
            found = walk(source, location, ("properties", part))
            if found is None:
                return False
            location = found
    except SchemaProblem:
        return True
    return True


@check_steps("SR309", "warning", "Where a jump's target is")
def target_field(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`targetField` is read for `jump` alone. On a step that does not allow it the field does
    nothing."""
    for step in steps:
        if step.gate is not None and step.gate.get("targetField") and "jump" not in step.allowed:
            yield Note(
                message=f"{step.id!r} has a targetField but does not allow jump.",
                pointer=at(step, "structuredGate", "targetField"),
                element=step.element,
                fix=Fix(
                    label="Remove targetField",
                    edits=(UnsetField(element=step.element, field="/structuredGate/targetField"),),
                ),
            )
