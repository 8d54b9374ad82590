"""Rules over `ctx.upstream`: the results that a prompt can read (sections 8.2 and 10.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.stages.format.paths import Path
from workflows.core.dialects.stages.format.templates import Placeholder
from workflows.core.dialects.stages.rules.kit import (
    stage_rule,
)
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note, count_of, quoted_list

RESULT_FIELDS = ("verdict", "reason", "parsed", "capHit", "attemptCount", "output")
"""Fields of a StageResult: all data that passes from one stage to another."""


def _upstream(facts: Facts) -> Iterator[tuple[str, Placeholder]]:
    for stage, there in facts.placeholders.items():
        for placeholder in there:
            if placeholder.root == "ctx" and placeholder.steps[0] == "upstream":
                yield stage, placeholder


@stage_rule("ST308", "warning", "Entry reads upstream", profiles=EVERY)
def upstream_at_entry(facts: Facts) -> Iterable[Note]:
    """The prompt reads the result of the previous stage, but this stage is always the first of a
    run, so there is no result and the text is empty. Take the value from the run's input."""
    for stage, placeholder in _upstream(facts):
        kinds = {use.kind for use in facts.uses[stage]}
        if kinds == {"entry"}:
            yield Note(
                message=f"{placeholder.text} is always empty in {stage!r}, "
                "the first stage of a run.",
                place=facts.body(stage, placeholder.line, "upstream"),
                hint="Read it from run.input in setup.",
            )


@stage_rule("ST309", "warning", "Branch reads upstream", profiles=EVERY)
def upstream_in_branch(facts: Facts) -> Iterable[Note]:
    """Stages that start in parallel get no results of the previous stage: `ctx.upstream` is empty
    in each branch, so the text is empty. Write the value to the slot in the `exit` of the previous
    stage, and read it in the `setup` of the branch."""
    for stage, placeholder in _upstream(facts):
        forks = [use.source for use in facts.uses[stage] if use.kind == "sibling"]
        if forks:
            yield Note(
                message=f"{placeholder.text} is empty when {stage!r} runs as a branch "
                f"of {forks[0]!r}.",
                place=facts.body(stage, placeholder.line, "upstream"),
                hint="Write it to the slot in exit, and read it from there in setup.",
            )


@stage_rule("ST310", "warning", "Join reads a branch that does not exist", profiles=EVERY)
def upstream_beyond_join(facts: Facts) -> Iterable[Note]:
    """A join gets one result per branch, in the order of the fork, counted from 0. This index is
    greater than the last one, so the text is empty. Correct the index."""
    for stage, placeholder in _upstream(facts):
        for use in facts.uses[stage]:
            index = placeholder.steps[1] if len(placeholder.steps) > 1 else 0
            if use.kind == "join" and isinstance(index, int) and index >= len(use.siblings):
                branches = count_of(len(use.siblings), "branch", "branches")
                yield Note(
                    message=f"{placeholder.text} is empty: {use.source!r} starts {branches}.",
                    place=facts.body(stage, placeholder.line, "upstream"),
                    hint=f"Results in order, from 0: {quoted_list(use.siblings)}.",
                )
                break


@stage_rule("ST311", "warning", "Stage gets only one result", profiles=EVERY)
def upstream_beyond_one(facts: Facts) -> Iterable[Note]:
    """A stage after one other stage gets one result, as `ctx.upstream[0]`. A higher index finds
    nothing, so the text is empty. Keep results of earlier stages in the slot."""
    for stage, placeholder in _upstream(facts):
        uses = {use.kind for use in facts.uses[stage]}
        index = placeholder.steps[1] if len(placeholder.steps) > 1 else 0
        if uses and uses <= {"entry", "sequential"} and isinstance(index, int) and index > 0:
            yield Note(
                message=f"{placeholder.text} is empty: {stage!r} gets at most one result.",
                place=facts.body(stage, placeholder.line, "upstream"),
                hint="Write upstream[0] for the previous stage.",
            )


@stage_rule("ST312", "warning", "Unknown field of an upstream result", profiles=EVERY)
def unknown_result_part(facts: Facts) -> Iterable[Note]:
    """The result of the previous stage has verdict, reason, parsed, output, capHit and
    attemptCount. No other data passes between stages, and no transcripts. `ctx.upstream` is a list,
    so its index comes first. Correct the path."""
    for stage, placeholder in _upstream(facts):
        steps = placeholder.steps[1:]
        if steps and not isinstance(steps[0], int):
            message = f"{placeholder.text} in {stage!r} has no index. Write upstream[0]."
        elif len(steps) > 1 and steps[1] not in RESULT_FIELDS:
            message = (
                f"{placeholder.text} in {stage!r} is empty: a result has no {str(steps[1])!r}."
            )
        else:
            continue
        yield Note(
            message=message,
            place=facts.body(stage, placeholder.line, "upstream"),
            hint=f"Fields: {quoted_list(RESULT_FIELDS, 6)}.",
        )


@stage_rule("ST313", "warning", "Previous stage does not return this value", profiles=EVERY)
def unknown_parsed_field(facts: Facts) -> Iterable[Note]:
    """The prompt reads a property that the completion schema of the previous stage neither
    describes nor allows, so the text is always empty. Correct the name, or add the property to that
    schema."""
    for stage, placeholder in _upstream(facts):
        index = placeholder.steps[1] if len(placeholder.steps) > 1 else None
        for source in results_of(facts, stage, index):
            path = Path(text=placeholder.text, root="result", steps=placeholder.steps[2:])
            missing = facts.result_gap(source, path)
            if missing is not None:
                yield Note(
                    message=f"{placeholder.text} in {stage!r} is empty: {source!r} "
                    f"returns no {str(missing.path[-1])!r}.",
                    place=facts.body(stage, placeholder.line, "upstream"),
                    hint=missing.next_step,
                )
                break


def results_of(facts: Facts, stage: str, index: object) -> Iterator[str]:
    """The stages whose result is `upstream[index]` of a stage."""
    if not isinstance(index, int):
        return
    for use in facts.uses[stage]:
        if use.kind == "sequential" and index == 0:
            yield use.source
        elif use.kind == "join" and index < len(use.siblings):
            yield use.siblings[index]
