"""Setup, gate, asserts and exit of one stage in the pipeline (stages.md section 16.2). Invalid
parts are refused with CannotRun."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.stages.format.paths import Path, read_path
from workflows.core.dialects.stages.format.predicates import ROOTS, Problem, problems
from workflows.core.dialects.stages.format.templates import RESERVED_FIELDS, placeholders
from workflows.core.engine.program import CannotRun
from workflows.core.text.tolerant import as_str

GATE_ROOTS = ("ctx", "slot", "run")
"""Roots of a gate's paths. A gate is tested before the stage has a result."""
SETUP_ROOTS = ("run", "slot", "upstream")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupField:
    """A field of ctx that Setup fills. `default` applies if the path has no value."""

    name: str
    path: Path
    has_default: bool = False
    default: Any = None
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A gate. `otherwise` is its answer if `when` is false."""

    when: Any
    otherwise: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """An assert: `verdict` applies if the condition `unless` is false."""

    unless: Any
    verdict: str
    reason: str = ""


def setup_of(key: str, entry: Mapping[str, Any]) -> tuple[SetupField, ...]:
    return tuple(_setup_field(key, name, item) for name, item in map_at(entry, "setup").items())


def setup_from_body(body: str) -> tuple[SetupField, ...]:
    """The setup of a stage without a pipeline: fields in its body are inputs of the run."""
    names = dict.fromkeys(
        str(placeholder.steps[0])
        for placeholder in placeholders(body)
        if placeholder.root == "ctx" and placeholder.steps[0] not in RESERVED_FIELDS
    )
    return tuple(
        SetupField(name=name, path=Path(text=name, root="run", steps=("input", name)))
        for name in names
    )


def _setup_field(key: str, name: str, item: Any) -> SetupField:
    fields = item if isinstance(item, Mapping) else {}
    path = read_path(fields.get("from"))
    if path is None or path.root not in SETUP_ROOTS:
        origins = ", ".join(f"{root}…" for root in ("run.input.", "slot.", "upstream[0]."))
        raise refusal(key, f"'setup' of {name!r} has no 'from' that begins with {origins}")
    return SetupField(
        name=name,
        path=path,
        has_default="default" in fields,
        default=fields.get("default"),
        optional=fields.get("optional") is True,
    )


def gate_of(key: str, value: Any) -> Gate | None:
    if value is None:
        return None
    fields = value if isinstance(value, Mapping) else {}
    check_condition(key, "gate", fields.get("when"), GATE_ROOTS)
    otherwise, reason = fields.get("else"), fields.get("reason")
    return Gate(
        when=fields["when"],
        otherwise=otherwise if isinstance(otherwise, str) else "block",
        reason=as_str(reason),
    )


def rules_of(key: str, value: Any) -> tuple[Rule, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise refusal(key, "'assert' is not a list of rules")
    rules = []
    for item in value:
        fields = item if isinstance(item, Mapping) else {}
        check_condition(key, "assert", fields.get("unless"), ROOTS)
        verdict, reason = fields.get("verdict"), fields.get("reason")
        if verdict not in ("retry", "fail", "skip"):
            raise refusal(key, f"the verdict {verdict!r} in 'assert' is not retry, fail or skip")
        text = as_str(reason)
        rules.append(Rule(unless=fields["unless"], verdict=verdict, reason=text))
    return tuple(rules)


def exit_values(key: str, entry: Mapping[str, Any], name: str) -> tuple[tuple[str, Path], ...]:
    pairs = []
    for field, text in map_at(map_at(entry, "exit"), name).items():
        path = read_path(text)
        if path is None or path.root not in ROOTS:
            raise refusal(key, f"'exit.{name}.{field}' is not a path that begins with result")
        pairs.append((field, path))
    return tuple(pairs)


def check_condition(key: str, where: str, condition: Any, roots: tuple[str, ...]) -> None:
    errors: tuple[Problem, ...] = problems(condition, roots)
    if errors:
        raise refusal(key, f"a condition in {where!r} is not valid: {errors[0].message}")


def map_at(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    member = value.get(name)
    return member if isinstance(member, Mapping) else {}


def refusal(key: str, why: str, code: str = "StageDefinitionInvalid") -> CannotRun:
    return CannotRun(f"Stage {key!r} cannot run: {why}.", code=code)
