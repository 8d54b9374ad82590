"""SR1xx, second part: what the agent's verdict type asks of registry and agent.json."""

from __future__ import annotations

from workflows.core.dialects.steps_registry.rules.kit import registry_rule
from workflows.core.dialects.steps_registry.rules.startup import of_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import SetEntry, SetField
from workflows.core.pack.findings import Fix
from workflows.core.rules.kit import Note, Notes

VERDICT_NEEDS = {
    "count:iteration": "maxIterations",
    "count:check": "maxChecks",
    "detect:keyword": "verdictKeyword",
}


@registry_rule("SR111", "error", "An entry for the verdict type")
def verdict_entry(source: RegistrySource) -> Notes:
    """The agent's verdict type selects the entry: `entryStepMapping[type]`, else `entryStep`.
    With neither the run cannot start (SR-GATE-002)."""
    for _ in of_rule(source, "SR111"):
        target = next((id for _, id in source.entries if id in source.steps), None)
        yield Note(
            message=f"No entry for the agent's verdict type {source.verdict!r} (SR-GATE-002).",
            pointer=("entryStepMapping",),
            fix=Fix(label=f"Begin at {target}", edits=(SetEntry(id=target, key=source.verdict),))
            if target
            else None,
        )


@registry_rule("SR112", "error", "A graph needs gates")
def graph_needs_gates(source: RegistrySource) -> Notes:
    """An agent with verdict type `detect:graph` needs at least one step with a gate
    (SR-GATE-004)."""
    for _ in of_rule(source, "SR112"):
        yield Note(
            message="The verdict type is detect:graph, but no step has a gate (SR-GATE-004).",
            element="agent:",
        )


@registry_rule("SR113", "error", "A graph needs entryStep")
def graph_needs_entry(source: RegistrySource) -> Notes:
    """With `detect:graph` Climpt looks for `entryStep` (here or in the verdict's configuration);
    a mapping is not enough (SR-ENTRY-004)."""
    for _ in of_rule(source, "SR113"):
        target = source.entry
        yield Note(
            message="detect:graph needs entryStep; a mapping alone does not start (SR-ENTRY-004).",
            element="agent:",
            fix=Fix(
                label=f"Set entryStep to {target}",
                edits=(SetField(element="pack", field="/entryStep", value=target),),
            )
            if target
            else None,
        )


@registry_rule("SR114", "error", "The verdict's configuration")
def verdict_configuration(source: RegistrySource) -> Notes:
    """Verdict types need their configuration in agent.json: detect:structured `signalType`,
    meta:composite `conditions`, meta:custom `handlerPath` (AC-VERDICT-001 and following)."""
    for problem in of_rule(source, "SR114"):
        yield Note(
            message=f"agent.json: {problem.line} ({problem.code})",
            path=source.agent_path,
            pointer=("runner", "verdict"),
            element="agent:",
        )


@registry_rule("SR115", "error", "What a verdict needs")
def verdict_needs(source: RegistrySource) -> Notes:
    """`--validate` wants of agent.json: count:iteration `maxIterations` of at least 1, count:check
    `maxChecks` of at least 1, detect:keyword `verdictKeyword`. A run goes without and takes the
    default: 20 iterations, 100 checks, TASK_COMPLETE."""
    key = VERDICT_NEEDS.get(source.verdict, "")
    config = source.verdict_config
    if not key or not config:
        return
    given = config.get(key)
    fine = bool(given) and isinstance(given, str)
    if key != "verdictKeyword":
        fine = isinstance(given, int) and not isinstance(given, bool) and given >= 1
    if not fine:
        said = f"is {given!r}" if key in config else "is missing"
        yield Note(
            message=f"agent.json: {source.verdict} needs {key}, which {said}.",
            path=source.agent_path,
            pointer=("runner", "verdict", "config", *((key,) if key in config else ())),
            element="agent:",
        )
