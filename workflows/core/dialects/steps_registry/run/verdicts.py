"""When a run is finished by its verdict type (section 6)."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.steps_registry.run.asking import iteration, most_iterations
from workflows.core.dialects.steps_registry.run.texts import json_block
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.dialects.steps_registry.steps import strings, text_of
from workflows.core.engine.run import Run

KEYWORD = "TASK_COMPLETE"


def keyword_of(config: dict[str, Any]) -> str:
    return text_of(config.get("verdictKeyword")) or KEYWORD


def is_finished(source: RegistrySource, run: Run, answer: dict[str, Any] | None, text: str) -> bool:
    """Whether the verdict alone ends the run now. `poll:state` asks GitHub, which is not done
    here: it never does."""
    return _finished(source.verdict, source.verdict_config, source, run, answer, text)


def _finished(
    kind: str,
    config: dict[str, Any],
    source: RegistrySource,
    run: Run,
    answer: dict[str, Any] | None,
    text: str,
) -> bool:
    match kind:
        case "count:iteration":
            most = config.get("maxIterations", most_iterations(source))
            return iteration(run) >= int(most)
        case "count:check":
            most = config.get("maxChecks", 100)
            return int(run.memory.get("checks", 0)) >= int(most)
        case "detect:keyword":
            return keyword_of(config) in text
        case "detect:structured":
            return _structured(config, answer, text)
        case "detect:graph":
            given = answer or {}
            return given.get("status") == "completed" or given.get("complete") is True
        case "meta:composite":
            return _composite(config, source, run, answer, text)
    return False


def _structured(config: dict[str, Any], answer: dict[str, Any] | None, text: str) -> bool:
    signal = text_of(config.get("signalType"))
    found = answer if answer is not None else json_block(text)
    if f"```{signal}" not in text and not (
        found and signal in (found.get("type"), found.get("signal"))
    ):
        return False
    required = config.get("requiredFields")
    names = list(required) if isinstance(required, dict) else list(strings(required))
    return all(name in (found or {}) for name in names)


def _composite(
    config: dict[str, Any],
    source: RegistrySource,
    run: Run,
    answer: dict[str, Any] | None,
    text: str,
) -> bool:
    given = config.get("conditions")
    results = [
        _finished(text_of(item.get("type")), item.get("config") or {}, source, run, answer, text)
        for item in (given if isinstance(given, list) else ())
        if isinstance(item, dict)
    ]
    if not results:
        return False
    return all(results) if config.get("operator") == "and" else any(results)


def how_it_ended(source: RegistrySource, run: Run) -> str:
    """The sentence that the run ends with."""
    match source.verdict:
        case "detect:keyword":
            return f'Verdict keyword "{keyword_of(source.verdict_config)}" detected'
        case "count:iteration":
            return f"Completed {iteration(run)}/{most_iterations(source)} iterations"
        case kind:
            return f"Completed after {iteration(run)} iterations ({kind})"
