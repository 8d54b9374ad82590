"""Measures of how a run went: its way through the workflow, skills, checks, steps, costs."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, word, words
from workflows.core.dialects.promptpack.program.measures.base import (
    BadParams,
    Measure,
    Measured,
    Seen,
    number,
    passed,
    share,
    texts_of,
)
from workflows.core.dialects.promptpack.program.measures.tool_use import TOOLS, in_order
from workflows.core.dialects.promptpack.program.predicates import same
from workflows.core.dialects.promptpack.program.references import as_text


def workflow_complete(params: Object, seen: Seen) -> Measured:
    return passed(seen.ended, "The workflow is not complete.")


def workflow_state_is(params: Object, seen: Seen) -> Measured:
    return passed(seen.state == _state(params), f"The run is in {seen.state!r}.")


def workflow_transitioned_to(params: Object, seen: Seen) -> Measured:
    there = {word(move.get("to")) for move in seen.moves}
    return passed(_state(params) in there, "No arrow led there.")


def workflow_transition_order(params: Object, seen: Seen) -> Measured:
    found = [seen.entry, *(word(move.get("to")) for move in seen.moves)]
    return in_order(texts_of(params, "sequence", "states"), found, "Not entered in this order")


def workflow_tool_access(params: Object, seen: Seen) -> Measured:
    """Where a rule names a state, only its tools may have been called there."""
    rules = params.get("rules")
    allowed = {
        word(rule.get("state")): words(rule.get("allowed"))
        for rule in (rules if isinstance(rules, list) else [])
        if isinstance(rule, dict)
    }
    wrong = [
        f"{call.get('name')} in {call.get('state')}"
        for call in seen.calls
        if call.get("state") in allowed and call.get("name") not in allowed[call["state"]]
    ]
    return passed(not wrong, f"Not allowed: {', '.join(wrong)}", *wrong)


def spoke_in_state(params: Object, seen: Seen) -> Measured:
    here = _state(params)
    spoke = any(one.get("state") == here and word(one.get("text")).strip() for one in seen.said)
    return passed(spoke, f"Nothing was said in {here!r}.")


def _state(params: Object) -> str:
    state = word(params.get("state"))
    if not state:
        raise BadParams("requires 'state'")
    return state


def skill_activated(params: Object, seen: Seen) -> Measured:
    wanted = texts_of(params, "skills", "skill", "skill_names", "names")
    return share(wanted, list(seen.skills), "Not taken up")


def skill_not_activated(params: Object, seen: Seen) -> Measured:
    banned = texts_of(params, "skills", "skill", "skill_names", "names")
    found = [name for name in banned if name in seen.skills]
    return passed(not found, f"Taken up: {', '.join(found)}", *found)


def skill_activation_order(params: Object, seen: Seen) -> Measured:
    return in_order(texts_of(params, "sequence", "skills"), seen.skills, "Not in this order")


def guardrail_triggered(params: Object, seen: Seen) -> Measured:
    kind, wanted = word(params.get("validator")), params.get("should_trigger") is not False
    direction = params.get("direction")
    fired = any(
        check.get("fired") and check.get("kind") == kind
        for check in seen.checks
        if direction in (None, "both", check.get("direction"))
    )
    return passed(fired == wanted, f"{kind} {'fired' if fired else 'did not fire'}.")


def composition_step_output(params: Object, seen: Seen) -> Measured:
    note = seen.steps.get(word(params.get("step")))
    if note is None or "output" not in note:
        return passed(False, "This step has no output.")
    return _fits(params, note["output"])


def composition_output(params: Object, seen: Seen) -> Measured:
    if not seen.outputs:
        return passed(False, "No composition has come to anything.")
    return _fits(params, seen.outputs[-1])


def _fits(params: Object, value: Any) -> Measured:
    if "equals" in params:
        return passed(same(value, params["equals"]), "It is something else.")
    wanted = texts_of(params, "contains")
    text = as_text(value).casefold()
    return share(wanted, [item for item in wanted if item.casefold() in text], "Not there")


def composition_branch_taken(params: Object, seen: Seen) -> Measured:
    note = seen.steps.get(word(params.get("branch")), {})
    wanted = params.get("expected")
    return passed(wanted in (note.get("to"), note.get("taken")), f"It led to {note.get('to')!r}.")


def composition_parallel_complete(params: Object, seen: Seen) -> Measured:
    note = seen.steps.get(word(params.get("parallel")), {})
    return passed(note.get("status") == "done", "It is not complete.")


def latency_budget(params: Object, seen: Seen) -> Measured:
    most = number(params, "max_ms")
    if most is None:
        raise BadParams("requires 'max_ms'")
    return passed(seen.seconds * 1000 <= most, f"{seen.seconds * 1000:.0f} ms.")


def cost_budget(params: Object, seen: Seen) -> Measured:
    spent = (
        ("max_cost_usd", seen.cost),
        ("max_input_tokens", seen.input_tokens),
        ("max_output_tokens", seen.output_tokens),
        ("max_total_tokens", seen.input_tokens + seen.output_tokens),
    )
    over = [
        f"{name}: {value:g}"
        for name, value in spent
        if (limit := number(params, name)) is not None and value > limit
    ]
    return passed(not over, "; ".join(over), *over)


DEEDS: dict[str, Measure] = {
    **TOOLS,
    "workflow_complete": workflow_complete,
    "workflow_state_is": workflow_state_is,
    "workflow_transitioned_to": workflow_transitioned_to,
    "workflow_transition_order": workflow_transition_order,
    "workflow_tool_access": workflow_tool_access,
    "spoke_in_state": spoke_in_state,
    "skill_activated": skill_activated,
    "skill_not_activated": skill_not_activated,
    "skill_activation_order": skill_activation_order,
    "guardrail_triggered": guardrail_triggered,
    "composition_step_output": composition_step_output,
    "composition_output": composition_output,
    "composition_branch_taken": composition_branch_taken,
    "composition_parallel_complete": composition_parallel_complete,
    "latency_budget": latency_budget,
    "cost_budget": cost_budget,
}
"""Every measure that needs no words."""
