"""Rules over validators, evals and governance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts, Pointer, listed, word
from workflows.core.dialects.promptpack.format.references import STATE_PARAMS, governances
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.pack.naming import closest
from workflows.core.rules.kit import Note

TRIGGERS = (
    "every_turn",
    "on_session_complete",
    "on_conversation_complete",
    "on_workflow_step",
    "sample_turns",
    "sample_sessions",
)
OPERATORS = ("gte", "lte", "gt", "lt", "eq")


@pack_rule("PP501", "error", "Eval id is taken")
def repeated_eval(parts: Parts) -> Iterable[Note]:
    """Two evals of one list have the same id, so results cannot be told apart and tools refuse the
    pack. A prompt may repeat an id of the pack's list: that replaces it there."""
    seen: set[tuple[Pointer, str]] = set()
    for pointer, item in parts.evals:
        id = word(item.get("id"))
        scope = (pointer[:-1], id)
        if id and scope in seen:
            yield Note(message=f"The eval id {id!r} is used twice.", pointer=(*pointer, "id"))
        seen.add(scope)


@pack_rule("PP502", "warning", "Unknown trigger")
def unknown_trigger(parts: Parts) -> Iterable[Note]:
    """The trigger says when an eval is looked at. Runtimes know six of them and leave an eval with
    any other one out."""
    for pointer, item in parts.evals:
        trigger = word(item.get("trigger"))
        if trigger and trigger not in TRIGGERS:
            here = (*pointer, "trigger")
            near = closest(trigger, TRIGGERS)
            yield Note(
                message=f"The eval {word(item.get('id'))!r} has an unknown trigger {trigger!r}.",
                pointer=here,
                hint=f"Known are {', '.join(TRIGGERS)}.",
                fix=set_fix(parts, f"Change to {near}", here, near) if near else None,
            )


def _metrics(parts: Parts) -> Iterator[tuple[Pointer, Object]]:
    for pointer, item in parts.evals:
        if isinstance(item.get("metric"), dict):
            yield (*pointer, "metric"), item["metric"]


@pack_rule("PP503", "warning", "Range upside down")
def metric_range(parts: Parts) -> Iterable[Note]:
    """The lowest value of the metric's range is above its highest, so no score lies within. Swap
    the two."""
    for pointer, metric in _metrics(parts):
        span = metric.get("range")
        low, high = (span.get("min"), span.get("max")) if isinstance(span, dict) else (None, None)
        if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low > high:
            here = (*pointer, "range")
            yield Note(
                message=f"The range of {word(metric.get('name'))!r} goes from {low} to {high}.",
                pointer=here,
                fix=set_fix(parts, "Swap the two", here, {"min": high, "max": low}),
            )


@pack_rule("PP504", "warning", "Reserved label")
def metric_labels(parts: Parts) -> Iterable[Note]:
    """Labels that begin with two underscores belong to Prometheus itself and are dropped or
    refused. Choose another name."""
    for pointer, metric in _metrics(parts):
        labels = metric.get("labels")
        for label in labels if isinstance(labels, dict) else ():
            if label.startswith("__"):
                yield Note(
                    message=f"The label {label!r} begins with two underscores.",
                    pointer=(*pointer, "labels", label),
                    fix=unset_fix(parts, "Remove it", (*pointer, "labels", label)),
                )


@pack_rule("PP505", "hint", "Sampling without a sampling trigger")
def idle_sampling(parts: Parts) -> Iterable[Note]:
    """`sample_percentage` only counts for sample_turns and sample_sessions. With this trigger every
    turn or session is looked at."""
    for pointer, item in parts.evals:
        if "sample_percentage" in item and not word(item.get("trigger")).startswith("sample_"):
            here = (*pointer, "sample_percentage")
            yield Note(
                message=f"The eval {word(item.get('id'))!r} is not sampled, whatever its share.",
                pointer=here,
                fix=unset_fix(parts, "Take the share out", here),
            )


@pack_rule("PP506", "warning", "Deprecated fail_on_violation")
def fail_on_violation(parts: Parts) -> Iterable[Note]:
    """A validator that is violated always holds the reply back; `fail_on_violation` is no longer
    read and leaves the format in version 2. Where it is false the author wanted a report only, and
    that is what an eval does."""
    for pointer, item in parts.validators:
        if "fail_on_violation" in item:
            here = (*pointer, "fail_on_violation")
            only = item["fail_on_violation"] is False
            what = "holds replies back although it says not to" if only else "has a field too many"
            yield Note(
                message=f"The validator {word(item.get('type'))!r} {what}.",
                pointer=here,
                hint="Make it an eval if it shall only report." if only else "",
                fix=unset_fix(parts, "Take fail_on_violation out", here),
            )


@pack_rule("PP507", "warning", "Validator id is taken")
def repeated_validator(parts: Parts) -> Iterable[Note]:
    """Two validators of the pack have the same id, so governance cannot tell which of them it
    relies on. Give each its own."""
    seen: set[str] = set()
    for pointer, item in parts.validators:
        id = word(item.get("id"))
        if id and id in seen:
            yield Note(message=f"The validator id {id!r} is used twice.", pointer=(*pointer, "id"))
        seen.add(id)


@pack_rule("PP508", "warning", "Governance names what is not there")
def governance(parts: Parts) -> Iterable[Note]:
    """An obligation or a review relies on a validator, eval or obligation that the pack does not
    have, so the promise is empty. Correct the name or add what is missing."""
    evals = {word(item.get("id")) for _, item in parts.evals}
    validators = {word(item.get("id")) for _, item in parts.validators}
    for pointer, block in governances(parts):
        duties = {word(duty.get("id")) for _, duty in listed(block.get("obligations"))}
        for where, kind, name in _relied_on(pointer, block):
            known = {"validator": validators, "eval": evals, "obligation": duties}[kind]
            if name not in known:
                yield Note(message=f"There is no {kind} {name!r} to rely on.", pointer=where)


def _relied_on(pointer: Pointer, block: Object) -> Iterator[tuple[Pointer, str, Any]]:
    for index, duty in listed(block.get("obligations")):
        for at, control in listed(duty.get("controls")):
            for kind in ("validator", "eval"):
                if isinstance(control.get(kind), str):
                    where = (*pointer, "obligations", index, "controls", at, kind)
                    yield where, kind, control[kind]
    for index, review in listed(block.get("reviews")):
        if isinstance(review.get("eval"), str):
            yield (*pointer, "reviews", index, "eval"), "eval", review["eval"]
        duties = review.get("satisfies")
        for at, name in enumerate(duties if isinstance(duties, list) else []):
            if isinstance(name, str):
                yield (*pointer, "reviews", index, "satisfies", at), "obligation", name


@pack_rule("PP509", "warning", "Eval of a missing state")
def eval_state(parts: Parts) -> Iterable[Note]:
    """The eval looks at a state that the workflow does not have, so its score is always the same.
    Name an existing state."""
    for pointer, item in parts.evals:
        params = item.get("params")
        if not isinstance(params, dict):
            continue
        named: list[tuple[Pointer, Any]] = []
        if item.get("type") in STATE_PARAMS:
            named.append(((*pointer, "params", "state"), params.get("state")))
        if item.get("type") == "workflow_transition_order":
            order = params.get("sequence")
            for index, name in enumerate(order if isinstance(order, list) else []):
                named.append(((*pointer, "params", "sequence", index), name))
        for where, name in named:
            if isinstance(name, str) and name not in parts.states:
                near = closest(name, parts.states)
                yield Note(
                    message=f"The eval {word(item.get('id'))!r} looks at the state {name!r}, "
                    "which does not exist.",
                    pointer=where,
                    fix=set_fix(parts, f"Change to {near}", where, near) if near else None,
                )


@pack_rule("PP510", "warning", "Unknown operator")
def threshold(parts: Parts) -> Iterable[Note]:
    """A threshold compares the score by gte, lte, gt, lt or eq. With another word, or without a
    value, it decides nothing."""
    for pointer, item in parts.evals:
        block = item.get("threshold")
        if not isinstance(block, dict):
            continue
        operator = block.get("operator")
        if operator not in OPERATORS or "value" not in block:
            yield Note(
                message=f"The threshold of {word(item.get('id'))!r} decides nothing.",
                pointer=(*pointer, "threshold"),
                hint="It needs a value and one of gte, lte, gt, lt, eq.",
            )
