"""Rules over `ctx.upstream`: which results a prompt finds there (sections 8.2 and 10.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.stages.format.templates import Placeholder
from workflows.core.dialects.stages.rules.kit import stage_rule
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.rules.kit import Note, count_of, quoted_list

RESULT_FIELDS = ("verdict", "reason", "parsed", "capHit", "attemptCount", "output")
"""What a StageResult has: all that crosses from one stage to another."""


def _upstream(facts: Facts) -> Iterator[tuple[str, Placeholder]]:
    for stage, there in facts.placeholders.items():
        for found in there:
            if found.root == "ctx" and found.steps[0] == "upstream":
                yield stage, found


@stage_rule("ST308", "warning", "Nothing comes before the entry")
def upstream_at_entry(facts: Facts) -> Iterable[Note]:
    """The prompt reads the result of the stage before, but this stage is only ever the first one of
    a run, so there is none and the text comes out empty. Take the value from the run's input."""
    for stage, found in _upstream(facts):
        kinds = {use.kind for use in facts.uses[stage]}
        if kinds == {"entry"}:
            yield Note(
                message=f"{found.text} is always empty: {stage!r} is where runs begin.",
                place=facts.body(stage, found.line, "upstream"),
                hint="Let setup take it from run.input.",
            )


@stage_rule("ST309", "warning", "Branch reads what it does not get")
def upstream_in_branch(facts: Facts) -> Iterable[Note]:
    """Stages that start together get no results of the stage before: `ctx.upstream` is empty for
    each of them, and the text comes out empty. What a branch needs has to be kept in the slot by
    the stage before, and taken from there by the branch's `setup`."""
    for stage, found in _upstream(facts):
        forks = [use.source for use in facts.uses[stage] if use.kind == "sibling"]
        if forks:
            yield Note(
                message=f"{found.text} is empty when {stage!r} runs as a branch of {forks[0]!r}.",
                place=facts.body(stage, found.line, "upstream"),
                hint="Keep it in the slot (exit) and take it from there (setup).",
            )


@stage_rule("ST310", "warning", "Join reads a branch too many")
def upstream_beyond_join(facts: Facts) -> Iterable[Note]:
    """A join gets one result for each branch, in the order in which the fork names them, counted
    from 0. This index is beyond the last one, so the text comes out empty."""
    for stage, found in _upstream(facts):
        for use in facts.uses[stage]:
            index = found.steps[1] if len(found.steps) > 1 else 0
            if use.kind == "join" and isinstance(index, int) and index >= len(use.siblings):
                branches = count_of(len(use.siblings), "branch", "branches")
                yield Note(
                    message=f"{found.text} is empty: {use.source!r} starts {branches}.",
                    place=facts.body(stage, found.line, "upstream"),
                    hint=f"In order, from 0: {quoted_list(use.siblings)}.",
                )
                break


@stage_rule("ST311", "warning", "Only one result comes over")
def upstream_beyond_one(facts: Facts) -> Iterable[Note]:
    """A stage that follows one other gets that one's result, as `ctx.upstream[0]`. A higher index
    finds nothing and the text comes out empty. Results from further back have to be kept in the
    slot."""
    for stage, found in _upstream(facts):
        uses = {use.kind for use in facts.uses[stage]}
        index = found.steps[1] if len(found.steps) > 1 else 0
        if uses and uses <= {"entry", "sequential"} and isinstance(index, int) and index > 0:
            yield Note(
                message=f"{found.text} is empty: one result at most comes to {stage!r}.",
                place=facts.body(stage, found.line, "upstream"),
                hint="Write upstream[0] for the stage before.",
            )


@stage_rule("ST312", "warning", "Result has no such part")
def unknown_result_part(facts: Facts) -> Iterable[Note]:
    """A result that crosses from one stage to the next has a verdict, a reason, what was parsed, an
    output, whether the cap was hit and the count of attempts. Nothing else crosses, transcripts
    least of all. `ctx.upstream` is a list, so an index comes first."""
    for stage, found in _upstream(facts):
        steps = found.steps[1:]
        if steps and not isinstance(steps[0], int):
            message = f"{found.text} in {stage!r} has no index; upstream is a list of results."
        elif len(steps) > 1 and steps[1] not in RESULT_FIELDS:
            message = f"{found.text} in {stage!r}: a result has no {str(steps[1])!r}."
        else:
            continue
        yield Note(
            message=message,
            place=facts.body(stage, found.line, "upstream"),
            hint=f"A result has {quoted_list(RESULT_FIELDS, 6)}.",
        )


@stage_rule("ST313", "warning", "Stage before hands over no such value")
def unknown_parsed_field(facts: Facts) -> Iterable[Note]:
    """The prompt reads a property of the result before that the completion schema there does not
    describe and does not allow, so it can never be there and the text comes out empty. Correct the
    name, or let the stage before hand it over."""
    for stage, found in _upstream(facts):
        for source in _sources(facts, stage, found):
            gone = _impossible(facts, source, found)
            if gone:
                yield Note(
                    message=f"{found.text} in {stage!r}: {source!r} hands over no {gone!r}.",
                    place=facts.body(stage, found.line, "upstream"),
                )
                break


def _sources(facts: Facts, stage: str, found: Placeholder) -> Iterator[str]:
    """The stages whose result a placeholder reads."""
    index = found.steps[1] if len(found.steps) > 1 else None
    if not isinstance(index, int):
        return
    for use in facts.uses[stage]:
        if use.kind == "sequential" and index == 0:
            yield use.source
        elif use.kind == "join" and index < len(use.siblings):
            yield use.siblings[index]


def _impossible(facts: Facts, source: str, found: Placeholder) -> str:
    """The first name behind `parsed` that the schema of a stage rules out, "" for none."""
    if found.steps[2:3] != ("parsed",):
        return ""
    schema = facts.values(source).get("completionSchema")
    for step in found.steps[3:]:
        if not isinstance(schema, dict) or not isinstance(step, str):
            return ""
        known = schema.get("properties")
        if not isinstance(known, dict) or schema.get("additionalProperties") is not False:
            return ""
        if "patternProperties" in schema or "$ref" in schema:
            return ""
        if step not in known:
            return step
        schema = known[step]
    return ""
