"""One stage as a run needs it: its contract, and what the pipeline says about it. What a run cannot
do without is refused here, with a sentence that names the file (stages.md sections 3, 7 and 16.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.stages.format.parts import Plan, Way, failure_way, ways
from workflows.core.dialects.stages.format.paths import Path
from workflows.core.dialects.stages.format.predicates import ROOTS
from workflows.core.dialects.stages.format.stage_file import REQUIRED
from workflows.core.dialects.stages.format.templates import converted
from workflows.core.dialects.stages.program.pipeline_parts import (
    Filled,
    Gate,
    Rule,
    check_condition,
    from_inputs,
    gate_of,
    kept_of,
    refused,
    rules_of,
    setup_of,
)
from workflows.core.dialects.stages.schemas.validity import problem
from workflows.core.dialects.stages.source import StageFile, StagesSource
from workflows.core.engine.program import CannotRun

INVENTED = {"retryPolicy": {"maxAttempts": 1, "backoff": "none"}, "resolutionPolicy": "retry-later"}
"""What a stage object does not say (section 3.5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """`id` is the pipeline's name for it. `allowed` None: every tool of the session."""

    id: str
    name: str
    body: str
    allowed: tuple[str, ...] | None
    tool: str
    schema: Mapping[str, Any]
    inputs: Mapping[str, Any] | None
    most_attempts: int
    backoff: str
    most_turns: int
    policy: str
    filled: tuple[Filled, ...] = ()
    gate: Gate | None = None
    rules: tuple[Rule, ...] = ()
    slot: tuple[tuple[str, Path], ...] = ()
    output: tuple[tuple[str, Path], ...] = ()
    most_visits: int | None = None
    ways: tuple[Way, ...] = ()
    failure: Plan | None = None


def stage_of(source: StagesSource, key: str) -> Stage:
    """Raises CannotRun for a stage that no run can execute."""
    file, entry = source.stages[key], source.entry(key)
    values = _values(key, file)
    policy: Any = values["retryPolicy"]
    body = converted(file.body) if file.form == "object" else file.body
    return Stage(
        id=key,
        name=str(values["name"]),
        body=body,
        allowed=_tools(values.get("allowedTools")),
        tool=str(values["completionTool"]),
        schema=_schema(file, values, "completionSchema"),
        inputs=_schema(file, values, "inputsSchema") if "inputsSchema" in values else None,
        most_attempts=policy["maxAttempts"],
        backoff=str(policy.get("backoff", "none")),
        most_turns=int(values["turnCap"]),
        policy=str(values["resolutionPolicy"]),
        filled=setup_of(key, entry) if source.pipeline is not None else from_inputs(body),
        gate=gate_of(key, entry.get("gate")),
        rules=rules_of(key, entry.get("assert")),
        slot=kept_of(key, entry, "slot"),
        output=kept_of(key, entry, "output"),
        most_visits=_most_visits(key, entry.get("maxVisits")),
        ways=_ways(source, key),
        failure=failure_way(source, key),
    )


def _values(key: str, file: StageFile) -> dict[str, Any]:
    """The head with everything that is required, each of its type."""
    if file.missing:
        raise refused(key, f"its file {file.path!r} is not there" if file.path else "has no file")
    values: dict[str, Any] = dict(file.values)
    if file.form == "object":
        values = {**INVENTED, "name": _titled(key), **values}
    for name in REQUIRED:
        if name not in values and not (name == "allowedTools" and file.form == "object"):
            raise refused(key, f"{file.path} has no {name!r}, and every stage needs one")
    for name in ("id", "name", "completionTool", "resolutionPolicy"):
        if not isinstance(values[name], str) or not values[name]:
            raise refused(key, f"{name!r} in {file.path} is not a text")
    if values["id"] != key:
        raise refused(key, f"{file.path} calls itself {values['id']!r}; both have to agree")
    _check_numbers(key, file, values)
    tools = values.get("allowedTools")
    if tools is not None and not (isinstance(tools, list) and all(map(_is_text, tools))):
        raise refused(key, f"'allowedTools' in {file.path} is not a list of names")
    return values


def _check_numbers(key: str, file: StageFile, values: Mapping[str, Any]) -> None:
    cap, policy = values["turnCap"], values["retryPolicy"]
    if not _whole(cap) or cap < 1:
        raise refused(
            key, f"'turnCap' in {file.path} is not a whole number from 1 on", "StageTurnCapTooLow"
        )
    most = policy.get("maxAttempts") if isinstance(policy, Mapping) else None
    if most is None or not _whole(most) or most < 1:
        raise refused(key, f"'retryPolicy' in {file.path} has no 'maxAttempts' from 1 on")


def _schema(file: StageFile, values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    wrong = problem(values[name])
    if wrong is not None:
        raise CannotRun(
            f"{name!r} in {file.path} is no JSON Schema: {wrong.message}.",
            code="StageCompletionSchemaInvalid",
        )
    found: Mapping[str, Any] = values[name]
    return found


def _ways(source: StagesSource, key: str) -> tuple[Way, ...]:
    found = ways(source, key)
    for way in found:
        if way.when is not None:
            check_condition(key, "next", way.when, ROOTS)
    return found


def _most_visits(key: str, value: Any) -> int | None:
    if value is not None and (not _whole(value) or value < 1):
        raise refused(key, "'maxVisits' is not a whole number from 1 on")
    return None if value is None else int(value)


def _tools(value: Any) -> tuple[str, ...] | None:
    return None if value is None else tuple(dict.fromkeys(value))


def _titled(key: str) -> str:
    return key.replace("-", " ").replace("_", " ").title()


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
