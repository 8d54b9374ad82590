"""Going on from the middle of a recorded run: where that is possible, and under another revision.

Nothing is asked of anybody to get there. A fork's log begins with the events of the old run.
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
    """The newest event up to `at` after which nothing is half done; 0 where there is none.

    There every position has asked for something or is held, so that the run goes on by asking that
    again.
    """
    run, point = RunState(), 0
    for number, event in enumerate(log[:at], start=1):
        run = fold(run, event)
        following = log[number] if number < len(log) else None
        if _settled(run) and not _said_by_the_shell(run, event) and not _goes_on(event, following):
            point = number
    return point


def _settled(run: RunState) -> bool:
    asked = {effect.get("position") for effect in run.pending.values()}
    leaves = [place.id for place in run.positions if not run.forked(place.id)]
    return bool(leaves) and not run.finished and all(id in asked or id in run.held for id in leaves)


def _said_by_the_shell(run: RunState, event: Event) -> bool:
    """That a person answers, or that nobody could: true of the old run's driver alone."""
    if event.type == "run.waiting" and "effect" not in event.fields:
        effect = run.pending.get(str(event.fields.get("key", "")))
        return effect is None or performer_of(effect) != "person"
    return event.type == "run.paused" and "unanswered" in event.fields


def _goes_on(event: Event, following: Event | None) -> bool:
    """Whether the next event belongs to this one: branches that end together, a question and whom
    it waits for."""
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
    """What happens when another program takes over a run at a fork point: everything that was asked
    and not answered is asked once more, in its words. A paused run goes on."""
    stride = StepContext(program=program, run=run, at=at, budget=budget)
    asked = [str(effect["position"]) for effect in run.pending.values()]
    if run.status == "paused" or run.stepping:
        stride.write("run.resumed", {"reason": "Another revision takes over."})
    stride.agenda.extend(dict.fromkeys([*asked, *run.held]))
    stride.go()
    return stride.result()[0]
