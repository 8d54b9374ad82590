"""What stops Climpt 1.13.27 from starting, in its order and with its codes (section 3.1).

Rules turn these into findings; the program refuses to start with the first group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from posixpath import basename

from workflows.core.dialects.steps_registry.schemas_ref import (
    SchemaProblem,
    enum_of,
    enum_spot,
    intent_keys,
    plain_enum,
)
from workflows.core.dialects.steps_registry.sights import Look, remembered
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.dialects.steps_registry.steps import Step
from workflows.core.dialects.steps_registry.words import ALLOWED, VERDICTS
from workflows.core.text.json_text import Pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """`line` is how Climpt words it, `rule` which of our rules tells it, `step` whose it is."""

    code: str
    rule: str
    line: str
    pointer: Pointer = ()
    step: str = ""
    detail: tuple[str, ...] = ()


Group = Callable[[RegistrySource], Iterator[Problem]]


def _of_steps(look: Look[Problem]) -> Group:
    """A group that looks at single steps: remembered for those that did not change."""

    def group(source: RegistrySource) -> Iterator[Problem]:
        return chain.from_iterable(remembered(source, look.__name__, look).values())

    return group


def shape(source: RegistrySource) -> Iterator[Problem]:
    missing = [key for key in ("agentId", "version", "steps") if not source.value.get(key)]
    if missing and source.value.get("steps") != {}:
        yield Problem(
            code="SR-LOAD-001",
            rule="SR101",
            line="Invalid registry format: missing required fields (agentId, version, steps).",
            detail=tuple(missing),
        )


def agent_name(source: RegistrySource) -> Iterator[Problem]:
    given = source.value.get("agentId")
    name = source.agent_value("name") or (basename(source.folder) if source.in_tree else None)
    if given and name and given != name:
        yield Problem(
            code="SR-LOAD-002",
            rule="SR102",
            line=f'Registry agentId mismatch: expected "{name}", got "{given}".',
            pointer=("agentId",),
            detail=(str(name), str(given)),
        )


@_of_steps
def kinds(source: RegistrySource, steps: Iterable[Step]) -> Iterator[Problem]:
    for step in steps:
        allowed = ALLOWED.get(step.kind or "")
        if step.gate is None or allowed is None:
            continue
        for index, intent in enumerate(step.allowed):
            if intent not in allowed:
                yield Problem(
                    code="SR-VALID-001",
                    rule="SR103",
                    line=f"Step \"{step.id}\": intent '{intent}' not allowed for stepKind "
                    f"'{step.kind}'. Allowed intents for {step.kind}: {', '.join(allowed)}. "
                    "(Work steps use 'handoff' to transition to closure, closure steps use "
                    "'closing' to complete)",
                    pointer=("steps", step.id, "structuredGate", "allowedIntents", index),
                    step=step.id,
                    detail=(intent,),
                )
        fallback = step.gate.get("fallbackIntent")
        if isinstance(fallback, str) and fallback and fallback not in allowed:
            yield Problem(
                code="SR-VALID-001",
                rule="SR104",
                line=f"Step \"{step.id}\": fallbackIntent '{fallback}' not allowed for stepKind "
                f"'{step.kind}'",
                pointer=("steps", step.id, "structuredGate", "fallbackIntent"),
                step=step.id,
                detail=(fallback,),
            )


def entries(source: RegistrySource) -> Iterator[Problem]:
    steps = source.value.get("steps")
    known = steps if isinstance(steps, dict) else {}
    entry, mapping = source.value.get("entryStep"), source.value.get("entryStepMapping")
    if not entry and not mapping:
        yield Problem(
            code="SR-ENTRY-001",
            rule="SR105",
            line=f'Step registry for "{source.agent_id}" missing entry configuration.',
        )
    if isinstance(entry, str) and entry and entry not in known:
        yield Problem(
            code="SR-ENTRY-002",
            rule="SR106",
            line=f'Step registry for "{source.agent_id}": entryStep "{entry}" does not exist in '
            "steps.",
            pointer=("entryStep",),
            detail=(entry,),
        )
    for key, target in source.entries:
        if key and target not in known:
            yield Problem(
                code="SR-ENTRY-003",
                rule="SR107",
                line=f'entryStepMapping["{key}"] references non-existent step "{target}"',
                pointer=("entryStepMapping", key),
                detail=(key, target),
            )


@_of_steps
def pointers(source: RegistrySource, steps: Iterable[Step]) -> Iterator[Problem]:
    for step in steps:
        if step.gate is None:
            continue
        given = step.gate.get("intentSchemaRef")
        if not given:
            yield _gate(step, "SR108", "intentSchemaRef")
            continue
        if not str(given).startswith("#/"):
            yield Problem(
                code="SR-VALID-002",
                rule="SR108",
                line=f'Step "{step.id}": intentSchemaRef must be internal pointer starting with '
                f'"#/" (got "{given}"). Use $ref in step schema to reference common definitions.',
                pointer=("steps", step.id, "structuredGate", "intentSchemaRef"),
                step=step.id,
                detail=(str(given),),
            )
        if not step.gate.get("intentField"):
            yield _gate(step, "SR109", "intentField")


def _gate(step: Step, rule: str, key: str) -> Problem:
    return Problem(
        code="SR-VALID-002",
        rule=rule,
        line=f'Step "{step.id}" has structuredGate but missing required {key}',
        pointer=("steps", step.id, "structuredGate"),
        step=step.id,
    )


@_of_steps
def enums(source: RegistrySource, steps: Iterable[Step]) -> Iterator[Problem]:
    for step in steps:
        if step.gate is None or step.reference is None or intent_keys(step) is None:
            continue
        if (enum := plain_enum(source, step)) is not None and set(enum) == set(step.allowed):
            continue
        if (problem := _enum_problem(source, step)) is not None:
            yield problem


def _enum_problem(source: RegistrySource, step: Step) -> Problem | None:
    reference = step.reference
    gate = step.gate or {}
    assert reference is not None
    at_reference: Pointer = ("steps", step.id, "outputSchemaRef")
    try:
        spot = enum_spot(source, step)
    except SchemaProblem as problem:
        rule = "SR301" if "no such file" in str(problem) or "not JSON" in str(problem) else "SR302"
        return Problem(
            code="SR-VALID-003",
            rule=rule if "$ref" not in str(problem) else "SR305",
            line=f'Step "{step.id}": Failed to load schema for enum validation: {problem}',
            pointer=at_reference,
            step=step.id,
            detail=(str(problem),),
        )
    if spot is None:
        return Problem(
            code="SR-VALID-003",
            rule="SR303",
            line=f'Step "{step.id}": intentSchemaRef "{gate.get("intentSchemaRef")}" does '
            f"not point to an enum in {reference[0]}#{reference[1]}",
            pointer=("steps", step.id, "structuredGate", "intentSchemaRef"),
            step=step.id,
        )
    enum = enum_of(source, spot)
    missing = [item for item in step.allowed if item not in enum]
    extra = [item for item in enum if item not in step.allowed]
    if not missing and not extra:
        return None
    parts = []
    if missing:
        parts.append(f"allowedIntents [{', '.join(missing)}] not in schema")
    if extra:
        parts.append(f"schema has extra [{', '.join(extra)}] not in allowedIntents")
    return Problem(
        code="SR-VALID-003",
        rule="SR304",
        line=f'Step "{step.id}": enum mismatch - {"; ".join(parts)}. Expected exact match: '
        f"allowedIntents=[{', '.join(step.allowed)}], schema enum=[{', '.join(enum)}]",
        pointer=("steps", step.id, "structuredGate", "allowedIntents"),
        step=step.id,
        detail=(", ".join(missing), ", ".join(extra)),
    )


def graph_gate(source: RegistrySource) -> Iterator[Problem]:
    if source.verdict == "detect:graph" and not source.flow:
        yield Problem(
            code="SR-GATE-004",
            rule="SR112",
            line=f'Agent "{source.agent_id}" uses verdictType "detect:graph" but registry has no '
            "steps with structuredGate.",
        )


FLOW_KEYS = ("structuredGate", "transitions", "outputSchemaRef")


def flow(source: RegistrySource) -> Iterator[Problem]:
    """Climpt names the steps without a gate first, then those without transitions."""
    return iter(sorted(_incomplete(source), key=lambda item: FLOW_KEYS.index(item.detail[0])))


@_of_steps
def _incomplete(source: RegistrySource, steps: Iterable[Step]) -> Iterator[Problem]:
    for key in FLOW_KEYS if source.flow else ():
        for step in steps:
            if not step.exempt and not step.value.get(key) and step.value.get(key) != {}:
                yield Problem(
                    code="SR-GATE-003",
                    rule="SR110",
                    line=f"Steps missing {key}: {step.id}",
                    pointer=("steps", step.id),
                    step=step.id,
                    detail=(key,),
                )


def verdict_entry(source: RegistrySource) -> Iterator[Problem]:
    if source.verdict == "detect:graph":
        stated = source.value.get("entryStep") or source.verdict_config.get("entryStep")
        if not stated:
            yield Problem(
                code="SR-ENTRY-004", rule="SR113", line="No entry step configured in registry."
            )
    if source.entries and source.entry is None:
        yield Problem(
            code="SR-GATE-002",
            rule="SR111",
            line=f'No entry step configured for verdictType "{source.verdict}".',
        )


REQUIRED = {
    "detect:structured": ("AC-VERDICT-002", "signalType"),
    "meta:composite": ("AC-VERDICT-003", "conditions"),
    "meta:custom": ("AC-VERDICT-004", "handlerPath"),
}


def verdict_config(source: RegistrySource) -> Iterator[Problem]:
    if not source.agent:
        return
    if source.verdict not in VERDICTS:
        yield Problem(
            code="AC-VERDICT-005",
            rule="SR114",
            line=f'Unknown verdict type "{source.verdict}".',
            detail=("type",),
        )
    code, key = REQUIRED.get(source.verdict, ("", ""))
    if key and not source.verdict_config.get(key):
        yield Problem(
            code=code,
            rule="SR114",
            line=f"{source.verdict} verdict type requires {key}.",
            detail=(key,),
        )


HEADERS = {
    "SR-VALID-001": "Step registry validation failed (stepKind/intent mismatch):",
    "SR-ENTRY-003": 'Step registry for "{agent}" has invalid entryStepMapping:',
    "SR-VALID-002": "Step registry validation failed (intentSchemaRef):",
    "SR-VALID-003": "Step registry validation failed (intent schema enum mismatch):",
    "SR-GATE-003": "Flow validation failed. All Flow steps must define structuredGate, "
    "transitions, and outputSchemaRef.",
}


GROUPS: tuple[Group, ...] = (
    shape,
    agent_name,
    kinds,
    entries,
    pointers,
    enums,
    graph_gate,
    flow,
    verdict_config,
    verdict_entry,
)


def problems(source: RegistrySource) -> tuple[Problem, ...]:
    """Every problem of every group, remembered with the source."""
    found: tuple[Problem, ...] | None = source.kept.get("load")
    if found is None:
        found = tuple(problem for group in GROUPS for problem in group(source))
        source.kept["load"] = found
    return found


def of_rule(source: RegistrySource, rule: str) -> Iterator[Problem]:
    """The problems that one of our rules tells."""
    return (problem for problem in problems(source) if problem.rule == rule)


def first_failure(source: RegistrySource) -> tuple[str, str] | None:
    """(code, message) of the first group that fails, worded as Climpt words it."""
    for group in GROUPS:
        found = list(group(source))
        if found:
            code = found[0].code
            same = [problem.line for problem in found if problem.code == code]
            header = HEADERS.get(code)
            if header is None:
                return code, f"[{code}] {same[0]}"
            listed = "\n".join(f"- {line}" for line in same)
            return code, f"[{code}] {header.format(agent=source.agent_id)}\n{listed}"
    return None
