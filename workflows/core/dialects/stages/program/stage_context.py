"""The StageContext: the fields of ctx, the access of each phase, and the values for conditions
(stages.md sections 7, 8.1 and 10.4)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any

from workflows.core.dialects.stages.format.paths import MISSING
from workflows.core.dialects.stages.program.faults import invalid
from workflows.core.dialects.stages.program.stage_definition import Stage
from workflows.core.dialects.stages.schemas.validity import validator
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.rehearsal.schema_values import value_for
from workflows.core.engine.run import RunState
from workflows.core.text.placeholders import MAX_TEXT
from workflows.core.text.tolerant import as_list
from workflows.core.text.value_size import text_size

PHASES = ("Setup", "Init", "CheckGate", "Act", "Assert", "Exit", "Next")
ACCESS: Mapping[str, tuple[str, ...]] = {
    "Setup": ("read", "write"),
    "Act": (),
    **dict.fromkeys(("Init", "CheckGate", "Assert", "Exit", "Next"), ("read",)),
}
"""Phase → its permitted operations on ctx."""


def check_access(phase: str, what: str, stage: str) -> None:
    """Raise StageFault if this phase may not `read` or `write` ctx."""
    if what not in ACCESS[phase]:
        raise invalid(
            "ContextMutationForbidden",
            f"{phase} of {stage!r} may not {what} ctx.",
            phase=phase,
            stageId=stage,
        )


class PhaseContext:
    """The fields of ctx during one phase. The given mapping is never changed in place."""

    def __init__(self, fields: Mapping[str, Any], phase: str, stage: str) -> None:
        self._fields = dict(fields)
        self._phase = phase
        self._stage = stage

    def put(self, name: str, value: Any) -> None:
        check_access(self._phase, "write", self._stage)
        self._fields[name] = value

    def read(self) -> dict[str, Any]:
        check_access(self._phase, "read", self._stage)
        return dict(self._fields)


def workflow_run_id(run: RunState) -> str:
    """The idempotency key of the whole run: its id if it has one. It never changes."""
    if run.id:
        return run.id
    return _derived_id(run.started_at, tuple(sorted(run.inputs.items())))


@lru_cache(maxsize=64)
def _derived_id(started_at: float, inputs: tuple[tuple[str, str], ...]) -> str:
    seed = json.dumps([started_at, inputs])
    return f"run-{sha256(seed.encode()).hexdigest()[:16]}"


def run_scope(run: RunState, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """The value of `run` for conditions and setups."""
    return {
        "input": typed_inputs(run.inputs, schema),
        "workflowRunId": workflow_run_id(run),
        "visits": dict(run.visits),
    }


def typed_inputs(inputs: Mapping[str, str], schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """The inputs with their types. An input is text; if the schema requires another type, it is
    parsed as JSON."""
    properties = (schema or {}).get("properties")
    declared = properties if isinstance(properties, Mapping) else {}
    return {name: _typed_input(text, declared.get(name)) for name, text in inputs.items()}


def _typed_input(text: str, schema: Any) -> Any:
    """One input. A schema with a reference to another part is not followed: its input stays a
    string."""
    if not isinstance(schema, Mapping):
        return text
    try:
        check = validator(schema)
        value = text if check.is_valid(text) else json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text
    return value if check.is_valid(value) else text


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def input_problem(inputs: Mapping[str, str], schema: Mapping[str, Any] | None) -> str:
    """The reason why a run cannot start with these inputs, or ""."""
    if schema is None:
        return ""
    names = as_list(schema.get("required"))
    missing = [name for name in names if name not in inputs]
    if missing:
        return f"The run needs the input {', '.join(map(repr, missing))}."
    try:
        error = next(validator(schema).iter_errors(typed_inputs(inputs, schema)), None)
    except ValueError:
        return "The run's input is nested too deeply, or has a key that is not a string."
    if error is None:
        return ""
    where = ".".join(map(str, error.instance_path))
    return (
        f"The run's input{f' {where!r}' if where else ''} does not fit its schema: {error.message}."
    )


def simulated_inputs(names: tuple[str, ...], schema: Mapping[str, Any] | None) -> dict[str, str]:
    """Generated inputs for a rehearsal that fit the schema."""
    properties = (schema or {}).get("properties")
    values = {}
    for name in names:
        part = properties.get(name) if isinstance(properties, Mapping) else None
        if isinstance(part, Mapping):
            value = value_for(part, Rng("made up", name), name=name)  # prose: off
            values[name] = value if isinstance(value, str) else json.dumps(value)
    return values


def setup_values(stage: Stage, scope: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields of ctx with a value: that of the path, or the default."""
    for field in stage.setup_fields:
        value = field.path.within(scope)
        if value is not MISSING:
            yield field.name, value
        elif field.has_default:
            yield field.name, field.default


def check_size(values: Iterable[Any], key: str, stage: str) -> None:
    """Raise StageFault if the values that `key` of a stage names are too long together. Many names
    can have the same long value, and an event repeats it for each."""
    left = MAX_TEXT
    for value in values:
        left -= text_size(value)
        if left < 0:
            raise invalid(
                "SignalboxValuesTooLong",
                f"The values of {key!r} in {stage!r} have more than {MAX_TEXT:,} characters "
                "together. Use fewer or smaller values.",
                f"/{key.replace('.', '/')}",
            )


def check_inputs(stage: Stage, upstream: list[Any]) -> None:
    """Raise StageFault if a result of a previous stage does not fit `inputsSchema`."""
    if stage.inputs is None:
        return
    check = validator(stage.inputs)
    for number, result in enumerate(upstream):
        error = next(check.iter_errors(result), None)
        if error is not None:
            where = "".join(
                f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.instance_path
            )
            raise invalid(
                "SignalboxInputsInvalid",
                f"ctx.upstream[{number}]{where} does not fit inputsSchema of {stage.id!r}: "
                f"{error.message}.",
                "/inputsSchema",
                upstream=number,
            )
