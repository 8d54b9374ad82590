"""Measures of what was done: tools, ways through the workflow, skills, checks, steps, costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import regex

from workflows.core.dialects.promptpack.parts import Object, word, words
from workflows.core.dialects.promptpack.run.measures.base import (
    BadParams,
    Measure,
    Measured,
    Seen,
    number,
    passed,
    share,
    texts_of,
)
from workflows.core.dialects.promptpack.run.measures.words import REGEX_SECONDS
from workflows.core.dialects.promptpack.run.predicates import same
from workflows.core.dialects.promptpack.run.scope import as_text


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
    return _in_order(wanted, _names(seen), "Not called in this order")


def _in_order(wanted: list[str], found: Iterable[str], what: str) -> Measured:
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
        if steps and _in_order(steps, _names(seen), "").score == 1.0
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
    count = sum(1 for result in _results(params, seen) if _matches(pattern, result))
    return passed(count >= least, f"{count} results match, {least:g} wanted.")


def _matches(pattern: str, text: str) -> bool:
    """Under a time limit. Raises BadParams."""
    try:
        found: object = regex.search(pattern, text, timeout=REGEX_SECONDS)  # type: ignore[no-untyped-call]
    except (regex.error, TimeoutError) as wrong:
        raise BadParams(f"{pattern!r} cannot be used: {wrong}") from None
    return found is not None


matches = _matches


def workflow_complete(params: Object, seen: Seen) -> Measured:
    return passed(seen.ended, "The workflow is not complete.")


def workflow_state_is(params: Object, seen: Seen) -> Measured:
    return passed(seen.state == _state(params), f"The run is in {seen.state!r}.")


def workflow_transitioned_to(params: Object, seen: Seen) -> Measured:
    there = {word(move.get("to")) for move in seen.moves}
    return passed(_state(params) in there, "No arrow led there.")


def workflow_transition_order(params: Object, seen: Seen) -> Measured:
    found = [seen.entry, *(word(move.get("to")) for move in seen.moves)]
    return _in_order(texts_of(params, "sequence", "states"), found, "Not entered in this order")


def workflow_tool_access(params: Object, seen: Seen) -> Measured:
    """Where a rule names a state, only its tools may have been called there."""
    rules = params.get("rules")
    allowed = {
        word(rule.get("state")): words(rule.get("allowed"))
        for rule in (rules if isinstance(rules, list) else [])
        if isinstance(rule, dict)
    }
    wrong = [
        f"{call.get('name')} in {call.get('state')}"
        for call in seen.calls
        if call.get("state") in allowed and call.get("name") not in allowed[call["state"]]
    ]
    return passed(not wrong, f"Not allowed: {', '.join(wrong)}", *wrong)


def spoke_in_state(params: Object, seen: Seen) -> Measured:
    here = _state(params)
    spoke = any(one.get("state") == here and word(one.get("text")).strip() for one in seen.said)
    return passed(spoke, f"Nothing was said in {here!r}.")


def _state(params: Object) -> str:
    state = word(params.get("state"))
    if not state:
        raise BadParams("requires 'state'")
    return state


def skill_activated(params: Object, seen: Seen) -> Measured:
    wanted = texts_of(params, "skills", "skill", "skill_names", "names")
    return share(wanted, list(seen.skills), "Not taken up")


def skill_not_activated(params: Object, seen: Seen) -> Measured:
    banned = texts_of(params, "skills", "skill", "skill_names", "names")
    found = [name for name in banned if name in seen.skills]
    return passed(not found, f"Taken up: {', '.join(found)}", *found)


def skill_activation_order(params: Object, seen: Seen) -> Measured:
    return _in_order(texts_of(params, "sequence", "skills"), seen.skills, "Not in this order")


def guardrail_triggered(params: Object, seen: Seen) -> Measured:
    kind, wanted = word(params.get("validator")), params.get("should_trigger") is not False
    direction = params.get("direction")
    fired = any(
        check.get("fired") and check.get("kind") == kind
        for check in seen.checks
        if direction in (None, "both", check.get("direction"))
    )
    return passed(fired == wanted, f"{kind} {'fired' if fired else 'did not fire'}.")


def composition_step_output(params: Object, seen: Seen) -> Measured:
    note = seen.steps.get(word(params.get("step")))
    if note is None or "output" not in note:
        return passed(False, "This step has no output.")
    return _fits(params, note["output"])


def composition_output(params: Object, seen: Seen) -> Measured:
    if not seen.outputs:
        return passed(False, "No composition has come to anything.")
    return _fits(params, seen.outputs[-1])


def _fits(params: Object, value: Any) -> Measured:
    if "equals" in params:
        return passed(same(value, params["equals"]), "It is something else.")
    wanted = texts_of(params, "contains")
    text = as_text(value).casefold()
    return share(wanted, [item for item in wanted if item.casefold() in text], "Not there")


def composition_branch_taken(params: Object, seen: Seen) -> Measured:
    note = seen.steps.get(word(params.get("branch")), {})
    wanted = params.get("expected")
    return passed(wanted in (note.get("to"), note.get("taken")), f"It led to {note.get('to')!r}.")


def composition_parallel_complete(params: Object, seen: Seen) -> Measured:
    note = seen.steps.get(word(params.get("parallel")), {})
    return passed(note.get("status") == "done", "It is not complete.")


def latency_budget(params: Object, seen: Seen) -> Measured:
    most = number(params, "max_ms")
    if most is None:
        raise BadParams("requires 'max_ms'")
    return passed(seen.seconds * 1000 <= most, f"{seen.seconds * 1000:.0f} ms.")


def cost_budget(params: Object, seen: Seen) -> Measured:
    spent = (
        ("max_cost_usd", seen.cost),
        ("max_input_tokens", seen.input_tokens),
        ("max_output_tokens", seen.output_tokens),
        ("max_total_tokens", seen.input_tokens + seen.output_tokens),
    )
    over = [
        f"{name}: {value:g}"
        for name, value in spent
        if (limit := number(params, name)) is not None and value > limit
    ]
    return passed(not over, "; ".join(over), *over)


DEEDS: dict[str, Measure] = {
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
    "workflow_complete": workflow_complete,
    "workflow_state_is": workflow_state_is,
    "workflow_transitioned_to": workflow_transitioned_to,
    "workflow_transition_order": workflow_transition_order,
    "workflow_tool_access": workflow_tool_access,
    "spoke_in_state": spoke_in_state,
    "skill_activated": skill_activated,
    "skill_not_activated": skill_not_activated,
    "skill_activation_order": skill_activation_order,
    "guardrail_triggered": guardrail_triggered,
    "composition_step_output": composition_step_output,
    "composition_output": composition_output,
    "composition_branch_taken": composition_branch_taken,
    "composition_parallel_complete": composition_parallel_complete,
    "latency_budget": latency_budget,
    "cost_budget": cost_budget,
}
