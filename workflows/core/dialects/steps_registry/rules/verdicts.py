"""SR1xx, second part: requirements of the agent's verdict type."""

from __future__ import annotations

from workflows.core.dialects.steps_registry.rules.kit import CLIMPT_ONLY, registry_rule
from workflows.core.dialects.steps_registry.rules.startup import of_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import SetEntry, SetField
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, Notes, make_fix

VERDICT_NEEDS = {
    "count:iteration": "maxIterations",
    "count:check": "maxChecks",
    "detect:keyword": "verdictKeyword",
}


@registry_rule("SR111", "error", "No entry for the verdict type", profiles=EVERY)
def verdict_entry(source: RegistrySource) -> Notes:
    """The agent's verdict type selects the entry: `entryStepMapping[type]`, else `entryStep`.
    Without either, the run cannot start (SR-GATE-002)."""
    for _ in of_rule(source, "SR111"):
        target = next((id for _, id in source.entries if id in source.steps), None)
        mapping = source.value.get("entryStepMapping")
        near = closest_name(source.verdict, mapping) if isinstance(mapping, dict) else ""
        yield Note(
            message=f"The agent's verdict type {source.verdict!r} has no entry (SR-GATE-002).",
            pointer=("entryStepMapping", *((near,) if near else ())),
            hint=f"Rename {near!r} to {source.verdict!r}." if near else "",
            fix=make_fix(f"Start at {target}", SetEntry(id=target, key=source.verdict))
            if target
            else None,
        )


@registry_rule("SR112", "error", "detect:graph without a gate", profiles=CLIMPT_ONLY)
def graph_needs_gates(source: RegistrySource) -> Notes:
    """An agent with the verdict type `detect:graph` needs at least one step with a gate
    (SR-GATE-004)."""
    for _ in of_rule(source, "SR112"):
        yield Note(
            message="The verdict type detect:graph needs a step with a gate (SR-GATE-004).",
            element="agent:",
        )


@registry_rule("SR113", "error", "detect:graph without entryStep", profiles=CLIMPT_ONLY)
def graph_needs_entry(source: RegistrySource) -> Notes:
    """With `detect:graph`, Climpt requires `entryStep`, either here or in the verdict's
    configuration. `entryStepMapping` is not enough (SR-ENTRY-004)."""
    for _ in of_rule(source, "SR113"):
        target = source.entry
        yield Note(
            message="The verdict type detect:graph needs entryStep (SR-ENTRY-004).",
            element="agent:",
            fix=make_fix(
                f"Set entryStep to {target}",
                SetField(element="pack", field="/entryStep", value=target),
            )
            if target
            else None,
        )


@registry_rule("SR114", "error", "Incomplete verdict configuration", profiles=EVERY)
def verdict_configuration(source: RegistrySource) -> Notes:
    """Some verdict types need configuration in agent.json: detect:structured needs `signalType`,
    meta:composite needs `conditions`, meta:custom needs `handlerPath` (AC-VERDICT-001 and
    following)."""
    for problem in of_rule(source, "SR114"):
        yield Note(
            message=f"agent.json: {problem.line} ({problem.code})",
            path=source.agent_path,
            pointer=("runner", "verdict"),
            element="agent:",
        )


@registry_rule("SR115", "error", "Verdict limit or keyword missing", profiles=CLIMPT_ONLY)
def verdict_needs(source: RegistrySource) -> Notes:
    """Climpt's `--validate` requires in agent.json: for count:iteration, `maxIterations` of at
    least 1; for count:check, `maxChecks` of at least 1; for detect:keyword, `verdictKeyword`. A run
    uses the defaults instead: 20 iterations, 100 checks, TASK_COMPLETE."""
    key = VERDICT_NEEDS.get(source.verdict, "")
    config = source.verdict_config
    if not key or not config:
        return
    value = config.get(key)
    valid = bool(value) and isinstance(value, str)
    if key != "verdictKeyword":
        valid = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if not valid:
        problem = f"is {value!r}" if key in config else "is missing"
        yield Note(
            message=f"agent.json: {source.verdict} needs {key}, which {problem}.",
            path=source.agent_path,
            pointer=("runner", "verdict", "config", *((key,) if key in config else ())),
            element="agent:",
        )
