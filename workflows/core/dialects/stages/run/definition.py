"""One stage as a run needs it: its contract, and what the pipeline says about it. What a run cannot
do without is refused here, with a sentence that names the file (stages.md sections 3, 7 and 16.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.stages.parts import Plan, Way, failure_way, ways
from workflows.core.dialects.stages.paths import Path, read_path
from workflows.core.dialects.stages.predicates import ROOTS, Problem, problems
from workflows.core.dialects.stages.schemas import problem
from workflows.core.dialects.stages.source import StageFile, StagesSource
from workflows.core.dialects.stages.stagefile import REQUIRED
from workflows.core.dialects.stages.templates import (
    RESERVED_FIELDS,
    converted,
    placeholders,
)
from workflows.core.engine.program import CannotRun

GATE_ROOTS = ("ctx", "slot", "run")
"""A gate is asked before there is a result."""
SETUP_ROOTS = ("run", "slot", "upstream")
INVENTED = {"retryPolicy": {"maxAttempts": 1, "backoff": "none"}, "resolutionPolicy": "retry-later"}
"""What a stage object does not say (section 3.5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A field of ctx that Setup fills. `default` counts where the path leads nowhere."""

    name: str
    path: Path
    has_default: bool = False
    default: Any = None
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """`otherwise`: what the gate says where `when` does not hold."""

    when: Any
    otherwise: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """An assertion: `verdict` unless the condition holds."""

    unless: Any
    verdict: str
    reason: str = ""


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
        filled=_setup(key, entry) if source.pipeline is not None else _from_inputs(body),
        gate=_gate(key, entry.get("gate")),
        rules=_rules(key, entry.get("assert")),
        slot=_kept(key, entry, "slot"),
        output=_kept(key, entry, "output"),
        most_visits=_most_visits(key, entry.get("maxVisits")),
        ways=_ways(source, key),
        failure=failure_way(source, key),
    )


def _values(key: str, file: StageFile) -> dict[str, Any]:
    """The head with everything that is required, each of its type."""
    if file.missing:
        raise _refused(key, f"its file {file.path!r} is not there" if file.path else "has no file")
    values: dict[str, Any] = dict(file.values)
    if file.form == "object":
        values = {**INVENTED, "name": _titled(key), **values}
    for name in REQUIRED:
        if name not in values and not (name == "allowedTools" and file.form == "object"):
            raise _refused(key, f"{file.path} has no {name!r}, and every stage needs one")
    for name in ("id", "name", "completionTool", "resolutionPolicy"):
        if not isinstance(values[name], str) or not values[name]:
            raise _refused(key, f"{name!r} in {file.path} is not a text")
    if values["id"] != key:
        raise _refused(key, f"{file.path} calls itself {values['id']!r}; both have to agree")
    _check_numbers(key, file, values)
    tools = values.get("allowedTools")
    if tools is not None and not (isinstance(tools, list) and all(map(_is_text, tools))):
        raise _refused(key, f"'allowedTools' in {file.path} is not a list of names")
    return values


def _check_numbers(key: str, file: StageFile, values: Mapping[str, Any]) -> None:
    cap, policy = values["turnCap"], values["retryPolicy"]
    if not _whole(cap) or cap < 1:
        raise _refused(
            key, f"'turnCap' in {file.path} is not a whole number from 1 on", "StageTurnCapTooLow"
        )
    most = policy.get("maxAttempts") if isinstance(policy, Mapping) else None
    if most is None or not _whole(most) or most < 1:
        raise _refused(key, f"'retryPolicy' in {file.path} has no 'maxAttempts' from 1 on")


def _schema(file: StageFile, values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    wrong = problem(values[name])
    if wrong is not None:
        raise CannotRun(
            f"{name!r} in {file.path} is no JSON Schema: {wrong.message}.",
            code="StageCompletionSchemaInvalid",
        )
    found: Mapping[str, Any] = values[name]
    return found


def _setup(key: str, entry: Mapping[str, Any]) -> tuple[Filled, ...]:
    return tuple(_filled(key, name, item) for name, item in _map(entry, "setup").items())


def _from_inputs(body: str) -> tuple[Filled, ...]:
    """A stage without a pipeline is tried alone: what its body names are the run's inputs."""
    names = dict.fromkeys(
        str(found.steps[0])
        for found in placeholders(body)
        if found.root == "ctx" and found.steps[0] not in RESERVED_FIELDS
    )
    return tuple(
        Filled(name=name, path=Path(text=name, root="run", steps=("input", name))) for name in names
    )


def _filled(key: str, name: str, item: Any) -> Filled:
    given = item if isinstance(item, Mapping) else {}
    path = read_path(given.get("from"))
    if path is None or path.root not in SETUP_ROOTS:
        known = ", ".join(f"{root}…" for root in ("run.input.", "slot.", "upstream[0]."))
        raise _refused(key, f"'setup' of {name!r} has no 'from' that begins with {known}")
    return Filled(
        name=name,
        path=path,
        has_default="default" in given,
        default=given.get("default"),
        optional=given.get("optional") is True,
    )


def _gate(key: str, value: Any) -> Gate | None:
    if value is None:
        return None
    given = value if isinstance(value, Mapping) else {}
    _check_condition(key, "gate", given.get("when"), GATE_ROOTS)
    otherwise, reason = given.get("else"), given.get("reason")
    return Gate(
        when=given["when"],
        otherwise=otherwise if isinstance(otherwise, str) else "block",
        reason=reason if isinstance(reason, str) else "",
    )


def _rules(key: str, value: Any) -> tuple[Rule, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise _refused(key, "'assert' is not a list of rules")
    found = []
    for item in value:
        given = item if isinstance(item, Mapping) else {}
        _check_condition(key, "assert", given.get("unless"), ROOTS)
        verdict, reason = given.get("verdict"), given.get("reason")
        if verdict not in ("retry", "fail", "skip"):
            raise _refused(key, f"the verdict {verdict!r} in 'assert' is not retry, fail or skip")
        said = reason if isinstance(reason, str) else ""
        found.append(Rule(unless=given["unless"], verdict=verdict, reason=said))
    return tuple(found)


def _kept(key: str, entry: Mapping[str, Any], name: str) -> tuple[tuple[str, Path], ...]:
    found = []
    for field, text in _map(_map(entry, "exit"), name).items():
        path = read_path(text)
        if path is None or path.root not in ROOTS:
            raise _refused(key, f"'exit.{name}.{field}' is no path that begins with result")
        found.append((field, path))
    return tuple(found)


def _ways(source: StagesSource, key: str) -> tuple[Way, ...]:
    found = ways(source, key)
    for way in found:
        if way.when is not None:
            _check_condition(key, "next", way.when, ROOTS)
    return found


def _most_visits(key: str, value: Any) -> int | None:
    if value is not None and (not _whole(value) or value < 1):
        raise _refused(key, "'maxVisits' is not a whole number from 1 on")
    return None if value is None else int(value)


def _check_condition(key: str, where: str, condition: Any, roots: tuple[str, ...]) -> None:
    wrong: tuple[Problem, ...] = problems(condition, roots)
    if wrong:
        raise _refused(key, f"a condition in {where!r} cannot be decided: {wrong[0].message}")


def _refused(key: str, why: str, code: str = "StageDefinitionInvalid") -> CannotRun:
    return CannotRun(f"The stage {key!r} cannot run: {why}.", code=code)


def _tools(value: Any) -> tuple[str, ...] | None:
    return None if value is None else tuple(dict.fromkeys(value))


def _map(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


def _titled(key: str) -> str:
    return key.replace("-", " ").replace("_", " ").title()


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
