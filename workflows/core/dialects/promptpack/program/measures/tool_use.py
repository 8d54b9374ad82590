"""Measures of which tools were called, how, how often and with what result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import regex

from workflows.core.dialects.promptpack.format.parts import Object, word, words
from workflows.core.dialects.promptpack.program.measures.base import (
    BadParams,
    Measure,
    Measured,
    Seen,
    number,
    passed,
    share,
    texts_of,
)
from workflows.core.dialects.promptpack.program.measures.text import REGEX_SECONDS
from workflows.core.dialects.promptpack.program.predicates import same
from workflows.core.dialects.promptpack.program.references import as_text


def _names(seen: Seen) -> list[str]:
    return [word(call.get("name")) for call in seen.calls]


def tools_called(params: Object, seen: Seen) -> Measured:
    wanted = texts_of(params, "tool_names", "tools", "tool_name", "tool")
    counts = Counter(_names(seen))
    least = number(params, "min_calls") or 1
    most = number(params, "max_calls")
    good = [name for name in wanted if counts[name] >= least]
    if most is not None:
        good = [name for name in good if counts[name] <= most]
    return share(wanted, good, "Not called as often as wanted")


def tools_not_called(params: Object, seen: Seen) -> Measured:
    banned = texts_of(params, "tool_names", "tools", "tool_name", "tool")
    found = sorted(set(banned) & set(_names(seen)))
    return passed(not found, f"Called: {', '.join(found)}", *found)


def tool_args(params: Object, seen: Seen) -> Measured:
    name, wanted = word(params.get("tool_name")), params.get("expected_args")
    if not name or not isinstance(wanted, dict):
        raise BadParams("requires 'tool_name' and 'expected_args'")
    good = any(_has(call, name, wanted) for call in seen.calls)
    return passed(good, f"{name} was not called with these arguments.", name)


def _has(call: Object, name: str, wanted: Object) -> bool:
    arguments = call.get("arguments")
    given: Object = arguments if isinstance(arguments, dict) else {}
    return call.get("name") == name and all(
        key in given and same(given[key], value) for key, value in wanted.items()
    )


def tool_call_count(params: Object, seen: Seen) -> Measured:
    tool = word(params.get("tool"))
    count = sum(1 for name in _names(seen) if not tool or name == tool)
    least, most = number(params, "min"), number(params, "max")
    good = (least is None or count >= least) and (most is None or count <= most)
    return passed(good, f"{count} calls.")


def tool_call_sequence(params: Object, seen: Seen) -> Measured:
    wanted = texts_of(params, "sequence")
    return in_order(wanted, _names(seen), "Not called in this order")


def in_order(wanted: list[str], found: Iterable[str], what: str) -> Measured:
    """How much of a list comes in its order, others in between."""
    there = iter(found)
    met = 0
    for name in wanted:
        if name not in there:
            break
        met += 1
    score = met / len(wanted) if wanted else 1.0
    left = wanted[met:]
    return Measured(score=score, why=f"{what}: {', '.join(left)}" if left else "")


def tool_anti_pattern(params: Object, seen: Seen) -> Measured:
    patterns = params.get("patterns")
    found = [
        " → ".join(steps)
        for steps in map(_sequence, patterns if isinstance(patterns, list) else [])
        if steps and in_order(steps, _names(seen), "").score == 1.0
    ]
    return passed(not found, f"Done: {'; '.join(found)}", *found)


def _sequence(pattern: Any) -> list[str]:
    return words(pattern.get("sequence") if isinstance(pattern, dict) else pattern)


def tool_no_repeat(params: Object, seen: Seen) -> Measured:
    only, most = words(params.get("tools")), number(params, "max_repeats")
    counts = Counter(
        (word(call.get("name")), as_text(call.get("arguments")))
        for call in seen.calls
        if not only or call.get("name") in only
    )
    over = sorted({name for (name, _), often in counts.items() if often > (most or 1)})
    return passed(not over, f"Repeated: {', '.join(over)}", *over)


def tool_efficiency(params: Object, seen: Seen) -> Measured:
    errors = sum(1 for call in seen.calls if call.get("error"))
    rate = errors / len(seen.calls) if seen.calls else 0.0
    limits = (("max_calls", len(seen.calls)), ("max_errors", errors), ("max_error_rate", rate))
    over = [
        f"{name}: {value:g}"
        for name, value in limits
        if (limit := number(params, name)) is not None and value > limit
    ]
    return passed(not over, "; ".join(over), *over)


def no_tool_errors(params: Object, seen: Seen) -> Measured:
    only = words(params.get("tools"))
    wrong = [
        word(call.get("name"))
        for call in seen.calls
        if call.get("error") and (not only or call.get("name") in only)
    ]
    return passed(not wrong, f"Failed: {', '.join(wrong)}", *wrong)


def _results(params: Object, seen: Seen) -> list[str]:
    tool = word(params.get("tool"))
    return [
        word(call.get("result"))
        for call in seen.calls
        if (not tool or call.get("name") == tool) and not call.get("error")
    ]


def tool_result_includes(params: Object, seen: Seen) -> Measured:
    wanted = [text.casefold() for text in texts_of(params, "patterns")]
    least = number(params, "occurrence") or 1
    good = [
        result
        for result in _results(params, seen)
        if all(text in result.casefold() for text in wanted)
    ]
    return passed(len(good) >= least, f"{len(good)} results say so, {least:g} wanted.")


def tool_result_matches(params: Object, seen: Seen) -> Measured:
    pattern = word(params.get("pattern"))
    least = number(params, "occurrence") or 1
    count = sum(1 for result in _results(params, seen) if matches(pattern, result))
    return passed(count >= least, f"{count} results match, {least:g} wanted.")


def matches(pattern: str, text: str) -> bool:
    """Under a time limit. Raises BadParams."""
    try:
        found: object = regex.search(pattern, text, timeout=REGEX_SECONDS)  # type: ignore[no-untyped-call]
    except (regex.error, TimeoutError) as wrong:
        raise BadParams(f"{pattern!r} cannot be used: {wrong}") from None
    return found is not None


TOOLS: dict[str, Measure] = {
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
