"""The end of a run by its verdict type (section 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import strings
from workflows.core.dialects.steps_registry.program.built_in_prompts import KEYWORD
from workflows.core.dialects.steps_registry.program.context import Answer, RegistryContext
from workflows.core.dialects.steps_registry.program.prompts import iteration
from workflows.core.dialects.steps_registry.program.texts import json_block
from workflows.core.engine.run import RunState
from workflows.core.text.tolerant import as_list, as_str


def keyword_of(config: dict[str, Any]) -> str:
    return as_str(config.get("verdictKeyword")) or KEYWORD


def is_finished(context: RegistryContext, run: RunState, answer: Answer) -> bool:
    """True if the verdict ends the run now. `poll:state` never does, because GitHub is not
    queried."""
    source = context.source
    return _finished(source.verdict, source.verdict_config, VerdictInput(context, run, answer))


@dataclass(frozen=True, slots=True)
class VerdictInput:
    """The inputs of a verdict: the run and the last answer."""

    context: RegistryContext
    run: RunState
    answer: Answer


def verdict_iteration(context: RegistryContext, run: RunState) -> int:
    """The iteration that verdicts use. Climpt 1.13.15 does not pass it to them."""
    return 0 if context.runs_as_1_13_15 else iteration(run)


def _finished(kind: str, config: dict[str, Any], verdict_input: VerdictInput) -> bool:
    match kind:
        case "count:iteration":
            most = _number(
                config.get("maxIterations"), verdict_input.context.source.most_iterations
            )
            return verdict_iteration(verdict_input.context, verdict_input.run) >= most
        case "count:check":
            return int(verdict_input.run.memory.get("checks", 0)) >= _number(
                config.get("maxChecks"), 100
            )
        case "detect:keyword":
            return keyword_of(config) in verdict_input.answer.text
        case "detect:structured":
            return _structured(config, verdict_input)
        case "detect:graph":
            fields = verdict_input.answer.value or {}
            return fields.get("status") == "completed" or fields.get("complete") is True
        case "meta:composite":
            return _composite(config, verdict_input)
    return False


def _number(value: Any, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _structured(config: dict[str, Any], verdict_input: VerdictInput) -> bool:
    signal = as_str(config.get("signalType"))
    value, text = verdict_input.answer.value, verdict_input.answer.text
    fields = value if value is not None else json_block(text)
    if f"```{signal}" not in text and not (
        fields and signal in (fields.get("type"), fields.get("signal"))
    ):
        return False
    required = config.get("requiredFields")
    names = list(required) if isinstance(required, dict) else list(strings(required))
    return all(name in (fields or {}) for name in names)


def _composite(config: dict[str, Any], verdict_input: VerdictInput) -> bool:
    """`and` requires all conditions; `or` and `first` require one."""
    results = [
        _finished(as_str(item.get("type")), item.get("config") or {}, verdict_input)
        for item in as_list(config.get("conditions"))
        if isinstance(item, dict)
    ]
    if not results:
        return False
    return all(results) if config.get("operator") == "and" else any(results)


def end_reason(context: RegistryContext, run: RunState) -> str:
    """The reason text of a completed run."""
    source = context.source
    match source.verdict:
        case "detect:keyword":
            return f'Verdict keyword "{keyword_of(source.verdict_config)}" detected'
        case "count:iteration":
            return (
                f"Completed {verdict_iteration(context, run)}/{source.most_iterations} iterations"
            )
        case kind:
            return f"Completed after {iteration(run)} iterations ({kind})"
