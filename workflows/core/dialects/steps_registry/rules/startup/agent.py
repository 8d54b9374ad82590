"""Startup checks of agent.json: the configuration that Climpt refuses before it reads the
registry (AC-VALID-001)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from workflows.core.dialects.steps_registry.format.vocabulary import PERMISSIONS
from workflows.core.dialects.steps_registry.rules.startup.problem import Problem
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.text.json.document import Pointer
from workflows.core.text.tolerant import as_object_map, as_str

CODE = "AC-VALID-001"
REQUIRED = ("name", "displayName", "runner")
OLDER_KEYS = ("behavior", "prompts", "logging")
"""Keys of 1.11 that moved below `runner`."""
NAME = re.compile(r"[a-z][a-z0-9-]*")
VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
LOG_FORMATS = ("jsonl", "text")
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "number": (int, float), "boolean": (bool,), "array": (list,)
}  # fmt: skip
"""Type of a parameter → types of its default value."""


def agent_definition(source: RegistrySource) -> Iterator[Problem]:
    """The problems of the configuration layer. Of each verdict type, those that SR114 and SR115
    report are left out."""
    agent = source.agent
    if not agent:
        return
    for key in REQUIRED:
        if key not in agent:
            yield _problem((key,), f"Missing required field: {key}.")
    if "runner" not in agent and any(key in agent for key in OLDER_KEYS):
        yield _problem((), "Detected v1.11.x config format; its keys moved below runner.")
    name = agent.get("name")
    if isinstance(name, str) and not NAME.fullmatch(name):
        yield _problem(
            ("name",), "Name must be lowercase alphanumeric with hyphens, starting with a letter."
        )
    elif name is not None and not isinstance(name, str):
        yield _problem(("name",), "Name must be a string.")
    version = agent.get("version")
    if isinstance(version, str) and not VERSION.fullmatch(version):
        yield _problem(("version",), "version must be semver format (e.g., '1.0.0').")
    elif version is not None and not isinstance(version, str):
        yield _problem(("version",), "version must be a string.")
    yield from _runner(source)
    yield from _parameters(agent.get("parameters"))
    if not source.agent_value("runner", "flow", "systemPromptPath"):
        yield Problem(
            code="AC-VALID-002",
            rule="SR118",
            line="[CONFIGURATION] runner.flow.systemPromptPath is required.",
            pointer=("runner", "flow", "systemPromptPath"),
        )


def _problem(pointer: Pointer, line: str) -> Problem:
    return Problem(code=CODE, rule="SR118", line=f"[CONFIGURATION] {line}", pointer=pointer)


def _runner(source: RegistrySource) -> Iterator[Problem]:
    mode = source.agent_value("runner", "boundaries", "permissionMode")
    if mode and mode not in PERMISSIONS:
        listed = ", ".join(PERMISSIONS)
        yield _problem(
            ("runner", "boundaries", "permissionMode"),
            f"runner.boundaries.permissionMode must be one of: {listed}.",
        )
    registry = source.agent_value("runner", "flow", "prompts", "registry")
    if registry and not isinstance(registry, str):
        yield _problem(
            ("runner", "flow", "prompts", "registry"),
            "runner.flow.prompts.registry must be a string path.",
        )
    log = source.agent_value("runner", "logging", "format")
    if log and log not in LOG_FORMATS:
        yield _problem(
            ("runner", "logging", "format"),
            f"runner.logging.format must be one of: {', '.join(LOG_FORMATS)}.",
        )
    folder = source.agent_value("runner", "logging", "directory")
    if folder and not isinstance(folder, str):
        yield _problem(
            ("runner", "logging", "directory"), "runner.logging.directory must be a string."
        )
    config = source.verdict_config
    if source.verdict == "meta:composite" and config and not config.get("operator"):
        yield _problem(
            ("runner", "verdict", "config", "operator"),
            "runner.verdict.config.operator is required for meta:composite verdict type.",
        )


def _parameters(parameters: Any) -> Iterator[Problem]:
    flags: dict[str, list[str]] = {}
    for name, item in as_object_map(parameters).items():
        here: Pointer = ("parameters", name)
        flag, kind = item.get("cli"), item.get("type")
        if not flag:
            yield _problem((*here, "cli"), f"Parameter '{name}' missing cli flag.")
        elif isinstance(flag, str):
            flags.setdefault(flag, []).append(name)
            if not flag.startswith("--"):
                line = f"Parameter '{name}' cli flag must start with '--'."
                yield _problem((*here, "cli"), line)
        if not kind:
            yield _problem((*here, "type"), f"Parameter '{name}' missing type.")
        if "default" in item and not _fits(as_str(kind), item["default"]):
            line = f"Parameter '{name}': default value does not match declared type '{kind}'."
            yield _problem((*here, "default"), line)
    for flag, names in flags.items():
        if len(names) > 1:
            line = f"CLI flag '{flag}' is used by multiple parameters: {', '.join(names)}."
            yield _problem(("parameters", names[-1], "cli"), line)


def _fits(kind: str, default: Any) -> bool:
    if kind not in TYPES:
        return True
    return isinstance(default, TYPES[kind]) and (kind == "boolean" or not isinstance(default, bool))
