"""The checks of Climpt's startup, with its order and codes (section 3.1; 9.1 for 1.14).

Rules turn these into findings; the program refuses to start with the first group.
"""

from __future__ import annotations

from collections.abc import Iterator

from workflows.core.dialects.steps_registry.rules.startup.agent import agent_definition
from workflows.core.dialects.steps_registry.rules.startup.enums import enums
from workflows.core.dialects.steps_registry.rules.startup.next_generation import (
    next_entries,
    next_shape,
    phases,
    strict_steps,
)
from workflows.core.dialects.steps_registry.rules.startup.problem import Group, Problem
from workflows.core.dialects.steps_registry.rules.startup.registry import (
    agent_name,
    entries,
    graph_gate,
    shape,
    verdict_config,
    verdict_entry,
)
from workflows.core.dialects.steps_registry.rules.startup.steps import flow, kinds, pointers
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.source_cache import once_per_source

__all__ = ["Problem", "entries", "flow", "kinds", "pointers"]

HEADERS = {
    "SR-VALID-001": "Step registry validation failed (stepKind/intent mismatch):",
    "SR-ENTRY-003": 'Step registry for "{agent}" has invalid entryStepMapping:',
    "SR-VALID-002": "Step registry validation failed (intentSchemaRef):",
    "SR-VALID-003": "Step registry validation failed (intent schema enum mismatch):",
    "SR-VALID-004": "Registry validation failed:",
    "SR-VALID-005": "Step registry contains legacy-shape step entries (rejected):",
    "SR-GATE-003": "Flow validation failed. All Flow steps must define structuredGate, "
    "transitions, and outputSchemaRef.",
}


GROUPS: tuple[Group, ...] = (
    agent_definition,
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
NEXT_GROUPS: tuple[Group, ...] = (
    agent_definition,
    next_shape,
    agent_name,
    kinds,
    entries,
    next_entries,
    pointers,
    strict_steps,
    phases,
    enums,
    graph_gate,
    flow,
    verdict_config,
    verdict_entry,
)
"""The checks for the 1.14 generation, which runs all of them before it starts."""


def groups(source: RegistrySource) -> tuple[Group, ...]:
    """The groups of checks for the Climpt release of this generation, in its order."""
    return NEXT_GROUPS if source.generation == "B" else GROUPS


@once_per_source
def problems(source: RegistrySource) -> tuple[Problem, ...]:
    """Every problem of every group."""
    return tuple(problem for group in groups(source) for problem in group(source))


def of_rule(source: RegistrySource, rule: str) -> Iterator[Problem]:
    """The problems that belong to one of our rules."""
    return (problem for problem in problems(source) if problem.rule == rule)


def first_failure(source: RegistrySource) -> tuple[str, str] | None:
    """(code, message) of the first group that fails, in Climpt's words."""
    for group in groups(source):
        failures = list(group(source))
        if failures:
            code = failures[0].code
            same = [problem.line for problem in failures if problem.code == code]
            header = HEADERS.get(code)
            if header is None:
                return code, f"[{code}] {same[0]}"
            listed = "\n".join(f"- {line}" for line in same)
            return code, f"[{code}] {header.format(agent=source.agent_id)}\n{listed}"
    return None
