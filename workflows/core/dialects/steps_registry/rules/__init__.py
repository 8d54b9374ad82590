"""Every rule of the dialect, by family."""

from __future__ import annotations

from functools import cache

from workflows.core.dialects.steps_registry.rules import (
    design,
    drift,
    flow,
    load_time,
    prompts,
    schemas,
    transitions,
    validators,
    variables,
)
from workflows.core.findings import Rule, rules_of


@cache
def rules() -> tuple[Rule, ...]:
    """All rules in the order of their codes."""
    return rules_of(
        load_time, transitions, schemas, prompts, variables, validators, flow, drift, design
    )
