"""One stage for a run: its contract and its entry in the pipeline. Raises CannotRun, with the
file's name, for missing or invalid values (stages.md sections 3, 7 and 16.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.stages.format.parts import Plan, Route, failure_plan, routes
from workflows.core.dialects.stages.format.paths import Path
from workflows.core.dialects.stages.format.predicates import ROOTS
from workflows.core.dialects.stages.format.stage_file import REQUIRED
from workflows.core.dialects.stages.format.templates import convert_references
from workflows.core.dialects.stages.program.pipeline_parts import (
    Gate,
    Rule,
    SetupField,
    check_condition,
    exit_values,
    gate_of,
    refusal,
    rules_of,
    setup_from_body,
    setup_of,
)
from workflows.core.dialects.stages.schemas.validity import problem
from workflows.core.dialects.stages.source import StageFile, StagesSource
from workflows.core.engine.program import CannotRun

OBJECT_DEFAULTS = {
    "retryPolicy": {"maxAttempts": 1, "backoff": "none"},
    "resolutionPolicy": "retry-later",
}
"""Values for the required keys that a stage object does not have (section 3.5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A checked stage. `id` is its key in the pipeline. `allowed` None: every tool of the
    session."""

    id: str
    name: str
    body: str
    allowed: tuple[str, ...] | None
    tool: str
    schema: Mapping[str, Any]
    inputs: Mapping[str, Any] | None
    max_attempts: int
    backoff: str
    max_turns: int
    policy: str
    setup_fields: tuple[SetupField, ...] = ()
    gate: Gate | None = None
    rules: tuple[Rule, ...] = ()
    slot: tuple[tuple[str, Path], ...] = ()
    output: tuple[tuple[str, Path], ...] = ()
    max_visits: int | None = None
    routes: tuple[Route, ...] = ()
    failure: Plan | None = None


def stage_of(source: StagesSource, key: str) -> Stage:
    """Read a stage. Raises CannotRun if it cannot run."""
    file, entry = source.stages[key], source.entry(key)
    values = _values(key, file)
    policy: Any = values["retryPolicy"]
    body = convert_references(file.body) if file.form == "object" else file.body
    return Stage(
        id=key,
        name=str(values["name"]),
        body=body,
        allowed=_tools(values.get("allowedTools")),
        tool=str(values["completionTool"]),
        schema=_schema(file, values, "completionSchema"),
        inputs=_schema(file, values, "inputsSchema") if "inputsSchema" in values else None,
        max_attempts=policy["maxAttempts"],
        backoff=str(policy.get("backoff", "none")),
        max_turns=int(values["turnCap"]),
        policy=str(values["resolutionPolicy"]),
        setup_fields=setup_of(key, entry) if source.pipeline is not None else setup_from_body(body),
        gate=gate_of(key, entry.get("gate")),
        rules=rules_of(key, entry.get("assert")),
        slot=exit_values(key, entry, "slot"),
        output=exit_values(key, entry, "output"),
        max_visits=_most_visits(key, entry.get("maxVisits")),
        routes=_checked_routes(source, key),
        failure=failure_plan(source, key),
    )


def _values(key: str, file: StageFile) -> dict[str, Any]:
    """The front matter with all required keys, each of its type."""
    if file.missing:
        raise refusal(key, f"its file {file.path!r} is missing" if file.path else "it has no file")
    values: dict[str, Any] = dict(file.values)
    if file.form == "object":
        values = {**OBJECT_DEFAULTS, "name": _title(key), **values}
    for name in REQUIRED:
        if name not in values and not (name == "allowedTools" and file.form == "object"):
            raise refusal(key, f"{file.path} has no {name!r}")
    for name in ("id", "name", "completionTool", "resolutionPolicy"):
        if not isinstance(values[name], str) or not values[name]:
            raise refusal(key, f"{name!r} in {file.path} is not a string")
    if values["id"] != key:
        raise refusal(key, f"its id in {file.path} is {values['id']!r}. Use one id")
    _check_numbers(key, file, values)
    tools = values.get("allowedTools")
    if tools is not None and not (isinstance(tools, list) and all(map(_is_text, tools))):
        raise refusal(key, f"'allowedTools' in {file.path} is not a list of names")
    return values


def _check_numbers(key: str, file: StageFile, values: Mapping[str, Any]) -> None:
    cap, policy = values["turnCap"], values["retryPolicy"]
    if not _is_integer(cap) or cap < 1:
        raise refusal(
            key, f"'turnCap' in {file.path} is not an integer of at least 1", "StageTurnCapTooLow"
        )
    most = policy.get("maxAttempts") if isinstance(policy, Mapping) else None
    if most is None or not _is_integer(most) or most < 1:
        raise refusal(key, f"'retryPolicy' in {file.path} has no 'maxAttempts' of at least 1")


def _schema(file: StageFile, values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    error = problem(values[name])
    if error is not None:
        raise CannotRun(
            f"{name!r} in {file.path} is not a valid JSON Schema: {error.message}.",
            code="StageCompletionSchemaInvalid",
        )
    schema: Mapping[str, Any] = values[name]
    return schema


def _checked_routes(source: StagesSource, key: str) -> tuple[Route, ...]:
    stage_routes = routes(source, key)
    for route in stage_routes:
        if route.when is not None:
            check_condition(key, "next", route.when, ROOTS)
    return stage_routes


def _most_visits(key: str, value: Any) -> int | None:
    if value is not None and (not _is_integer(value) or value < 1):
        raise refusal(key, "'maxVisits' is not an integer of at least 1")
    return None if value is None else int(value)


def _tools(value: Any) -> tuple[str, ...] | None:
    return None if value is None else tuple(dict.fromkeys(value))


def _title(key: str) -> str:
    return key.replace("-", " ").replace("_", " ").title()


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
