"""Forks: continuing a recorded run from one of its events, also under another revision.

A fork's log begins with the events of the old run, so no effect before the fork is performed again.
"""

from __future__ import annotations

from collections.abc import Sequence

from workflows.core.engine.effects import performer_of
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold
from workflows.core.engine.program import Budget, Program
from workflows.core.engine.run import RunState
from workflows.core.engine.step_context import StepContext


def fork_point(log: Sequence[Event], at: int) -> int:
    """The newest event up to `at` after which the run is between two steps; 0 if there is none.

    At this point every position has a pending effect or is held, so the run continues by requesting
    those again.
    """
    run, point = RunState(), 0
    for number, event in enumerate(log[:at], start=1):
        run = fold(run, event)
        following = log[number] if number < len(log) else None
        if (
            _is_between_steps(run)
            and not _is_from_runner(run, event)
            and not _continues(event, following)
        ):
            point = number
    return point


def _is_between_steps(run: RunState) -> bool:
    waiting = {effect.get("position") for effect in run.pending.values()}
    leaves = [place.id for place in run.positions if not run.forked(place.id)]
    return (
        bool(leaves) and not run.finished and all(id in waiting or id in run.held for id in leaves)
    )


def _is_from_runner(run: RunState, event: Event) -> bool:
    """Return True for events of the runner (an effect left to a person, allowed by one, repeated or
    unanswered): they concern only the old run's driver."""
    if event.type in ("effect.allowed", "effect.repeated"):
        return True
    if event.type == "run.waiting" and "effect" not in event.fields:
        effect = run.pending.get(str(event.fields.get("key", "")))
        return effect is None or performer_of(effect) != "person"
    return event.type == "run.paused" and "unanswered" in event.fields


def _continues(event: Event, following: Event | None) -> bool:
    """Return True if the next event belongs to this one: branches that end together, or a question
    and its `run.waiting`."""
    match following:
        case Event(type="state.left", fields={"cancelled": True}):
            return True
        case Event(type="run.waiting", fields=fields):
            return event.type == "approval.asked" and "effect" not in fields
        case _:
            return False


def repeat_requests(
    program: Program, run: RunState, at: float, *, budget: Budget | None = None
) -> tuple[Event, ...]:
    """The events when another program takes over a run at a fork point: it requests all pending
    effects again. A paused run resumes."""
    step = StepContext(program=program, run=run, at=at, budget=budget)
    waiting = [str(effect["position"]) for effect in run.pending.values()]
    if run.status == "paused" or run.stepping:
        step.write("run.resumed", {"reason": "Another revision takes over."})
    step.agenda.extend(dict.fromkeys([*waiting, *run.held]))
    step.go()
    return step.result()[0]
