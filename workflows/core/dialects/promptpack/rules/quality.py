"""Rules about validators, evals and governance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts, Pointer
from workflows.core.dialects.promptpack.format.references import STATE_PARAMS, governances
from workflows.core.dialects.promptpack.rules.kit import DOCUMENTED, pack_rule, set_fix, unset_fix
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note
from workflows.core.text.tolerant import as_list, as_object, as_str, indexed_objects

TRIGGERS = (
    "every_turn",
    "on_session_complete",
    "on_conversation_complete",
    "on_workflow_step",
    "sample_turns",
    "sample_sessions",
)
OPERATORS = ("gte", "lte", "gt", "lt", "eq")


@pack_rule("PP501", "error", "Duplicate eval id", profiles=EVERY)
def repeated_eval(parts: Parts) -> Iterable[Note]:
    """Two evals of one list have the same id, so their results cannot be distinguished and tools
    refuse the pack. A prompt may repeat an id of the pack's list: its eval then replaces the pack's
    one."""
    scopes: set[tuple[Pointer, str]] = set()
    for pointer, item in parts.evals:
        id = as_str(item.get("id"))
        scope = (pointer[:-1], id)
        if id and scope in scopes:
            yield Note(
                message=f"Eval id {id!r} is used twice. Rename one of the two.",
                pointer=(*pointer, "id"),
            )
        scopes.add(scope)


@pack_rule("PP502", "warning", "Unknown trigger", profiles=EVERY, hint_in=DOCUMENTED)
def unknown_trigger(parts: Parts) -> Iterable[Note]:
    """The trigger defines when an eval is evaluated. Runtimes support six triggers and skip evals
    with any other."""
    for pointer, item in parts.evals:
        trigger = as_str(item.get("trigger"))
        if trigger and trigger not in TRIGGERS:
            here = (*pointer, "trigger")
            near = closest_name(trigger, TRIGGERS)
            yield Note(
                message=f"Eval {as_str(item.get('id'))!r} has the unknown trigger {trigger!r}.",
                pointer=here,
                hint=f"Known triggers: {', '.join(TRIGGERS)}.",
                fix=set_fix(parts, f"Change to {near}", here, near) if near else None,
            )


def _metrics(parts: Parts) -> Iterator[tuple[Pointer, Object]]:
    for pointer, item in parts.evals:
        if isinstance(item.get("metric"), dict):
            yield (*pointer, "metric"), item["metric"]


@pack_rule("PP503", "warning", "Reversed metric range", profiles=EVERY)
def metric_range(parts: Parts) -> Iterable[Note]:
    """The minimum of the metric's range is greater than its maximum, so no score is inside the
    range. Swap the two."""
    for pointer, metric in _metrics(parts):
        span = metric.get("range")
        low, high = (span.get("min"), span.get("max")) if isinstance(span, dict) else (None, None)
        if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low > high:
            here = (*pointer, "range")
            yield Note(
                message=f"The range of {as_str(metric.get('name'))!r} is reversed: {low} > {high}.",
                pointer=here,
                fix=set_fix(parts, "Swap the two", here, {"min": high, "max": low}),
            )


@pack_rule("PP504", "warning", "Reserved metric label", profiles=EVERY)
def metric_labels(parts: Parts) -> Iterable[Note]:
    """Prometheus reserves labels that begin with two underscores and drops or refuses them. Choose
    another name."""
    for pointer, metric in _metrics(parts):
        for label in as_object(metric.get("labels")):
            if label.startswith("__"):
                yield Note(
                    message=f"Label {label!r} begins with two underscores.",
                    hint="Prometheus reserves such labels.",
                    pointer=(*pointer, "labels", label),
                    fix=unset_fix(parts, "Remove the label", (*pointer, "labels", label)),
                )


@pack_rule("PP505", "hint", "Sampling without a sampling trigger", profiles=EVERY)
def idle_sampling(parts: Parts) -> Iterable[Note]:
    """`sample_percentage` applies only to the triggers sample_turns and sample_sessions. With this
    trigger every turn or session is evaluated."""
    for pointer, item in parts.evals:
        if "sample_percentage" in item and not as_str(item.get("trigger")).startswith("sample_"):
            here = (*pointer, "sample_percentage")
            yield Note(
                message=f"sample_percentage of eval {as_str(item.get('id'))!r} has no effect.",
                pointer=here,
                fix=unset_fix(parts, "Remove sample_percentage", here),
            )


@pack_rule("PP506", "hint", "Report-only validator", profiles=EVERY)
def fail_on_violation(parts: Parts) -> Iterable[Note]:
    """With `fail_on_violation: true` a violated validator changes the reply; with false, the
    default, the violation is only recorded. Version 1.7 of the format deprecates the field, and
    runtimes that follow it, such as PromptKit, change the reply in both cases. To report only in
    every runtime, use an eval."""
    for pointer, item in parts.validators:
        if item.get("fail_on_violation") is False:
            yield Note(
                message=f"Validator {as_str(item.get('type'))!r} only reports here, but runtimes "
                "of version 1.7 and later block.",
                pointer=(*pointer, "fail_on_violation"),
                hint="To report only in every runtime, make it an eval.",
            )


@pack_rule("PP513", "hint", "Validator that only reports", profiles=DOCUMENTED)
def only_reports(parts: Parts) -> Iterable[Note]:
    """The validator has a message for people, but no `fail_on_violation: true`. By the format's
    document, its violations are then recorded and the reply is sent unchanged, so the message is
    never shown. Set the field to block replies."""
    for pointer, item in parts.validators:
        if as_str(item.get("message")) and "fail_on_violation" not in item:
            here = (*pointer, "fail_on_violation")
            yield Note(
                message=f"Validator {as_str(item.get('type'))!r} has a message but blocks nothing.",
                pointer=(*pointer, "message"),
                fix=set_fix(parts, "Block replies", here, True),
            )


@pack_rule("PP507", "warning", "Duplicate validator id", profiles=EVERY)
def repeated_validator(parts: Parts) -> Iterable[Note]:
    """Two validators of the pack have the same id, so governance cannot refer to one of them. Give
    each its own id."""
    ids: set[str] = set()
    for pointer, item in parts.validators:
        id = as_str(item.get("id"))
        if id and id in ids:
            yield Note(
                message=f"Validator id {id!r} is used twice. Rename one of the two.",
                pointer=(*pointer, "id"),
            )
        ids.add(id)


@pack_rule("PP508", "warning", "Governance refers to a missing object", profiles=EVERY)
def governance(parts: Parts) -> Iterable[Note]:
    """An obligation or a review refers to a validator, eval or obligation that the pack does not
    have, so it has no effect. Correct the name or add the missing object."""
    evals = {as_str(item.get("id")) for _, item in parts.evals}
    validators = {as_str(item.get("id")) for _, item in parts.validators}
    for pointer, block in governances(parts):
        duties = {as_str(duty.get("id")) for _, duty in indexed_objects(block.get("obligations"))}
        for where, kind, name in _relied_on(pointer, block):
            names = {"validator": validators, "eval": evals, "obligation": duties}[kind]
            if name not in names:
                yield Note(
                    message=f"Governance refers to {kind} {name!r}, which does not exist.",
                    pointer=where,
                )


def _relied_on(pointer: Pointer, block: Object) -> Iterator[tuple[Pointer, str, Any]]:
    for index, duty in indexed_objects(block.get("obligations")):
        for at, control in indexed_objects(duty.get("controls")):
            for kind in ("validator", "eval"):
                if isinstance(control.get(kind), str):
                    where = (*pointer, "obligations", index, "controls", at, kind)
                    yield where, kind, control[kind]
    for index, review in indexed_objects(block.get("reviews")):
        if isinstance(review.get("eval"), str):
            yield (*pointer, "reviews", index, "eval"), "eval", review["eval"]
        for at, name in enumerate(as_list(review.get("satisfies"))):
            if isinstance(name, str):
                yield (*pointer, "reviews", index, "satisfies", at), "obligation", name


@pack_rule("PP509", "warning", "Eval refers to a missing state", profiles=EVERY)
def eval_state(parts: Parts) -> Iterable[Note]:
    """The eval measures a state that the workflow does not have, so its score never changes. Name
    an existing state."""
    for pointer, item in parts.evals:
        params = item.get("params")
        if not isinstance(params, dict):
            continue
        named: list[tuple[Pointer, Any]] = []
        if item.get("type") in STATE_PARAMS:
            named.append(((*pointer, "params", "state"), params.get("state")))
        if item.get("type") == "workflow_transition_order":
            for index, name in enumerate(as_list(params.get("sequence"))):
                named.append(((*pointer, "params", "sequence", index), name))
        for where, name in named:
            if isinstance(name, str) and name not in parts.states:
                near = closest_name(name, parts.states)
                yield Note(
                    message=f"Eval {as_str(item.get('id'))!r} refers to state {name!r}, "
                    "which does not exist.",
                    pointer=where,
                    fix=set_fix(parts, f"Change to {near}", where, near) if near else None,
                )


@pack_rule("PP510", "warning", "Incomplete threshold", profiles=EVERY)
def threshold(parts: Parts) -> Iterable[Note]:
    """A threshold compares the score with a value by gte, lte, gt, lt or eq. With another operator,
    or without a value, it has no effect."""
    for pointer, item in parts.evals:
        block = item.get("threshold")
        if not isinstance(block, dict):
            continue
        operator = block.get("operator")
        if operator not in OPERATORS or "value" not in block:
            yield Note(
                message=f"The threshold of eval {as_str(item.get('id'))!r} has no effect.",
                pointer=(*pointer, "threshold"),
                hint="Set a value and an operator: gte, lte, gt, lt or eq.",
            )
