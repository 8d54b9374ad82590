"""Answer schemas during a run: the schema to send, and mismatches of an answer (4.3, 8)."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.program.context import Drafts, RegistryContext
from workflows.core.dialects.steps_registry.program.endings import fail_run, next_iteration
from workflows.core.dialects.steps_registry.program.event_drafts import error_draft, warning_draft
from workflows.core.dialects.steps_registry.program.gate import RunFault
from workflows.core.dialects.steps_registry.schemas.references import MissingFile, SchemaProblem
from workflows.core.dialects.steps_registry.schemas.resolve import step_schema
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.program import Outcome
from workflows.core.engine.rehearsal.schema_fit import fits
from workflows.core.engine.run import RunState
from workflows.core.text.tolerant import as_list, as_object

FAILED = "schema_failures"


def schema_failure(
    context: RegistryContext, run: RunState, step: Step
) -> tuple[Drafts, Outcome | None]:
    """(drafts, outcome) for a schema that cannot be resolved before a model call.

    A missing file is a warning, and no schema is sent. For a missing definition, Climpt skips the
    iteration, and ends the run at the second one in a row; the document sends no schema. The
    outcome is None if the model call proceeds.
    """
    try:
        step_schema(context.source, step)
    except MissingFile as problem:
        return (warning_draft(f"No schema for {step.id!r}: {problem}."),), None
    except SchemaProblem as problem:
        message = f"No schema for {step.id!r}: {problem}."
        if not context.climpt:
            return (warning_draft(message),), None
        if run.memory.get(FAILED):
            fault = RunFault("FAILED_SCHEMA_RESOLUTION", f"{message} Second time in a row.")
            return (), fail_run(fault)
        draft = error_draft(run, message, **{FAILED: 1})
        return (), next_iteration(context, run, step, (draft,))
    return (), None


def schema_mismatch(source: RegistrySource, step: Step, answer: dict[str, Any]) -> str:
    """A message about an answer that does not match the step's schema; "" if it matches. It never
    stops a run, because Climpt does not check."""
    try:
        schema = step_schema(source, step)
    except SchemaProblem:
        return ""
    if schema is None or fits(answer, schema, schema):
        return ""
    properties = as_object(schema.get("properties"))
    names = filter(lambda key: isinstance(key, str), as_list(schema.get("required")))
    missing = [key for key in names if key not in answer]
    misfits = [
        key
        for key in properties
        if key in answer and not fits(answer[key], properties[key], schema)
    ]
    extra = [key for key in answer if key not in properties]
    parts = [f"lacks {', '.join(map(str, missing))}"] if missing else []
    parts += [f"has another {', '.join(misfits)} than wanted"] if misfits else []
    parts += [f"has {', '.join(extra)} too"] if extra and not parts else []
    return f"The answer of {step.id!r} {' and '.join(parts) or 'does not fit its schema'}."
