"""Measures of a run's history: transitions, skills, checks, steps, costs."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program.measures.base import (
    BadParams,
    Measure,
    Measurement,
    Observation,
    number,
    pass_or_fail,
    share_present,
    text_list,
)
from workflows.core.dialects.promptpack.program.measures.tool_use import TOOL_MEASURES, in_order
from workflows.core.dialects.promptpack.program.predicates import same
from workflows.core.dialects.promptpack.program.references import as_text
from workflows.core.text.tolerant import as_list, as_str, as_str_list


def workflow_complete(params: Object, observation: Observation) -> Measurement:
    return pass_or_fail(observation.ended, "The workflow is not complete.")


def workflow_state_is(params: Object, observation: Observation) -> Measurement:
    return pass_or_fail(
        observation.state == _state(params), f"The run is in {observation.state!r}."
    )


def workflow_transitioned_to(params: Object, observation: Observation) -> Measurement:
    there = {as_str(move.get("to")) for move in observation.moves}
    return pass_or_fail(_state(params) in there, "No transition led to this state.")


def workflow_transition_order(params: Object, observation: Observation) -> Measurement:
    states = [observation.entry, *(as_str(move.get("to")) for move in observation.moves)]
    return in_order(text_list(params, "sequence", "states"), states, "Not entered in this order")


def workflow_tool_access(params: Object, observation: Observation) -> Measurement:
    """Check that in the states with a rule only the allowed tools were called."""
    allowed = {
        as_str(rule.get("state")): as_str_list(rule.get("allowed"))
        for rule in as_list(params.get("rules"))
        if isinstance(rule, dict)
    }
    forbidden = [
        f"{call.get('name')} in {call.get('state')}"
        for call in observation.calls
        if call.get("state") in allowed and call.get("name") not in allowed[call["state"]]
    ]
    return pass_or_fail(not forbidden, f"Not allowed: {', '.join(forbidden)}", *forbidden)


def spoke_in_state(params: Object, observation: Observation) -> Measurement:
    here = _state(params)
    spoke = any(
        one.get("state") == here and as_str(one.get("text")).strip() for one in observation.replies
    )
    return pass_or_fail(spoke, f"The model did not reply in {here!r}.")


def _state(params: Object) -> str:
    state = as_str(params.get("state"))
    if not state:
        raise BadParams("requires 'state'")
    return state


def skill_activated(params: Object, observation: Observation) -> Measurement:
    wanted = text_list(params, "skills", "skill", "skill_names", "names")
    return share_present(wanted, list(observation.skills), "Not activated")


def skill_not_activated(params: Object, observation: Observation) -> Measurement:
    banned = text_list(params, "skills", "skill", "skill_names", "names")
    active = [name for name in banned if name in observation.skills]
    return pass_or_fail(not active, f"Activated: {', '.join(active)}", *active)


def skill_activation_order(params: Object, observation: Observation) -> Measurement:
    return in_order(
        text_list(params, "sequence", "skills"), observation.skills, "Not in this order"
    )


def guardrail_triggered(params: Object, observation: Observation) -> Measurement:
    kind, wanted = as_str(params.get("validator")), params.get("should_trigger") is not False
    direction = params.get("direction")
    fired = any(
        check.get("fired") and check.get("kind") == kind
        for check in observation.checks
        if direction in (None, "both", check.get("direction"))
    )
    return pass_or_fail(fired == wanted, f"{kind} {'fired' if fired else 'did not fire'}.")


def composition_step_output(params: Object, observation: Observation) -> Measurement:
    note = observation.steps.get(as_str(params.get("step")))
    if note is None or "output" not in note:
        return pass_or_fail(False, "This step has no output.")
    return _output_matches(params, note["output"])


def composition_output(params: Object, observation: Observation) -> Measurement:
    if not observation.outputs:
        return pass_or_fail(False, "No composition has an output.")
    return _output_matches(params, observation.outputs[-1])


def _output_matches(params: Object, value: Any) -> Measurement:
    if "equals" in params:
        return pass_or_fail(same(value, params["equals"]), "The output is different.")
    wanted = text_list(params, "contains")
    text = as_text(value).casefold()
    return share_present(
        wanted, [item for item in wanted if item.casefold() in text], "Not in the output"
    )


def composition_branch_taken(params: Object, observation: Observation) -> Measurement:
    note = observation.steps.get(as_str(params.get("branch")), {})
    wanted = params.get("expected")
    return pass_or_fail(
        wanted in (note.get("to"), note.get("taken")), f"The branch led to {note.get('to')!r}."
    )


def composition_parallel_complete(params: Object, observation: Observation) -> Measurement:
    note = observation.steps.get(as_str(params.get("parallel")), {})
    return pass_or_fail(note.get("status") == "done", "The parallel step is not complete.")


def latency_budget(params: Object, observation: Observation) -> Measurement:
    most = number(params, "max_ms")
    if most is None:
        raise BadParams("requires 'max_ms'")
    return pass_or_fail(observation.seconds * 1000 <= most, f"{observation.seconds * 1000:.0f} ms.")


def cost_budget(params: Object, observation: Observation) -> Measurement:
    spent = (
        ("max_cost_usd", observation.cost),
        ("max_input_tokens", observation.input_tokens),
        ("max_output_tokens", observation.output_tokens),
        ("max_total_tokens", observation.input_tokens + observation.output_tokens),
    )
    over = [
        f"{name}: {value:g}"
        for name, value in spent
        if (limit := number(params, name)) is not None and value > limit
    ]
    return pass_or_fail(not over, "; ".join(over), *over)


RUN_MEASURES: dict[str, Measure] = {
    **TOOL_MEASURES,
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
"""Every measure that does not need a text."""
