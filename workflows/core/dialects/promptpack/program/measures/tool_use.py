"""Measures of tool calls: names, arguments, order, number and results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program.measures.base import (
    BadParams,
    Measure,
    Measurement,
    Observation,
    number,
    pass_or_fail,
    share_present,
    text_list,
)
from workflows.core.dialects.promptpack.program.measures.text import matches
from workflows.core.dialects.promptpack.program.predicates import same
from workflows.core.dialects.promptpack.program.references import as_text
from workflows.core.text.tolerant import as_list, as_object, as_str, as_str_list


def _names(observation: Observation) -> list[str]:
    return [as_str(call.get("name")) for call in observation.calls]


def tools_called(params: Object, observation: Observation) -> Measurement:
    wanted = text_list(params, "tool_names", "tools", "tool_name", "tool")
    counts = Counter(_names(observation))
    least = number(params, "min_calls") or 1
    most = number(params, "max_calls")
    good = [name for name in wanted if counts[name] >= least]
    if most is not None:
        good = [name for name in good if counts[name] <= most]
    return share_present(wanted, good, "Not called as often as required")


def tools_not_called(params: Object, observation: Observation) -> Measurement:
    banned = text_list(params, "tool_names", "tools", "tool_name", "tool")
    called = sorted(set(banned) & set(_names(observation)))
    return pass_or_fail(not called, f"Called: {', '.join(called)}", *called)


def tool_args(params: Object, observation: Observation) -> Measurement:
    name, wanted = as_str(params.get("tool_name")), params.get("expected_args")
    if not name or not isinstance(wanted, dict):
        raise BadParams("requires 'tool_name' and 'expected_args'")
    good = any(_has(call, name, wanted) for call in observation.calls)
    return pass_or_fail(good, f"{name} was not called with these arguments.", name)


def _has(call: Object, name: str, wanted: Object) -> bool:
    values: Object = as_object(call.get("arguments"))
    return call.get("name") == name and all(
        key in values and same(values[key], value) for key, value in wanted.items()
    )


def tool_call_count(params: Object, observation: Observation) -> Measurement:
    tool = as_str(params.get("tool"))
    count = sum(1 for name in _names(observation) if not tool or name == tool)
    least, most = number(params, "min"), number(params, "max")
    good = (least is None or count >= least) and (most is None or count <= most)
    return pass_or_fail(good, f"{count} calls.")


def tool_call_sequence(params: Object, observation: Observation) -> Measurement:
    wanted = text_list(params, "sequence")
    return in_order(wanted, _names(observation), "Not called in this order")


def in_order(wanted: list[str], sequence: Iterable[str], what: str) -> Measurement:
    """The fraction of a list that occurs in its order, with other items in between."""
    there = iter(sequence)
    met = 0
    for name in wanted:
        if name not in there:
            break
        met += 1
    score = met / len(wanted) if wanted else 1.0
    left = wanted[met:]
    return Measurement(score=score, why=f"{what}: {', '.join(left)}" if left else "")


def tool_anti_pattern(params: Object, observation: Observation) -> Measurement:
    matches = [
        " → ".join(steps)
        for steps in map(_sequence, as_list(params.get("patterns")))
        if steps and in_order(steps, _names(observation), "").score == 1.0
    ]
    return pass_or_fail(not matches, f"Found: {'; '.join(matches)}", *matches)


def _sequence(pattern: Any) -> list[str]:
    return as_str_list(pattern.get("sequence") if isinstance(pattern, dict) else pattern)


def tool_no_repeat(params: Object, observation: Observation) -> Measurement:
    only, most = as_str_list(params.get("tools")), number(params, "max_repeats")
    counts = Counter(
        (as_str(call.get("name")), as_text(call.get("arguments")))
        for call in observation.calls
        if not only or call.get("name") in only
    )
    over = sorted({name for (name, _), often in counts.items() if often > (most or 1)})
    return pass_or_fail(not over, f"Repeated: {', '.join(over)}", *over)


def tool_efficiency(params: Object, observation: Observation) -> Measurement:
    errors = sum(1 for call in observation.calls if call.get("error"))
    rate = errors / len(observation.calls) if observation.calls else 0.0
    limits = (
        ("max_calls", len(observation.calls)),
        ("max_errors", errors),
        ("max_error_rate", rate),
    )
    over = [
        f"{name}: {value:g}"
        for name, value in limits
        if (limit := number(params, name)) is not None and value > limit
    ]
    return pass_or_fail(not over, "; ".join(over), *over)


def no_tool_errors(params: Object, observation: Observation) -> Measurement:
    only = as_str_list(params.get("tools"))
    failures = [
        as_str(call.get("name"))
        for call in observation.calls
        if call.get("error") and (not only or call.get("name") in only)
    ]
    return pass_or_fail(not failures, f"Failed: {', '.join(failures)}", *failures)


def _results(params: Object, observation: Observation) -> list[str]:
    tool = as_str(params.get("tool"))
    return [
        as_str(call.get("result"))
        for call in observation.calls
        if (not tool or call.get("name") == tool) and not call.get("error")
    ]


def tool_result_includes(params: Object, observation: Observation) -> Measurement:
    wanted = [text.casefold() for text in text_list(params, "patterns")]
    least = number(params, "occurrence") or 1
    good = [
        result
        for result in _results(params, observation)
        if all(text in result.casefold() for text in wanted)
    ]
    return pass_or_fail(len(good) >= least, f"{len(good)} results match, {least:g} required.")


def tool_result_matches(params: Object, observation: Observation) -> Measurement:
    pattern = as_str(params.get("pattern"))
    least = number(params, "occurrence") or 1
    count = sum(1 for result in _results(params, observation) if matches(pattern, result))
    return pass_or_fail(count >= least, f"{count} results match, {least:g} required.")


TOOL_MEASURES: dict[str, Measure] = {
    "tools_called": tools_called,
    "tools_not_called": tools_not_called,
    "tool_args": tool_args,
    "tool_call_count": tool_call_count,
    "tool_call_sequence": tool_call_sequence,
    "tool_anti_pattern": tool_anti_pattern,
    "tool_no_repeat": tool_no_repeat,
    "tool_efficiency": tool_efficiency,
    "no_tool_errors": no_tool_errors,
    "tool_result_includes": tool_result_includes,
    "tool_result_matches": tool_result_matches,
}
