"""Startup checks of the registry: required keys, agent name, entries and verdict."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename

from workflows.core.dialects.steps_registry.format.vocabulary import VERDICTS
from workflows.core.dialects.steps_registry.rules.startup.problem import Problem
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.text.tolerant import as_object


def shape(source: RegistrySource) -> Iterator[Problem]:
    missing = [key for key in ("agentId", "version", "steps") if not source.value.get(key)]
    if missing and source.value.get("steps") != {}:
        yield Problem(
            code="SR-LOAD-001",
            rule="SR101",
            line="Invalid registry format: missing required fields (agentId, version, steps).",
            detail=tuple(missing),
        )


def agent_name(source: RegistrySource) -> Iterator[Problem]:
    agent_id = source.value.get("agentId")
    name = source.agent_value("name") or (basename(source.folder) if source.in_tree else None)
    if agent_id and name and agent_id != name:
        yield Problem(
            code="SR-LOAD-002",
            rule="SR102",
            line=f'Registry agentId mismatch: expected "{name}", got "{agent_id}".',
            pointer=("agentId",),
            detail=(str(name), str(agent_id)),
        )


def entries(source: RegistrySource) -> Iterator[Problem]:
    by_id = as_object(source.value.get("steps"))
    entry, mapping = source.value.get("entryStep"), source.value.get("entryStepMapping")
    if not entry and not mapping:
        yield Problem(
            code="SR-ENTRY-001",
            rule="SR105",
            line=f'Step registry for "{source.agent_id}" missing entry configuration.',
        )
    if isinstance(entry, str) and entry and entry not in by_id:
        yield Problem(
            code="SR-ENTRY-002",
            rule="SR106",
            line=f'Step registry for "{source.agent_id}": entryStep "{entry}" does not exist in '
            "steps.",
            pointer=("entryStep",),
            detail=(entry,),
        )
    for key, target in source.entries:
        if key and target not in by_id:
            yield Problem(
                code="SR-ENTRY-003",
                rule="SR107",
                line=f'entryStepMapping["{key}"] references non-existent step "{target}"',
                pointer=("entryStepMapping", key),
                detail=(key, target),
            )


def graph_gate(source: RegistrySource) -> Iterator[Problem]:
    if source.verdict == "detect:graph" and not source.flow:
        yield Problem(
            code="SR-GATE-004",
            rule="SR112",
            line=f'Agent "{source.agent_id}" uses verdictType "detect:graph" but registry has no '
            "steps with structuredGate.",
        )


def verdict_entry(source: RegistrySource) -> Iterator[Problem]:
    if source.verdict == "detect:graph":
        stated = source.value.get("entryStep") or source.verdict_config.get("entryStep")
        if not stated:
            yield Problem(
                code="SR-ENTRY-004", rule="SR113", line="No entry step configured in registry."
            )
    if source.entries and source.entry is None:
        yield Problem(
            code="SR-GATE-002",
            rule="SR111",
            line=f'No entry step configured for verdictType "{source.verdict}".',
        )


REQUIRED = {
    "detect:structured": ("AC-VERDICT-002", "signalType"),
    "meta:composite": ("AC-VERDICT-003", "conditions"),
    "meta:custom": ("AC-VERDICT-004", "handlerPath"),
}


def verdict_config(source: RegistrySource) -> Iterator[Problem]:
    if not source.agent:
        return
    if source.verdict not in VERDICTS:
        yield Problem(
            code="AC-VERDICT-005",
            rule="SR114",
            line=f'Unknown verdict type "{source.verdict}".',
            detail=("type",),
        )
    code, key = REQUIRED.get(source.verdict, ("", ""))
    if key and not source.verdict_config.get(key):
        yield Problem(
            code=code,
            rule="SR114",
            line=f"{source.verdict} verdict type requires {key}.",
            detail=(key,),
        )
