"""Replies for each outgoing transition of a stage, for rehearsals and scripts to choose from.

Every reply is simulated first: it is judged, exited and routed as in the run. A reply only contains
the values that decide the route; the driver generates the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from workflows.core.dialects.stages.format.parts import Route
from workflows.core.dialects.stages.graph.labels import FAILURE, JOIN
from workflows.core.dialects.stages.program.assertions import (
    final_verdict,
    provisional_result,
    verdict_of,
)
from workflows.core.dialects.stages.program.context import ExecutionContext
from workflows.core.dialects.stages.program.satisfying_values import payloads
from workflows.core.dialects.stages.program.stage_definition import Stage
from workflows.core.dialects.stages.program.stage_exit import Result, choose_route, read_values
from workflows.core.engine.effects import Choice
from workflows.core.engine.rehearsal.rng import Rng

MAX_TRIES = 8
Conditions = list[tuple[Any, bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyOutcome:
    """The outcome of a simulated reply: the verdict after all attempts, and the route taken."""

    verdict: str
    route: Route | None

    @property
    def case(self) -> Route | None:
        """The route if a condition chose it, else None."""
        return self.route if self.route is not None and self.route.when is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertCase:
    """Conditions for one outcome of Assert. `times` is the number of such replies that it takes."""

    conditions: Conditions
    times: int = 1


def choices(context: ExecutionContext, rng: Rng) -> tuple[Choice, ...]:
    """One choice per transition that a reply leads to, or one that only completes the stage."""
    by_transition: dict[str, Choice] = {}
    for choice in _candidates(context, rng):
        by_transition.setdefault(choice.transition, choice)
    return tuple(by_transition.values()) or (_completion(context.stage, "complete", "", {}),)


def _candidates(context: ExecutionContext, rng: Rng) -> Iterator[Choice]:
    stage = context.stage
    for assertion in _assert_cases(context):
        for case, conditions in _case_conditions(stage):
            wanted = [*assertion.conditions, *conditions]
            for decisive, payload in islice(payloads(stage, wanted, rng), MAX_TRIES):
                ending = _simulate_reply(context, payload, cap_hit=False)
                target = _target(context, ending)
                if target is not None:
                    yield _completion(stage, *target, decisive, assertion.times)
                if ending.case is case:
                    break
    target = _target(context, _simulate_reply(context, None, cap_hit=True))
    if target is not None:
        label, transition = target
        talk = {"text": f"Still thinking about {stage.id}."}
        times = _attempts_left(context) * stage.max_turns
        yield Choice(label=label, transition=transition, reply=talk, times=times)


def _completion(stage: Stage, label: str, transition: str, payload: Any, times: int = 1) -> Choice:
    call = {"name": stage.tool, "arguments": payload}
    return Choice(label=label, transition=transition, reply={"tool_calls": [call]}, times=times)


def _assert_cases(context: ExecutionContext) -> Iterator[AssertCase]:
    """The case that every rule holds; then, for each rule, the case that it is the first to
    fail."""
    rules = context.stage.rules
    yield AssertCase(conditions=[(rule.unless, True) for rule in rules])
    for number, rule in enumerate(rules):
        before: Conditions = [(earlier.unless, True) for earlier in rules[:number]]
        times = _attempts_left(context) if rule.verdict == "retry" else 1
        yield AssertCase(conditions=[*before, (rule.unless, False)], times=times)


def _attempts_left(context: ExecutionContext) -> int:
    return context.stage.max_attempts - context.attempt + 1


def _case_conditions(stage: Stage) -> Iterator[tuple[Route | None, Conditions]]:
    """For each case, the conditions that make it the first true one; then (None) those that make
    none true."""
    cases = [route for route in stage.routes if route.when is not None]
    for number, case in enumerate(cases):
        before: Conditions = [(earlier.when, False) for earlier in cases[:number]]
        yield case, [*before, (case.when, True)]
    yield None, [(case.when, False) for case in cases]


def _simulate_reply(context: ExecutionContext, parsed: Any, *, cap_hit: bool) -> ReplyOutcome:
    """Judge and route a reply. A `retry` counts as repeated until it is a `fail`."""
    stage, last = context.stage, context.stage.max_attempts
    provisional = provisional_result(parsed, cap_hit=cap_hit, attempt=context.attempt)
    own_verdict, why = verdict_of(stage, context.scope(provisional), cap_hit=cap_hit)
    verdict, reason = final_verdict(stage, own_verdict, why, last)
    attempts = last if own_verdict == "retry" else context.attempt
    result = Result(verdict=verdict, reason=reason, parsed=None if cap_hit else parsed)
    left = result.as_json(cap_hit=cap_hit, attempts=attempts)
    scope = context.scope(left)
    if stage.output:
        scope["result"] = {**left, "output": read_values(stage.output, scope)}
    scope["slot"] = {**context.slot, **read_values(stage.slot, scope)}
    return ReplyOutcome(verdict=verdict, route=choose_route(stage, scope, verdict))


def _target(context: ExecutionContext, ending: ReplyOutcome) -> tuple[str, str] | None:
    """Label and transition id. The id is "" if the run completes; None if the run fails."""
    route = ending.route
    if route is not None and not route.plan.ends:
        return route.label, f"{context.stage.id}|{route.label}|{route.plan.siblings[0]}"
    label = route.label if route is not None else "end"
    match context.memory.get("kind"):
        case "parallel":
            return _branch_target(context, label, ok=ending.verdict == "ok")
        case _ if ending.verdict == "fail" and route is None:
            return None
        case "sequence":
            parent = context.run.position(context.position.id.rpartition(".")[0])
            queue = parent.memory["queue"]
            if not queue["left"]:
                return label, ""
            return queue["label"], f"{parent.state}|{queue['label']}|{queue['left'][0]}"
        case _:
            return label, ""


def _branch_target(context: ExecutionContext, label: str, *, ok: bool) -> tuple[str, str] | None:
    """The target of a branch of a fork: its join, or the fork's step after a failure."""
    parent = context.run.position(context.position.id.rpartition(".")[0])
    join = parent.memory["group"]["join"]
    if ok and join is not None:
        return JOIN, f"{context.memory['branch']['sibling']}|{JOIN}|{join}"
    if ok:
        return label, ""
    failure = context.pipeline.stages[parent.state].failure
    if failure is None or failure.ends:
        return None
    return FAILURE, f"{parent.state}|{FAILURE}|{failure.siblings[0]}"
