"""Rules over the prompts of stages: placeholders and their fields (section 4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from workflows.core.dialects.stages.format.templates import (
    HIDDEN_FIELDS,
    RESERVED_FIELDS,
    STAGE_FIELDS,
    Leftover,
    Placeholder,
    convert_references,
    leftovers,
    source_references,
)
from workflows.core.dialects.stages.rules.kit import (
    set_in_stage,
    stage_rule,
    upstream,
)
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, make_fix, quoted_list

JOINED_FIELD = "siblings"
"""An extra field of ctx in a join: the results of its branches by stage."""
_OUTSIDE = re.compile(r"(env|settings)\b", re.IGNORECASE)
_HIDDEN = re.compile(r"ctx\.(attempts|host)\b")
_BLOCK = re.compile(r"[#/^>&!]|else\b")
_WRITABLE = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")


def _placeholders(facts: Facts) -> Iterator[tuple[str, Placeholder]]:
    for stage, named_there in facts.placeholders.items():
        for placeholder in named_there:
            yield stage, placeholder


def _leftovers(facts: Facts, test: Callable[[str], object]) -> Iterator[tuple[str, Leftover]]:
    for stage, file in facts.heads:
        for leftover in leftovers(file.body):
            if test(leftover.inside):
                yield stage, leftover


def _is_outside(inside: str) -> bool:
    return _OUTSIDE.match(inside) is not None


def _is_hidden(inside: str) -> bool:
    return _HIDDEN.match(inside) is not None


def _is_block(inside: str) -> bool:
    return _BLOCK.match(inside) is not None


@stage_rule("ST301", "error", "Placeholder reads environment or settings", profiles=EVERY)
def outside(facts: Facts) -> Iterable[Note]:
    """A prompt may only name fields of `ctx` and of `stage`. Environment variables and settings
    hold secrets and are never sent to a model. Use `setup` to copy the value into a field of ctx,
    or remove the placeholder."""
    for stage, leftover in _leftovers(facts, _is_outside):
        yield Note(
            message=f"{leftover.text} in {stage!r} reads the environment or the settings.",
            place=facts.body(stage, leftover.line),
            hint="A prompt can only name fields of ctx and stage. Remove it, or use setup.",
        )


@stage_rule("ST302", "error", "Placeholder names a hidden field", profiles=EVERY)
def hidden_field(facts: Facts) -> Iterable[Note]:
    """`ctx.attempts` and `ctx.host` are hidden from prompts. The prompt is rendered once, before
    the first attempt, so attempts would always be empty. The model gets the reason of a retry in a
    message of its own. The host is the runtime itself. Remove the placeholder."""
    visited: set[tuple[str, int]] = set()
    for stage, placeholder in _placeholders(facts):
        if placeholder.root == "ctx" and placeholder.steps[0] in HIDDEN_FIELDS:
            file = facts.source.stages[stage].path
            if (file, placeholder.span[0]) not in visited:
                visited.add((file, placeholder.span[0]))
                yield _hidden(facts, stage, placeholder.text, placeholder.line)
    for stage, other in _leftovers(facts, _is_hidden):
        yield _hidden(facts, stage, other.text, other.line)


def _hidden(facts: Facts, stage: str, text: str, line: int) -> Note:
    return Note(
        message=f"{text} in {stage!r} names a hidden field. Remove it.",
        place=facts.body(stage, line),
        hint="The model gets the reason of a retry in a message of its own.",
    )


@stage_rule("ST303", "error", "Condition or loop in a prompt", profiles=EVERY)
def block_syntax(facts: Facts) -> Iterable[Note]:
    """Prompts of stages have no conditions, loops or partials: the model would get the braces as
    text. Branch in the pipeline instead: split the stage in two, or let `setup` put the wording
    into a field of ctx."""
    for stage, leftover in _leftovers(facts, _is_block):
        yield Note(
            message=f"{leftover.text} in {stage!r} is a condition or a loop. "
            "Prompts support neither.",
            place=facts.body(stage, leftover.line),
            hint="Split the stage, or put the text into a field of ctx in setup.",
        )


@stage_rule("ST304", "warning", "Double braces are not a placeholder", profiles=EVERY)
def no_placeholder(facts: Facts) -> Iterable[Note]:
    """The text between these double braces is not a placeholder of this format, so the model gets
    it unchanged. A placeholder is `ctx.` or `stage.` and a path; spaces are allowed only next to
    the braces."""

    def unknown(inside: str) -> bool:
        return not (_is_outside(inside) or _is_hidden(inside) or _is_block(inside))

    for stage, leftover in _leftovers(facts, unknown):
        meant = f"{{{{ctx.{leftover.inside}}}}}"
        declared = leftover.inside in facts.fields.get(stage, {})
        fix = None
        if declared and facts.source.stages[stage].form == "markdown":
            body = facts.source.stages[stage].body
            start, end = leftover.span
            body = body[:start] + meant + body[end:]
            fix = make_fix(f"Write {meant}", set_in_stage(stage, "body", value=body))
        yield Note(
            message=f"{leftover.text} in {stage!r} is not a placeholder and is sent unchanged.",
            place=facts.body(stage, leftover.line),
            hint=f"Write {meant}." if declared else "Write {{ctx.field}}.",
            fix=fix,
        )


@stage_rule("ST305", "warning", "Placeholder in source code syntax", profiles=EVERY)
def source_dialect(facts: Facts) -> Iterable[Note]:
    """The source code of stud-cli writes a placeholder as `${ctx.field}`; stage files write it as
    `{{ctx.field}}`. In a file the first form is not filled in: the model gets it unchanged. The fix
    converts the whole prompt.

    The format's page contradicts itself: its table of placeholders has `{{ctx.<sm-field>}}`, and
    its changelog has `${ctx.*}`. Runs follow the table."""
    for stage, file in facts.heads:
        references = source_references(file.body) if file.form == "markdown" else ()
        if references:
            more = f" and {len(references) - 1} more" if len(references) > 1 else ""
            meant = f"{{{{ctx.{references[0].name}}}}}"
            fix = set_in_stage(stage, "body", value=convert_references(file.body))
            yield Note(
                message=f"{references[0].text}{more} in {stage!r} is not filled in. Write {meant}.",
                place=facts.body(stage, references[0].line),
                hint="The format's page has ${ctx.*} in its changelog, but {{ctx.<sm-field>}} in "
                "its table of placeholders. Runs follow the table.",
                fix=make_fix("Convert the prompt", fix),
            )


@stage_rule("ST306", "error", "Field is not declared", profiles=EVERY)
def undeclared_field(facts: Facts) -> Iterable[Note]:
    """The prompt names a field of ctx that the stage's `setup` does not set, so the placeholder has
    no value. The fields of `setup` are the context schema of the stage; `upstream`, `workflowRunId`
    and `stageExecutionId` are always present. Add the field to `setup`, or correct its name."""
    if not _declares(facts):
        return
    for stage, placeholder in _undeclared(facts):
        name = str(placeholder.steps[0])
        near = closest_name(name, facts.fields.get(stage, {}))
        yield Note(
            message=f"{placeholder.text} in {stage!r} names a field that setup does not set.",
            place=facts.body(stage, placeholder.line, name),
            hint=upstream("StageCtxUnresolved", f"/body#{name}"),
            fix=_declare_fix(facts, stage, placeholder, name, near),
        )


def _declares(facts: Facts) -> bool:
    """Return True if any stage of the pipeline has a `setup`. Without one, the fields of ctx are
    open."""
    return any("setup" in facts.source.entry(stage) for stage in facts.entries)


def _undeclared(facts: Facts) -> Iterator[tuple[str, Placeholder]]:
    """Each undeclared field of each stage once, at its first placeholder."""
    visited: set[tuple[str, str]] = set()
    for stage, placeholder in _placeholders(facts):
        name = placeholder.steps[0]
        if placeholder.root != "ctx" or name in RESERVED_FIELDS or not isinstance(name, str):
            continue
        if name == JOINED_FIELD and any(use.kind == "join" for use in facts.uses[stage]):
            continue
        if name not in facts.fields.get(stage, {}) and (stage, name) not in visited:
            visited.add((stage, name))
            yield stage, placeholder


def _declare_fix(
    facts: Facts, stage: str, placeholder: Placeholder, name: str, near: str
) -> Fix | None:
    """A fix that corrects a misspelt name, or sets the field from a source that has the name."""
    file = facts.source.stages[stage]
    if near and _WRITABLE.match(near) and file.form == "markdown":
        pattern = re.compile(rf"(\{{\{{[ \t]*ctx\.){re.escape(name)}(?![A-Za-z0-9_])")
        body = pattern.sub(lambda match: match[1] + near, file.body)
        return make_fix(f"Name it {near}", set_in_stage(stage, "body", value=body))
    origin = ""
    if name in facts.slots:
        origin = f"slot.{name}"
    elif facts.inputs is None or name in facts.inputs:
        origin = f"run.input.{name}"
    if not origin or not isinstance(facts.source.entry(stage).get("setup", {}), dict):
        return None
    return make_fix(
        f"Set it from {origin}", set_in_stage(stage, "setup", name, value={"from": origin})
    )


@stage_rule("ST307", "warning", "Unknown field of stage", profiles=EVERY)
def stage_field(facts: Facts) -> Iterable[Note]:
    """A prompt can name `stage.id` and `stage.name`. Every other field of `stage` is empty. Write
    the text into the prompt, or set a field of ctx."""
    for stage, placeholder in _placeholders(facts):
        if placeholder.root == "stage" and (
            len(placeholder.steps) > 1 or placeholder.steps[0] not in STAGE_FIELDS
        ):
            yield Note(
                message=f"{placeholder.text} in {stage!r} is always empty. "
                "Use stage.id or stage.name.",
                place=facts.body(stage, placeholder.line),
            )


@stage_rule("ST314", "hint", "Prompt is empty", profiles=EVERY)
def empty_prompt(facts: Facts) -> Iterable[Note]:
    """The stage has no prompt, so the model gets tools but no instructions: the empty prompt
    replaces that of the session. That is allowed. Write the purpose of the stage below its front
    matter."""
    for stage, file in facts.heads:
        if not file.body.strip():
            yield Note(message=f"Stage {stage!r} has no prompt.", place=facts.body(stage))


@stage_rule("ST315", "warning", "Field of ctx is never set", profiles=EVERY)
def open_field(facts: Facts) -> Iterable[Note]:
    """The prompt names fields of ctx, but no stage of this pipeline has a `setup`, so the fields
    have no value. A run that enters the stage fails in Init. Add a `setup` that sets them from the
    run's input or from the slot."""
    if facts.has_pipeline and not _declares(facts):
        yield from _open_fields(facts)


@stage_rule("ST316", "hint", "Field of ctx needs a pipeline", profiles=EVERY)
def field_without_pipeline(facts: Facts) -> Iterable[Note]:
    """The prompt names fields of ctx. Fields are set in a pipeline, and these stages have none, so
    it is unknown whether the fields are declared; stud-cli refuses a stage with undeclared fields.
    The fix writes a pipeline that takes them from the run's input."""
    if not facts.has_pipeline:
        yield from _open_fields(facts)


def _open_fields(facts: Facts) -> Iterator[Note]:
    """One finding per stage with undeclared fields."""
    missing: dict[str, list[Placeholder]] = {}
    for stage, placeholder in _undeclared(facts):
        missing.setdefault(stage, []).append(placeholder)
    for stage, there in missing.items():
        names = list(dict.fromkeys(str(placeholder.steps[0]) for placeholder in there))
        setup = {name: {"from": f"run.input.{name}"} for name in names}
        yield Note(
            message=f"No setup sets {quoted_list(names)} for {stage!r}.",
            place=facts.body(stage, there[0].line, names[0]),
            hint="Declare it in setup. " + upstream("StageCtxUnresolved", f"/body#{names[0]}"),
            fix=make_fix("Set it from the run's input", set_in_stage(stage, "setup", value=setup)),
        )
