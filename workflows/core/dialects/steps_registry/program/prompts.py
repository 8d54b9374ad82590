"""Rendering of a step's prompt: variables from four sources, then the text (section 5.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from workflows.core.dialects.steps_registry.edits.states import prompt_template
from workflows.core.dialects.steps_registry.format.prompt_paths import (
    PLACEHOLDER,
    SECTION,
    closure_adaptation,
    continuation_of,
    documented_prompt,
    existing_prompt,
    file_name,
    forbidden,
    prompt_text,
    section_called,
    without_front_matter,
)
from workflows.core.dialects.steps_registry.format.steps import Step, address_of
from workflows.core.dialects.steps_registry.format.vocabulary import RUNTIME_VARIABLES
from workflows.core.dialects.steps_registry.program.built_in_prompts import (
    built_in_prompt,
    no_prompt_for,
)
from workflows.core.dialects.steps_registry.program.context import RegistryContext
from workflows.core.dialects.steps_registry.program.gate import RunFault
from workflows.core.dialects.steps_registry.program.texts import as_text, fill_template
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.run import RunState
from workflows.core.text.placeholders import TOO_LONG, fill
from workflows.core.text.tolerant import as_object, as_object_map, as_str

SHELL = re.compile(r"[`$&|;<>]")
WIDE = {ord(char): ord(char) + 0xFEE0 for char in "`$&|;<>"}
"""Climpt's prompt library refuses values with these characters. In values of an earlier answer,
Climpt replaces them by full-width characters (5.2)."""


EMPTY_BY_DEFAULT = (*RUNTIME_VARIABLES, "repository")
"""Variables that the runtime injects: in the document, the empty string if it has no value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A rendered prompt, with warnings about missing parts."""

    text: str
    path: str = ""
    warnings: tuple[str, ...] = ()


def render(
    context: RegistryContext, run: RunState, step: Step, adaptation: str | None = None
) -> Prompt:
    """The step's prompt. `adaptation` is set after a repeat along a chain.

    Under `climpt`, a closure step falls back to the verdict's own prompt on any error; other steps
    end the run (RunFault). Under `documented`, a missing file or value is replaced, with a warning.
    """
    source = context.source
    if adaptation is None:
        adaptation = closure_adaptation(source, step)
    if not context.climpt:
        return _lenient(source, run, step, adaptation)
    if step.kind != "closure":
        return _strict(context, run, step, adaptation, flow=True)
    try:
        return _strict(context, run, step, adaptation, flow=False)
    except RunFault as fault:
        if fault.code == "AGENT_QUERY_ERROR":
            raise
        id = continuation_of(source)
        other = source.steps.get(id)
        if other is None:
            raise RunFault(
                "PR-RESOLVE-001",
                f'[PR-RESOLVE-001] Unknown step ID "{id}" in steps_registry.',
            ) from fault
        prompt = _strict(context, run, other, None, flow=True)
        warning = f"The prompt of {step.id!r} failed ({fault.code}); the prompt of {id!r} is used."
        return Prompt(text=prompt.text, path=prompt.path, warnings=(warning,))


def _strict(
    context: RegistryContext, run: RunState, step: Step, adaptation: str | None, *, flow: bool
) -> Prompt:
    source = context.source
    unkinded = all("stepKind" not in other.value for other in source.steps.values())
    if unkinded and source.generation != "B":
        raise RunFault(
            "PR-C3L-003",
            f'[PR-C3L-003] No C3L prompt found for step "{step.id}" at iteration {iteration(run)}.',
        )
    variables = variables_for(source, run, step, flow=flow)
    if "previous_summary" in variables:
        variables["previous_summary"] = variables["previous_summary"].translate(WIDE)
    for name in step.variables:
        if not variables.get(name.removeprefix("uv-")):
            plain = name.removeprefix("uv-")
            raise RunFault(
                "PR-RESOLVE-003",
                f'[PR-RESOLVE-003] Missing required UV variable "{plain}" for step "{step.id}".',
            )
    if step.value.get("usesStdin") is True:
        raise RunFault(
            "PR-RESOLVE-004",
            f'[PR-RESOLVE-004] Step "{step.id}" requires input_text but none provided.',
        )
    if key := forbidden(source, address_of(step.value)):
        raise _breakdown(step, f"{key} is not permitted by the path config")
    path = existing_prompt(source, step, adaptation)
    if path is None and context.runs_as_1_13_15:
        more = variables_for(source, run, step, flow=True)
        return _built_in(source, step, more | variables, flow=flow)
    if path is None:
        c1 = as_str(source.value.get("c1"))
        name = file_name(step.edition, step.adaptation)
        raise RunFault(
            "PR-C3L-004",
            f'[PR-C3L-004] C3L prompt file not found for step "{step.id}" '
            f"(tried: {c1}/{step.c2}/{step.c3}/{name}).",
        )
    text = without_front_matter(prompt_text(source, path))
    shown = [name.removeprefix("uv-") for name in step.variables] + PLACEHOLDER.findall(text)
    for name in shown if not context.runs_as_1_13_15 else ():
        if SHELL.search(variables.get(name, "")):
            raise _breakdown(step, f"Security error: the value of {name!r} has a shell character")
    for name in PLACEHOLDER.findall(text):
        if name not in variables:
            raise RunFault(
                "PR-RESOLVE-005",
                f'[PR-RESOLVE-005] UV variable "{name}" not provided for step "{step.id}".',
            )
    return _filled(step, text, variables, path=path)


def _breakdown(step: Step, detail: str) -> RunFault:
    """The error of a prompt that Climpt's prompt library refuses."""
    text = f'[PR-C3L-002] C3L breakdown failed for step "{step.id}": {detail}.'
    return RunFault("PR-C3L-002", text)


def _built_in(
    source: RegistrySource, step: Step, variables: dict[str, str], *, flow: bool
) -> Prompt:
    """The built-in prompt of closure steps up to 1.13.22, by `fallbackKey` (5.6)."""
    if flow:
        raise RunFault(
            "PR-FALLBACK-003",
            f'[PR-FALLBACK-003] Fallback not allowed for step "{step.id}" but C3L resolution '
            "failed.",
        )
    key = as_str(step.value.get("fallbackKey"))
    text = built_in_prompt(step, key, as_str(source.verdict_config.get("verdictKeyword")))
    if text is None:
        message = no_prompt_for(step, key)
        raise RunFault("PR-FALLBACK-002", f"[PR-FALLBACK-002] {message}.")
    warning = f"The prompt file of {step.id!r} is missing; the built-in prompt {key!r} is sent."
    return _filled(step, text, variables, warnings=(warning,))


def _lenient(source: RegistrySource, run: RunState, step: Step, adaptation: str | None) -> Prompt:
    warnings: list[str] = []
    variables = variables_for(source, run, step, flow=True)
    path = documented_prompt(source, step, adaptation)
    if path is None:
        text, warning = _substitute(source, step)
        warnings.append(warning)
    else:
        text = prompt_text(source, path)
    text = _with_sections(source, without_front_matter(text))
    variables = dict.fromkeys(EMPTY_BY_DEFAULT, "") | variables
    if both := set(_inputs(run, step)) & set(_arguments(source, run)):
        warnings.append(f"The run's own {', '.join(sorted(both))} wins over that of another step.")
    missing = [name for name in dict.fromkeys(PLACEHOLDER.findall(text)) if name not in variables]
    declared = [name.removeprefix("uv-") for name in step.variables]
    declared = [name for name in declared if name not in EMPTY_BY_DEFAULT]
    missing += [name for name in declared if name not in missing and not variables.get(name)]
    if missing:
        warnings.append(f"No value for {', '.join(missing)} in {step.id!r}.")
    return _filled(step, text, variables, path=path or "", warnings=tuple(warnings))


def _filled(
    step: Step,
    text: str,
    variables: dict[str, str],
    *,
    path: str = "",
    warnings: tuple[str, ...] = (),
) -> Prompt:
    """The prompt with its variables, and a warning if not all of them fit."""
    filled = fill_template(text, variables)
    if filled.stop is not None:
        first = PLACEHOLDER.match(text, filled.stop)
        name = first[0] if first else "A placeholder"
        left = f"{name} and all later placeholders of {step.id!r} were left in the prompt."
        warnings = (*warnings, f"{left} {TOO_LONG}.")
    return Prompt(text=filled.text, path=path, warnings=warnings)


def _substitute(source: RegistrySource, step: Step) -> tuple[str, str]:
    """(text, warning) for a step without a prompt file: the built-in prompt of its `fallbackKey`,
    else a generated text. Raises RunFault for an unknown key, as in the document."""
    missing = f"The prompt file of {step.id!r} is missing"
    key = step.value.get("fallbackKey")
    if not isinstance(key, str) or not key or source.generation != "S":
        return prompt_template(source, step), f"{missing}; a generated text is sent."
    text = built_in_prompt(step, key, as_str(source.verdict_config.get("verdictKeyword")))
    if text is None:
        raise RunFault("PR-FALLBACK-002", no_prompt_for(step, key))
    return text, f"{missing}; the built-in prompt {key!r} is sent."


def _with_sections(source: RegistrySource, text: str) -> str:
    """The text with sections injected, as in the document. Climpt injects nothing (D18)."""

    @cache
    def section(name: str) -> str | None:
        step = section_called(source, name)
        path = existing_prompt(source, step) if step is not None else None
        return None if path is None else without_front_matter(prompt_text(source, path))

    return fill(SECTION, text, lambda match: section(match[1])).text


def iteration(run: RunState) -> int:
    return int(run.memory.get("iteration", 0))


def variables_for(
    source: RegistrySource, run: RunState, step: Step, *, flow: bool
) -> dict[str, str]:
    """All variables of a prompt. The run's own arguments win over other sources.

    Raises RunFault for a required input without a value.
    """
    number, most = iteration(run), source.most_iterations
    values = {"iteration": str(number)}
    if number > 1:
        values["completed_iterations"] = str(number - 1)
    keyword = source.verdict_config.get("verdictKeyword")
    if isinstance(keyword, str) and keyword:
        values["completion_keyword"] = keyword
    if flow:
        values |= {
            "max_iterations": str(most),
            "remaining": str(most - number),
            "previous_summary": as_text(run.memory.get("summary")),
            "check_count": str(run.memory.get("checks", 0)),
        }
        if source.verdict_config.get("maxChecks") is not None:
            values["max_checks"] = as_text(source.verdict_config["maxChecks"])
    values |= _inputs(run, step)
    return values | _arguments(source, run)


def _arguments(source: RegistrySource, run: RunState) -> dict[str, str]:
    arguments = {
        name: as_text(item["default"])
        for name, item in as_object_map(source.agent_value("parameters")).items()
        if item.get("default") is not None
    }
    return arguments | {name: as_text(value) for name, value in run.inputs.items()}


def _inputs(run: RunState, step: Step) -> dict[str, str]:
    """Values of earlier steps, named after step and key (section 4.6)."""
    values: dict[str, str] = {}
    for name, item in step.inputs.items():
        if "from" not in item:
            if item.get("default") is not None:
                values[name] = as_text(item["default"])
            elif item.get("required"):
                raise RunFault("AGENT_QUERY_ERROR", f"Required input '{name}' has no source")
            continue
        origin, dot, key = as_str(item["from"]).rpartition(".")
        if not dot or not origin:
            raise RunFault(
                "AGENT_QUERY_ERROR",
                f"Invalid from format '{item['from']}': expected 'stepId.key'",
            )
        value: Any = as_object(run.memory.get(f"output:{origin}")).get(key)
        if value is None:
            value = item.get("default")
        if value is not None:
            values[f"{origin.replace('.', '_')}_{key}"] = as_text(value)
        elif item.get("required"):
            raise RunFault(
                "AGENT_QUERY_ERROR", f"Required input '{name}' not found from '{item['from']}'"
            )
    return values
