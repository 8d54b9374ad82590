"""Rules over the form of NextResults, cases and visit counts (section 10.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.dialects.stages.rules.kit import set_in_stage, stage_rule
from workflows.core.dialects.stages.rules.pipeline_facts import Facts, stage_pointer
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, make_fix
from workflows.core.text.tolerant import as_list

EXECUTIONS = ("sequential", "parallel")
SHAPES = {
    "next": 'Write { "nextStages": ["…"], "execution": "sequential" }.',
    "nextStages": 'Write a list of stages: ["…"].',
    "execution": "Write sequential or parallel.",
    "cases": 'Write a list of { "when": { … }, "then": { … } }.',
    "join": "Write the id of a stage, or remove the key.",
}
"""Key of a step → its form, as the next step of a finding."""
_AFTER = {"next": "After", "onParallelFailure": "After a failed branch of"}


@stage_rule("ST413", "error", "Step is not valid", profiles=EVERY)
def step_shape(facts: Facts) -> Iterable[Note]:
    """The step after a stage is an object with `nextStages` (a list of stages, empty at the end)
    and `execution` (sequential or parallel), or one with `cases` and `else`. This one has another
    shape, so its transitions are lost. The message names the problem."""
    for stage in facts.entries:
        entry = facts.source.entry(stage)
        for key in _AFTER:
            if key in entry:
                for where, message in _wrong_step(entry[key], (key,)):
                    yield Note(
                        message=f"{_AFTER[key]} {stage!r}{_which(where)}: {message}.",
                        place=facts.entry(stage, *where),
                        hint=SHAPES.get(str(where[-1]), SHAPES["next"]),
                        fix=_shape_fix(stage, where, message),
                    )


def _which(where: tuple[str | int, ...]) -> str:
    """The case or else that contains a place, for a message."""
    if where[1:2] == ("cases",) and len(where) > 2:
        return f" (case {int(where[2]) + 1})"
    return " (else)" if where[1:2] == ("else",) else ""


def _shape_fix(stage: str, where: tuple[str | int, ...], message: str) -> Fix | None:
    if where[-1:] == ("execution",):
        wanted = closest_name(_quoted(message), EXECUTIONS) or "sequential"
        return make_fix(f"Make it {wanted}", set_in_stage(stage, *where, value=wanted))
    if where[-1:] == ("nextStages",) and "a string" not in message:
        return make_fix("End the branch here", set_in_stage(stage, *where, value=[]))
    return None


def _quoted(message: str) -> str:
    return message.split("'")[1] if "'" in message else ""


def _wrong_step(value: Any, at: tuple[str | int, ...]) -> Iterator[tuple[Any, str]]:
    if not isinstance(value, dict):
        yield at, "the step is not an object"
    elif "cases" not in value and "else" not in value:
        yield from _wrong_plan(value, at)
    elif at == ("onParallelFailure",):
        yield at, "onParallelFailure can't have cases"
    else:
        cases = value.get("cases", [])
        if not isinstance(cases, list):
            yield (*at, "cases"), "cases is not a list"
        for index, case in enumerate(as_list(cases)):
            here = (*at, "cases", index)
            if not isinstance(case, dict) or "then" not in case:
                yield here, f"case {index + 1} is not an object with when and then"
            else:
                yield from _wrong_plan(case["then"], (*here, "then"))
        if "else" in value:
            yield from _wrong_plan(value["else"], (*at, "else"))


def _wrong_plan(value: Any, at: tuple[str | int, ...]) -> Iterator[tuple[Any, str]]:
    if not isinstance(value, dict):
        yield at, "the step is not an object with nextStages and execution"
        return
    listed, execution = value.get("nextStages"), value.get("execution")
    ends = "terminate" in (execution, value.get("kind"))
    if "nextStages" not in value:
        if not ends:
            yield (*at, "nextStages"), "nextStages is missing"
    elif isinstance(listed, str):
        yield (*at, "nextStages"), "nextStages is a string, not a list"
    elif not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
        yield (*at, "nextStages"), "nextStages is not a list of stages"
    if execution not in EXECUTIONS and not ends:
        actual = "is missing" if execution is None else f"is {execution!r}"
        yield (*at, "execution"), f"execution {actual}, not sequential or parallel"
    if "join" in value and not (isinstance(value["join"], str) and value["join"]):
        yield (*at, "join"), "join is not the name of a stage"


@stage_rule("ST414", "warning", "Stage has no next", profiles=EVERY)
def no_next(facts: Facts) -> Iterable[Note]:
    """The pipeline declares this stage without `next`, so a run ends after it. If that is intended,
    write an empty list; otherwise add a successor."""
    for stage in facts.entries:
        if "next" not in facts.source.entry(stage):
            end = {"nextStages": [], "execution": "sequential"}
            yield Note(
                message=f"{stage!r} has no 'next', so a run ends after it.",
                place=facts.entry(stage),
                fix=make_fix("Write an empty list", set_in_stage(stage, "next", value=end)),
            )


@stage_rule("ST416", "error", "maxVisits is not valid", profiles=EVERY)
def visits(facts: Facts) -> Iterable[Note]:
    """`maxVisits` is the maximum number of visits of this stage in a run: an integer of at least 1.
    Any other value sets no limit. Correct it."""
    for stage, most in facts.declared("maxVisits"):
        if not isinstance(most, int) or isinstance(most, bool) or most < 1:
            yield Note(
                message=f"'maxVisits' of {stage!r} is {most!r}, not an integer of at least 1.",
                place=facts.entry(stage, "maxVisits"),
                fix=make_fix("Make it 3", set_in_stage(stage, "maxVisits", value=3)),
            )


@stage_rule("ST418", "hint", "End is written as terminate", profiles=EVERY)
def terminate(facts: Facts) -> Iterable[Note]:
    """The executor of stud-cli marks the end of a branch with `terminate`; the format itself uses
    an empty `nextStages`. Both are read. Use the empty list in files for others."""
    for stage, plan in facts.plans:
        if plan.terminate:
            end = {"nextStages": [], "execution": "sequential"}
            yield Note(
                message=f"{stage!r} ends with 'terminate' instead of an empty list.",
                place=facts.plan(stage, plan),
                fix=make_fix(
                    "Write an empty list", set_in_stage(stage, *stage_pointer(plan), value=end)
                ),
            )
