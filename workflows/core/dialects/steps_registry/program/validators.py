"""Validators of a closure step: commands, results, and retry prompts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workflows.core.dialects.steps_registry.format.prompt_paths import prompt_text
from workflows.core.dialects.steps_registry.format.steps import Step, strings
from workflows.core.dialects.steps_registry.format.success_when import semantic_pattern
from workflows.core.dialects.steps_registry.format.validators import guard_of
from workflows.core.dialects.steps_registry.format.vocabulary import GIT_EXTRACTORS
from workflows.core.dialects.steps_registry.program.context import RegistryContext
from workflows.core.dialects.steps_registry.program.extractors import extract
from workflows.core.dialects.steps_registry.program.gate import RunFault
from workflows.core.dialects.steps_registry.program.texts import (
    as_text,
    inject_values,
    insert_argument,
)
from workflows.core.dialects.steps_registry.rules.validators import retry_paths
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.patterns import PatternError, javascript
from workflows.core.text.tolerant import as_list, as_object, as_str

CLIMPT_ATTEMPTS = 3
"""Climpt's limit without `maxAttempts`. In the document, only the run's budget limits retries."""
FIRST_LINES = 20
FIRST_CHARACTERS = 2_000
"""Limit of the command output that a retry prompt and an error repeat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """The validation step of a closure step. `key` "" means that it has none."""

    key: str = ""
    value: dict[str, Any] = field(default_factory=dict)

    def conditions(self, stage: str) -> list[dict[str, Any]]:
        """The conditions of a stage (`preflight` or `post`): one list before 1.14, then two."""
        own = "preflightConditions" if stage == "preflight" else "postLLMConditions"
        items = self.value.get(own, self.value.get("validationConditions"))
        return [item for item in as_list(items) if isinstance(item, dict)]

    @property
    def action(self) -> str:
        action = as_object(self.value.get("onFailure")).get("action")
        return action if action in ("retry", "abort", "skip") else "retry"

    @property
    def most(self) -> int | None:
        """The value of `maxAttempts`, None without one."""
        value = as_object(self.value.get("onFailure")).get("maxAttempts")
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    @property
    def counter(self) -> str:
        return f"attempts:{as_str(self.value.get('stepId')) or self.key}"


def checks_for(source: RegistrySource, step: Step, profile: str) -> Checks:
    """The validation step of a closure step under a profile."""
    key, value = guard_of(source, step.id, profile)
    return Checks(key=key, value=value)


def validator_of(context: RegistryContext, condition: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The validator of a condition. Raises RunFault for an unknown one; Climpt 1.13.15 ignores
    it."""
    name = as_str(condition.get("validator"))
    validator = context.source.table("validators").get(name)
    if validator is None and context.runs_as_1_13_15:
        return name, {"type": "semantic"}
    if validator is None:
        raise RunFault(
            "AGENT_QUERY_ERROR",
            f'Validator not found: "{name}". Check that this validator is defined in the '
            'registry\'s "validators" section.',
        )
    return name, validator


def command_of(
    context: RegistryContext, validator: dict[str, Any], condition: dict[str, Any]
) -> tuple[str, ...] | None:
    """The command to run; None for a validator that passes without one. Climpt 1.13.15 does not
    insert `params`. Raises RunFault for a command that is too long."""
    params = condition.get("params") if not context.runs_as_1_13_15 else None
    params = as_object(params)
    match validator.get("type"):
        case "file":
            paths = [as_str(validator.get("path")), *strings(params.get("paths"))]
            tests = [f"test -e {shlex.quote(path)}" for path in paths if path]
            return ("sh", "-c", " && ".join(tests)) if tests else None
        case "semantic":
            return None
    command = as_str(validator.get("command"))
    for key, value in params.items():
        try:
            command = insert_argument(command, f"${{{key}}}", as_text(value))
        except ValueError as error:
            raise RunFault("AGENT_QUERY_ERROR", str(error)) from None
    return ("sh", "-c", command) if command else None


def is_unrecoverable(validator: dict[str, Any], exit: int, stderr: str) -> bool:
    """True for failures that no further attempt can repair (section 4.7)."""
    if exit in (126, 127) or validator.get("recoverableByDefault") is False:
        return True
    return "EACCES" in stderr or "Permission denied" in stderr


_SINGLE_BRACES = re.compile(r"(?<!\{)\{(?:uv-)?(\w+)\}(?!\})")
TESTS = ("parseTestOutput", "failedTests", "errorOutput")
TYPES = ("parseTypeErrors", "errors", "extractFiles", "files")


def parameters_of(
    context: RegistryContext, validator: dict[str, Any], output: dict[str, Any]
) -> dict[str, Any]:
    """The values for a retry prompt. A missing `extractParams` crashes Climpt 1.13."""
    wanted = validator.get("extractParams")
    if not isinstance(wanted, dict):
        if context.climpt and not context.runs_as_1_14:
            raise RunFault("AGENT_QUERY_ERROR", "Cannot convert undefined or null to object")
        wanted = {}
    values = {name: extract(as_str(how), output) for name, how in wanted.items()}
    return _summary({as_str(how) for how in wanted.values()}, output) | values


def _summary(extractors: set[str], output: dict[str, Any]) -> dict[str, Any]:
    """A summary of git, test and type extractors (1.8): summary, severity, files, suggested
    action."""
    if extractors & set(GIT_EXTRACTORS):
        files = extract("parseChangedFiles", output) or []
        problem, advice = f"{_many(files, 'file')} modified", "Stage and commit the modified files"
    elif extractors & set(TESTS):
        tests = extract("failedTests", output) or []
        files = list(dict.fromkeys(extract("files", output) or []))
        problem, advice = f"{_many(tests, 'test')} failed", "Fix the failing tests"
    elif extractors & set(TYPES):
        errors = extract("errors", output) or []
        files = list(dict.fromkeys(item["file"] for item in errors))
        problem, advice = f"{_many(errors, 'type error')}", "Fix the type errors"
    else:
        return {}
    return {
        "summary": problem,
        "severity": "error",
        "relatedFiles": files,
        "suggestedAction": advice,
    }


def _many(items: list[Any], what: str) -> str:
    return f"{len(items)} {what}{'' if len(items) == 1 else 's'}"


def retry_text(
    context: RegistryContext,
    step: Step,
    checks: Checks,
    name: str,
    output: dict[str, Any],
    params: dict[str, Any],
    inputs: Mapping[str, Any],
) -> str:
    """The prompt after a failed validator (section 4.8). Under `documented`, it has the failure:
    at its placeholders, else after its own text."""
    source = context.source
    pattern = as_str(source.table("validators").get(name, {}).get("failurePattern"))
    if pattern not in source.table("failurePatterns"):
        pattern = _guessed(source, output, params) or pattern
    for path in retry_paths(source, checks.key, pattern, None if context.climpt else step):
        if path not in source.files:
            continue
        text = prompt_text(source, path)
        if context.climpt:
            return inject_values(text, params)
        about = {"validator": name, "exitCode": output["exit"], "output": first_lines(output)}
        values = {**inputs, **about, **params}
        filled = inject_values(_double_braces(text, values), values)
        shown = about["output"] in filled if about["output"] else "exitCode" in text
        return filled if shown else f"{filled.rstrip()}\n\n{_failure(name, output, params)}\n"
    return _general(pattern, output, params)


def first_lines(output: Mapping[str, Any]) -> str:
    """The beginning of what a command wrote: its errors, else its output."""
    whole = (str(output["stderr"]).strip("\n") or str(output["stdout"])).strip("\n")
    lines = whole[: FIRST_CHARACTERS + 1].split("\n")
    text = "\n".join(lines[:FIRST_LINES])[:FIRST_CHARACTERS]
    return text if len(text) == len(whole) else f"{text}\n…"


def _double_braces(text: str, values: Mapping[str, Any]) -> str:
    """The text with `{uv-name}` and `{name}` of known values written as `{{name}}`."""

    def doubled(match: re.Match[str]) -> str:
        return "{{" + match[1] + "}}" if match[1] in values else match[0]

    return _SINGLE_BRACES.sub(doubled, text)


def _failure(name: str, output: Mapping[str, Any], params: Mapping[str, Any]) -> str:
    """The failure, for a prompt that does not show it."""
    lines = [f"The validator {name!r} failed with exit code {output['exit']}."]
    if text := first_lines(output):
        lines += ["", "```", text, "```"]
    lines += [f"- {key}: {shown}" for key, value in params.items() if (shown := as_text(value))]
    return "\n".join(lines)


def _guessed(source: RegistrySource, output: dict[str, Any], params: dict[str, Any]) -> str:
    """The pattern with the most hits in `semanticMatch`; "" without a hit."""
    words = [as_text(value) for value in params.values() if isinstance(value, str)]
    text = "\n".join([str(output["stdout"]), str(output["stderr"]), *words]).lower()
    best, score = "", 0
    matcher = _Matcher(text=text)
    for name, item in source.table("failurePatterns").items():
        hits = sum(matcher.hit(word) for word in strings(item.get("semanticMatch")))
        if hits > score:
            best, score = name, hits
    return best


@dataclass(slots=True, kw_only=True)
class _Matcher:
    """Words and patterns in one text. After MAX_SLOW patterns that took too long, none is tried."""

    text: str
    slow: int = 0

    def hit(self, word: str) -> bool:
        pattern = semantic_pattern(word)
        if not pattern:
            return word.lower() in self.text
        if self.slow >= javascript.MAX_SLOW:
            return False
        try:
            return javascript.search(pattern, self.text, flags="i")
        except PatternError as problem:
            self.slow += problem.reason == "too slow"
            return False


def _general(pattern: str, output: dict[str, Any], params: dict[str, Any]) -> str:
    """The retry prompt if no file for it exists."""
    lines = ["## Verdict conditions not met", "", f"Detected pattern: {pattern}", ""]
    for key, title in (
        ("summary", "Summary"),
        ("severity", "Severity"),
        ("suggestedAction", "Suggested action"),
    ):
        if params.get(key):
            lines.append(f"**{title}:** {params[key]}")
    if params.get("relatedFiles"):
        lines += ["**Related files:**", *(f"- {name}" for name in params["relatedFiles"])]
    error = output["stderr"] or output["stdout"]
    lines += ["", "### Error details", "```", str(error), "```", "", "### Details"]
    shown = ("summary", "severity", "suggestedAction", "relatedFiles")
    for name, value in params.items():
        if name in shown:
            continue
        if isinstance(value, list):
            lines += [f"**{name}:**", *(f"- {as_text(item)}" for item in value)]
        elif value is not None:
            lines.append(f"**{name}:** {as_text(value)}")
    lines += ["", "Please resolve this issue and try completing again."]
    return "\n".join(lines)
