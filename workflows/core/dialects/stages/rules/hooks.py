"""Rules over what the pipeline does around a stage: setup, gate, assert and exit (sections 7 and
16.2)."""

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
from workflows.core.rules.kit import Note, make_fix, quoted_list

SETUP_ROOTS = ("run", "slot", "upstream")
GATE_WORDS = ("defer", "block", "skip", "retry")
"""What a gate may answer; the last two are how the source code says skip and defer."""
VERDICTS = ("retry", "fail", "skip")
_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")


def _fields(facts: Facts) -> Iterator[tuple[str, str, dict[str, Any], Path]]:
    """Every field that a setup sets from a readable path: stage, name, its object, the path."""
    for stage, fields in facts.fields.items():
        for name, item in fields.items():
            path = read_path(item.get("from")) if isinstance(item, dict) else None
            if path is not None:
                yield stage, name, item, path


def _may_be_missing(item: dict[str, Any]) -> bool:
    return "default" in item or item.get("optional") is True


@stage_rule("ST520", "error", "Setup cannot be carried out")
def setup_shape(facts: Facts) -> Iterable[Note]:
    """Each field of `setup` is an object that says where its value comes from: `run.input.x`,
    `slot.x` or `upstream[0].parsed.x`. This one does not, so the stage cannot begin. `default` and
    `optional` say what happens where there is no value; they do not replace `from`."""
    for stage in facts.entries:
        setup = facts.source.entry(stage).get("setup", {})
        if not isinstance(setup, dict):
            yield Note(
                message=f"'setup' of {stage!r} is not an object.", place=facts.entry(stage, "setup")
            )
            continue
        for name, item in setup.items():
            said = _wrong_field(item)
            if said:
                fix = set_in_stage(stage, "setup", name, value={"from": f"run.input.{name}"})
                yield Note(
                    message=f"'setup.{name}' of {stage!r} {said}.",
                    place=facts.entry(stage, "setup", name),
                    hint="Write from: run.input.x, slot.x or upstream[0].parsed.x.",
                    fix=make_fix("Take it from the run's input", fix),
                )


def _wrong_field(item: Any) -> str:
    if not isinstance(item, dict):
        return "is not an object with from"
    path = read_path(item.get("from"))
    if "from" not in item:
        return "does not say where it comes from"
    if path is None:
        return f"comes from {item['from']!r}, which is no path"
    if path.root not in SETUP_ROOTS:
        return f"comes from {path.root!r}; it can be run, slot or upstream"
    return ""


@stage_rule("ST521", "error", "Field may not have this name")
def field_name(facts: Facts) -> Iterable[Note]:
    """`setup` sets fields of ctx that prompts name. The runtime fills upstream, workflowRunId,
    stageExecutionId, attempts and host itself, so a field of that name would be lost; and a name
    with other signs than letters, digits and underscores cannot be written in a placeholder."""
    for stage, fields in facts.fields.items():
        for name in fields:
            if name in RESERVED_FIELDS:
                said = f"The runtime sets ctx.{name} itself; setup of {stage!r} may not."
            elif not _NAME.match(name):
                said = f"No placeholder can name the field {name!r} of {stage!r}."
            else:
                continue
            yield Note(message=said, place=facts.entry(stage, "setup", name))


@stage_rule("ST523", "warning", "Setup reads what no run has")
def unknown_input(facts: Facts) -> Iterable[Note]:
    """The field comes from a value that a run does not have: an input that `runInputSchema` does
    not describe, or something beside `run.input`, `run.workflowRunId` and `run.visits`. Describe
    the input, or correct the name."""
    for stage, name, item, path in _fields(facts):
        said = unknown_in_run(facts, path) if path.root == "run" else ""
        if not said or _may_be_missing(item):
            continue
        steps = path.steps
        describable = steps[0] == "input" and len(steps) > 1
        schema = ("runInputSchema", "properties", str(steps[1]) if describable else "")
        yield Note(
            message=f"'setup.{name}' of {stage!r} reads {path.text!r}: {said}.",
            place=facts.entry(stage, "setup", name, "from"),
            fix=make_fix(f"Describe the input {steps[1]}", set_in_pipeline(*schema, value={}))
            if describable
            else None,
        )


@stage_rule("ST524", "warning", "Setup reads a result that does not come")
def no_upstream(facts: Facts) -> Iterable[Note]:
    """The field comes from the result of the stage before, but this stage only ever begins a run or
    starts as a branch, and both get none. Let the stage before keep the value in the slot and read
    it from there."""
    for stage, name, item, path in _fields(facts):
        kinds = {use.kind for use in facts.uses[stage]}
        if path.root != "upstream" or _may_be_missing(item):
            continue
        if kinds and kinds <= {"entry", "sibling"}:
            what = "begins runs" if kinds == {"entry"} else "is a branch"
            yield Note(
                message=f"'setup.{name}' of {stage!r} reads {path.text!r}, but the stage"
                f" {what} and gets no result.",
                place=facts.entry(stage, "setup", name, "from"),
            )


@stage_rule("ST525", "hint", "Field that nobody reads")
def unused_field(facts: Facts) -> Iterable[Note]:
    """`setup` sets this field of ctx, but neither the prompt nor a condition nor `exit` of the
    stage names it. Remove it if it is left over."""
    read = _read_fields(facts)
    for stage, fields in facts.fields.items():
        if stage not in facts.sound:
            continue
        for name in fields:
            if (stage, name) not in read:
                yield Note(
                    message=f"Nothing in {stage!r} reads ctx.{name}.",
                    place=facts.entry(stage, "setup", name),
                    fix=make_fix("Remove it", unset_in_stage(stage, "setup", name)),
                )


def _read_fields(facts: Facts) -> set[tuple[str, str]]:
    """(stage, name) of every field of ctx that something reads."""
    read = {
        (stage, str(found.steps[0]))
        for stage, there in facts.placeholders.items()
        for found in there
        if found.root == "ctx"
    }
    for condition in conditions(facts):
        read |= {(condition.stage, _first(use.path)) for use in paths(condition.value)}
    for stage, _, _, path in _kept(facts):
        if path is not None and path.root == "ctx":
            read.add((stage, _first(path)))
    return read


def _first(path: Path) -> str:
    return str(path.steps[0]) if path.root == "ctx" and path.steps else ""


def _kept(facts: Facts) -> Iterator[tuple[str, tuple[str, ...], Any, Path | None]]:
    """Everything that an `exit` keeps: stage, place in its entry, what stands there, the path."""
    for stage in facts.entries:
        leaving = facts.source.entry(stage).get("exit")
        for part in ("slot", "output"):
            names = leaving.get(part) if isinstance(leaving, dict) else None
            for name, text in names.items() if isinstance(names, dict) else ():
                yield stage, ("exit", part, name), text, read_path(text)


@stage_rule("ST526", "error", "Gate is written in a wrong way")
def gate_shape(facts: Facts) -> Iterable[Note]:
    """A gate is an object with `when` (a condition) and `else`, the answer where it is not true:
    `defer` to look again later, or `block` until somebody releases it. Without `when` there is
    nothing to ask, and an answer of another name must not let the stage pass."""
    for stage in facts.entries:
        gate = facts.source.entry(stage).get("gate")
        if gate is None:
            continue
        if not isinstance(gate, dict) or "when" not in gate:
            yield Note(
                message=f"The gate of {stage!r} has no condition.", place=facts.entry(stage, "gate")
            )
        elif gate.get("else") not in GATE_WORDS:
            said = "does not say" if "else" not in gate else f"says {gate['else']!r} for"
            yield Note(
                message=f"The gate of {stage!r} {said} what happens where its condition fails.",
                place=facts.entry(stage, "gate", "else"),
                hint="It is defer or block.",
                fix=make_fix("Block there", set_in_stage(stage, "gate", "else", value="block")),
            )


@stage_rule("ST527", "error", "Assert is written in a wrong way")
def assert_shape(facts: Facts) -> Iterable[Note]:
    """`assert` is a list of objects, each with `unless` (a condition) and a `verdict` for when it
    is not true: retry, fail or skip. Something here is not, so the result cannot be judged."""
    for stage in facts.entries:
        checks = facts.source.entry(stage).get("assert", [])
        if not isinstance(checks, list):
            yield Note(
                message=f"'assert' of {stage!r} is not a list.", place=facts.entry(stage, "assert")
            )
            continue
        for index, item in enumerate(checks):
            here = ("assert", index)
            if not isinstance(item, dict) or "unless" not in item:
                yield Note(
                    message=f"Assert {index + 1} of {stage!r} has no condition under unless.",
                    place=facts.entry(stage, *here),
                )
            elif item.get("verdict") not in VERDICTS:
                fix = set_in_stage(stage, *here, "verdict", value="retry")
                yield Note(
                    message=f"Assert {index + 1} of {stage!r} has no verdict that is one.",
                    place=facts.entry(stage, *here, "verdict"),
                    hint=f"It is {quoted_list(VERDICTS)}.",
                    fix=make_fix("Retry then", fix),
                )


@stage_rule("ST528", "warning", "Retry that never tries again")
def useless_retry(facts: Facts) -> Iterable[Note]:
    """An assert asks for another attempt, but the stage's retry policy allows one attempt in all,
    so the verdict fails the stage at once. Allow a second attempt, or write `fail`."""
    for stage in facts.entries:
        policy = facts.values(stage).get("retryPolicy")
        most = policy.get("maxAttempts") if isinstance(policy, dict) else None
        checks = facts.source.entry(stage).get("assert")
        if most != 1 or not isinstance(checks, list):
            continue
        for index, item in enumerate(checks):
            if isinstance(item, dict) and item.get("verdict") == "retry":
                fix = set_in_stage(stage, "retryPolicy", "maxAttempts", value=2)
                yield Note(
                    message=f"Assert {index + 1} of {stage!r} asks for a retry, but one attempt is"
                    " all there is.",
                    place=facts.entry(stage, "assert", index, "verdict"),
                    fix=make_fix("Allow a second attempt", fix),
                )


@stage_rule("ST529", "error", "Exit is written in a wrong way")
def exit_shape(facts: Facts) -> Iterable[Note]:
    """`exit` keeps values: under `slot` for later stages, under `output` for the next one. Each is
    a name and a path that begins with result, ctx, slot or run. Something here is not."""
    for stage in facts.entries:
        leaving = facts.source.entry(stage).get("exit", {})
        if not isinstance(leaving, dict):
            yield Note(
                message=f"'exit' of {stage!r} is not an object.", place=facts.entry(stage, "exit")
            )
            continue
        for part, names in leaving.items():
            if part not in ("slot", "output") or not isinstance(names, dict):
                yield Note(
                    message=f"'exit.{part}' of {stage!r} is not slot or output with names in it.",
                    place=facts.entry(stage, "exit", part),
                )
    for stage, pointer, text, path in _kept(facts):
        if path is None or path.root not in ROOTS:
            yield Note(
                message=f"{'.'.join(pointer)!r} of {stage!r} is {text!r}, which is no path.",
                place=facts.entry(stage, *pointer),
                hint="Write result.parsed.x.",
            )
