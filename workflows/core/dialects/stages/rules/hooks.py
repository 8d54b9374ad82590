"""Rules over setup, gate, assert and exit of a stage in the pipeline (sections 7 and 16.2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.dialects.stages.format.paths import Path, read_path
from workflows.core.dialects.stages.format.predicates import ROOTS, paths
from workflows.core.dialects.stages.format.templates import RESERVED_FIELDS
from workflows.core.dialects.stages.rules.conditions import conditions, unknown_in_run
from workflows.core.dialects.stages.rules.kit import (
    set_in_pipeline,
    set_in_stage,
    stage_rule,
    unset_in_stage,
)
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note, make_fix, quoted_list
from workflows.core.text.tolerant import as_object

SETUP_ROOTS = ("run", "slot", "upstream")
GATE_WORDS = ("defer", "block", "skip", "retry")
"""Accepted answers of a gate. `skip` and `retry` are the source code's spellings of skipping and
deferring."""
VERDICTS = ("retry", "fail", "skip")
_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")


def setup_fields(facts: Facts) -> Iterator[tuple[str, str, dict[str, Any], Path]]:
    """Every field of a setup with a readable path: stage, name, its object, the path."""
    for stage, fields in facts.fields.items():
        for name, item in fields.items():
            path = read_path(item.get("from")) if isinstance(item, dict) else None
            if path is not None:
                yield stage, name, item, path


def may_be_missing(item: dict[str, Any]) -> bool:
    """True for a field of a setup that starts its stage without a value."""
    return "default" in item or item.get("optional") is True


@stage_rule("ST520", "error", "Setup is not valid", profiles=EVERY)
def setup_shape(facts: Facts) -> Iterable[Note]:
    """Each field of `setup` is an object whose `from` is the source of its value: `run.input.x`,
    `slot.x` or `upstream[0].parsed.x`. This one is not, so the stage cannot start. `default` and
    `optional` apply where the source has no value; they do not replace `from`."""
    for stage, setup in facts.declared("setup"):
        if not isinstance(setup, dict):
            yield Note(
                message=f"'setup' of {stage!r} is not an object.", place=facts.entry(stage, "setup")
            )
            continue
        for name, item in setup.items():
            problem = _wrong_field(item)
            if problem:
                fix = set_in_stage(stage, "setup", name, value={"from": f"run.input.{name}"})
                yield Note(
                    message=f"'setup.{name}' of {stage!r} {problem}.",
                    place=facts.entry(stage, "setup", name),
                    hint="Set 'from' to run.input.x, slot.x or upstream[0].parsed.x.",
                    fix=make_fix("Take it from the run's input", fix),
                )


def _wrong_field(item: Any) -> str:
    if not isinstance(item, dict):
        return "is not an object with 'from'"
    path = read_path(item.get("from"))
    if "from" not in item:
        return "has no 'from'"
    if path is None:
        return f"reads {item['from']!r}, which is not a path"
    if path.root not in SETUP_ROOTS:
        return f"reads {path.root!r} instead of run, slot or upstream"
    return ""


@stage_rule("ST521", "error", "Field has a reserved or invalid name", profiles=EVERY)
def field_name(facts: Facts) -> Iterable[Note]:
    """The runtime itself sets upstream, workflowRunId, stageExecutionId, attempts and host, so a
    field of `setup` with one of these names is lost. A name with characters other than letters,
    digits and underscores cannot be written in a placeholder. Rename the field."""
    for stage, fields in facts.fields.items():
        for name in fields:
            if name in RESERVED_FIELDS:
                message = f"'setup.{name}' of {stage!r} is reserved by the runtime. Rename it."
            elif not _NAME.match(name):
                message = f"No placeholder can name the field {name!r} of {stage!r}. Rename it."
            else:
                continue
            yield Note(message=message, place=facts.entry(stage, "setup", name))


@stage_rule("ST523", "warning", "Setup reads an unknown value of the run", profiles=EVERY)
def unknown_input(facts: Facts) -> Iterable[Note]:
    """The field reads a value that runs do not have: an input that `runInputSchema` does not
    describe, or a field other than `run.input`, `run.workflowRunId` and `run.visits`. Describe the
    input, or correct the name."""
    for stage, name, item, path in setup_fields(facts):
        problem = unknown_in_run(facts, path) if path.root == "run" else ""
        if not problem or may_be_missing(item):
            continue
        steps = path.steps
        describable = steps[0] == "input" and len(steps) > 1
        schema = ("runInputSchema", "properties", str(steps[1]) if describable else "")
        yield Note(
            message=f"'setup.{name}' of {stage!r} reads {path.text!r}, but {problem}.",
            place=facts.entry(stage, "setup", name, "from"),
            fix=make_fix(f"Describe the input {steps[1]}", set_in_pipeline(*schema, value={}))
            if describable
            else None,
        )


@stage_rule("ST524", "warning", "Setup reads a result that the stage does not get", profiles=EVERY)
def no_upstream(facts: Facts) -> Iterable[Note]:
    """The field reads the result of the previous stage, but this stage is always the first of a run
    or a branch, and neither gets a result. Write the value to the slot in the previous stage, and
    read it from there."""
    for stage, name, item, path in setup_fields(facts):
        kinds = {use.kind for use in facts.uses[stage]}
        if path.root != "upstream" or may_be_missing(item):
            continue
        if kinds and kinds <= {"entry", "sibling"}:
            what = "is the entry" if kinds == {"entry"} else "is a branch"
            yield Note(
                message=f"'setup.{name}' of {stage!r} reads {path.text!r}, but the stage"
                f" {what} and gets no result.",
                place=facts.entry(stage, "setup", name, "from"),
            )


@stage_rule("ST525", "hint", "Field is never read", profiles=EVERY)
def unused_field(facts: Facts) -> Iterable[Note]:
    """`setup` sets this field of ctx, but the prompt, the conditions and the `exit` of the stage do
    not read it. Remove the field, or use it."""
    read = _read_fields(facts)
    for stage, fields in facts.fields.items():
        if stage not in facts.sound:
            continue
        for name in fields:
            if (stage, name) not in read:
                yield Note(
                    message=f"'setup.{name}' of {stage!r} is never read. Remove it.",
                    place=facts.entry(stage, "setup", name),
                    fix=make_fix("Remove the field", unset_in_stage(stage, "setup", name)),
                )


def _read_fields(facts: Facts) -> set[tuple[str, str]]:
    """(stage, name) of every field of ctx that is read."""
    read = {
        (stage, str(placeholder.steps[0]))
        for stage, there in facts.placeholders.items()
        for placeholder in there
        if placeholder.root == "ctx"
    }
    for condition in conditions(facts):
        read |= {(condition.stage, _first(use.path)) for use in paths(condition.value)}
    for stage, _, _, path in kept_values(facts):
        if path is not None and path.root == "ctx":
            read.add((stage, _first(path)))
    return read


def _first(path: Path) -> str:
    return str(path.steps[0]) if path.root == "ctx" and path.steps else ""


def kept_values(facts: Facts) -> Iterator[tuple[str, tuple[str, ...], Any, Path | None]]:
    """Every value that an `exit` keeps: stage, pointer in its entry, raw value, path."""
    for stage, leaving in facts.declared("exit"):
        for part in ("slot", "output"):
            for name, text in as_object(as_object(leaving).get(part)).items():
                yield stage, ("exit", part, name), text, read_path(text)


@stage_rule("ST526", "error", "Gate is not valid", profiles=EVERY)
def gate_shape(facts: Facts) -> Iterable[Note]:
    """A gate is an object with `when` (a condition) and `else`, the answer if the condition is
    false: `defer` to test it again later, or `block` until a person releases it. A gate without
    `when` tests nothing, and a gate with another answer must not let the stage pass."""
    for stage, gate in facts.declared("gate"):
        if gate is None:
            continue
        if not isinstance(gate, dict) or "when" not in gate:
            yield Note(
                message=f"The gate of {stage!r} has no 'when'. Add a condition.",
                place=facts.entry(stage, "gate"),
            )
        elif gate.get("else") not in GATE_WORDS:
            actual = f"the unknown 'else' {gate['else']!r}" if "else" in gate else "no 'else'"
            yield Note(
                message=f"The gate of {stage!r} has {actual}. Write defer or block.",
                place=facts.entry(stage, "gate", "else"),
                hint="defer tests the condition again later; block waits for a person.",
                fix=make_fix("Block the stage", set_in_stage(stage, "gate", "else", value="block")),
            )


@stage_rule("ST527", "error", "Assert is not valid", profiles=EVERY)
def assert_shape(facts: Facts) -> Iterable[Note]:
    """`assert` is a list of objects, each with `unless` (a condition) and the `verdict` if the
    condition is false: retry, fail or skip. One of them has another shape, so the result cannot be
    judged. Correct it."""
    for stage, checks in facts.declared("assert"):
        if not isinstance(checks, list):
            yield Note(
                message=f"'assert' of {stage!r} is not a list.", place=facts.entry(stage, "assert")
            )
            continue
        for index, item in enumerate(checks):
            here = ("assert", index)
            if not isinstance(item, dict) or "unless" not in item:
                yield Note(
                    message=f"Assert {index + 1} of {stage!r} has no 'unless'. Add a condition.",
                    place=facts.entry(stage, *here),
                )
            elif item.get("verdict") not in VERDICTS:
                fix = set_in_stage(stage, *here, "verdict", value="retry")
                yield Note(
                    message=f"Assert {index + 1} of {stage!r} has no valid 'verdict'.",
                    place=facts.entry(stage, *here, "verdict"),
                    hint=f"Use one of {quoted_list(VERDICTS)}.",
                    fix=make_fix("Set the verdict to retry", fix),
                )


@stage_rule("ST528", "warning", "Retry without a second attempt", profiles=EVERY)
def useless_retry(facts: Facts) -> Iterable[Note]:
    """An assert has the verdict `retry`, but the stage's retry policy allows only one attempt, so
    the stage fails at once. Allow a second attempt, or write `fail`."""
    for stage, checks in facts.declared("assert"):
        most = as_object(facts.values(stage).get("retryPolicy")).get("maxAttempts")
        if most != 1 or not isinstance(checks, list):
            continue
        for index, item in enumerate(checks):
            if isinstance(item, dict) and item.get("verdict") == "retry":
                fix = set_in_stage(stage, "retryPolicy", "maxAttempts", value=2)
                yield Note(
                    message=f"Assert {index + 1} of {stage!r} can't retry: 'maxAttempts' is 1.",
                    place=facts.entry(stage, "assert", index, "verdict"),
                    fix=make_fix("Allow a second attempt", fix),
                )


@stage_rule("ST529", "error", "Exit is not valid", profiles=EVERY)
def exit_shape(facts: Facts) -> Iterable[Note]:
    """`exit` keeps values: `slot` for later stages, `output` for the next one. Each entry is a
    name and a path that begins with result, ctx, slot or run. One of them has another shape.
    Correct it."""
    for stage, leaving in facts.declared("exit"):
        if not isinstance(leaving, dict):
            yield Note(
                message=f"'exit' of {stage!r} is not an object.", place=facts.entry(stage, "exit")
            )
            continue
        for part, names in leaving.items():
            if part not in ("slot", "output") or not isinstance(names, dict):
                yield Note(
                    message=f"'exit.{part}' of {stage!r} is not an object under slot or output.",
                    place=facts.entry(stage, "exit", part),
                )
    for stage, pointer, text, path in kept_values(facts):
        if path is None or path.root not in ROOTS:
            yield Note(
                message=f"{'.'.join(pointer)!r} of {stage!r} is {text!r}, which is not a path.",
                place=facts.entry(stage, *pointer),
                hint="Write a path such as result.parsed.x.",
            )
