"""Every rule of the dialect, by family."""

from __future__ import annotations

from functools import cache

from workflows.core.dialects.steps_registry.rules import (
    agent_definition,
    agent_tools,
    conditions,
    contract,
    design,
    drift_checks,
    drift_prompts,
    drift_routes,
    flow,
    gates,
    load_time,
    next_generation,
    prompt_addresses,
    prompts,
    schemas,
    transitions,
    validators,
    variables,
    verdicts,
)
from workflows.core.dialects.steps_registry.rules.refusals import refusal_rule
from workflows.core.pack.findings import Rule, rules_of

COVERED = frozenset({"GR101", "GR102", "GR103", "GR104", "GR106", "GR108"})
"""Rules over any graph that rules of this dialect replace: SR105–107 (entry), SR201–203 (missing
targets), SR601–602 (reachability), SR605 and SR611 (cycles). GR106 does not apply: a closure step
may end the run and also return with `repeat`."""


@cache
def rules() -> tuple[Rule, ...]:
    """All rules in the order of their codes."""
    return tuple(sorted((*_own_rules(), REFUSED), key=lambda each: each.code))


@cache
def _own_rules() -> tuple[Rule, ...]:
    return rules_of(
        load_time,
        agent_definition,
        verdicts,
        transitions,
        gates,
        conditions,
        contract,
        schemas,
        prompt_addresses,
        prompts,
        variables,
        validators,
        flow,
        drift_routes,
        drift_checks,
        drift_prompts,
        agent_tools,
        design,
        next_generation,
    )


REFUSED = refusal_rule(_own_rules)
