"""SR1xx: what stops Climpt from starting at all."""

from __future__ import annotations

from workflows.core.dialects.steps_registry.format.vocabulary import ALLOWED, BOUNDARY
from workflows.core.dialects.steps_registry.graph.reachability import steps_of_kinds
from workflows.core.dialects.steps_registry.rules.kit import registry_rule
from workflows.core.dialects.steps_registry.rules.startup import Problem, of_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import Connect, SetEntry, SetField, UnsetField
from workflows.core.pack.findings import Fix
from workflows.core.rules.kit import Note, Notes


@registry_rule("SR101", "error", "Required keys of the registry")
def required_keys(source: RegistrySource) -> Notes:
    """A registry needs `agentId`, `version` and `steps`, none of them empty (SR-LOAD-001).
    Without one the runner refuses the file before it looks at anything else."""
    for problem in of_rule(source, "SR101"):
        keys = ", ".join(problem.detail)
        yield Note(
            message=f"The registry has no {keys} (SR-LOAD-001).",
            hint="Add the missing keys at the top of the file.",
        )


@registry_rule("SR102", "error", "The agent's name")
def agent_name(source: RegistrySource) -> Notes:
    """`agentId` must equal the agent's name in agent.json and its folder (SR-LOAD-002)."""
    for problem in of_rule(source, "SR102"):
        name, given = problem.detail
        yield Note(
            message=f"agentId is {given!r}, but the agent is called {name!r} (SR-LOAD-002).",
            pointer=problem.pointer,
            fix=Fix(
                label=f"Set agentId to {name}",
                edits=(SetField(element="pack", field="/agentId", value=name),),
            ),
        )


@registry_rule("SR103", "error", "Intents of the kind")
def intents_of_kind(source: RegistrySource) -> Notes:
    """Each kind of step may answer its own intents only: work next, repeat, jump, handoff;
    verification next, repeat, jump, escalate; closure closing, repeat. Another one in
    `allowedIntents` stops the load (SR-VALID-001) — `abort` too, though the page calls it always
    allowed."""
    for problem in of_rule(source, "SR103"):
        step = source.steps[problem.step]
        intent = problem.detail[0]
        rest = [item for item in step.allowed if item != intent]
        yield Note(
            message=f"Step {step.id!r}: a {step.kind} step may not answer {intent!r} "
            "(SR-VALID-001).",
            pointer=problem.pointer,
            element=problem.element,
            hint=f"It may answer {', '.join(ALLOWED[step.kind or 'work'])}.",
            fix=Fix(
                label=f"Take {intent} out",
                edits=(
                    SetField(
                        element=step.element,
                        field="/structuredGate/allowedIntents",
                        value=rest,  # type: ignore[arg-type]
                    ),
                ),
            ),
        )


@registry_rule("SR104", "error", "Fallback intent of the kind")
def fallback_of_kind(source: RegistrySource) -> Notes:
    """`fallbackIntent` must be one of the intents that the step's kind may answer
    (SR-VALID-001), even though it is only used with `failFast: false`."""
    for problem in of_rule(source, "SR104"):
        yield Note(
            message=f"Step {problem.step!r}: fallbackIntent {problem.detail[0]!r} is not for this "
            "kind of step (SR-VALID-001).",
            pointer=problem.pointer,
            element=problem.element,
            fix=Fix(
                label="Remove fallbackIntent",
                edits=(
                    UnsetField(element=problem.element, field="/structuredGate/fallbackIntent"),
                ),
            ),
        )


@registry_rule("SR105", "error", "Somewhere to begin")
def no_entry(source: RegistrySource) -> Notes:
    """A registry needs `entryStep` or `entryStepMapping` (SR-ENTRY-001)."""
    first = next((step for step in source.steps.values() if not step.section), None)
    said = "Nothing says where a run begins (SR-ENTRY-001)."
    if not any(of_rule(source, "SR105")):
        said = "No entry is written as the id of a step, so nothing says where a run begins."
    if source.steps and not source.entries:
        yield Note(
            message=said,
            hint="Mark a step as the entry.",
            fix=Fix(label=f"Begin at {first.id}", edits=(SetEntry(id=first.id),))
            if first
            else None,
        )


@registry_rule("SR106", "error", "entryStep names a step")
def entry_exists(source: RegistrySource) -> Notes:
    """`entryStep` must name a step of this registry (SR-ENTRY-002)."""
    for problem in of_rule(source, "SR106"):
        yield Note(
            message=f"entryStep names {problem.detail[0]!r}, which is no step (SR-ENTRY-002).",
            pointer=problem.pointer,
            element="entry:",
        )


@registry_rule("SR107", "error", "entryStepMapping names steps")
def mapping_exists(source: RegistrySource) -> Notes:
    """Every value of `entryStepMapping` must name a step, also those of verdict types that this
    agent does not use (SR-ENTRY-003)."""
    for problem in of_rule(source, "SR107"):
        key, target = problem.detail
        yield Note(
            message=f"The entry for {key!r} names {target!r}, which is no step (SR-ENTRY-003).",
            pointer=problem.pointer,
            element=f"entry:{key}",
        )


@registry_rule("SR108", "error", "Where the gate finds its enum")
def enum_pointer(source: RegistrySource) -> Notes:
    """A gate needs `intentSchemaRef`, a pointer that begins with `#/` and leads, inside the step's
    own answer schema, to the enum of intents (SR-VALID-002). To use another file's enum, let the
    schema refer to it with `$ref`."""
    for problem in of_rule(source, "SR108"):
        said = f"{problem.detail[0]!r} is no pointer" if problem.detail else "is missing"
        yield Note(
            message=f"Step {problem.step!r}: intentSchemaRef {said} (SR-VALID-002).",
            pointer=problem.pointer,
            element=problem.element,
            hint="Usual is #/properties/next_action/properties/action.",
            fix=_usual(problem, "intentSchemaRef", "#/properties/next_action/properties/action"),
        )


def _usual(problem: Problem, key: str, value: str) -> Fix:
    edit = SetField(element=problem.element, field=f"/structuredGate/{key}", value=value)
    return Fix(label="Use next_action.action", edits=(edit,))


@registry_rule("SR109", "error", "Where the gate finds the intent")
def intent_field(source: RegistrySource) -> Notes:
    """A gate needs `intentField`, the dotted path of the intent in the answer (SR-VALID-002)."""
    for problem in of_rule(source, "SR109"):
        yield Note(
            message=f"Step {problem.step!r}: the gate has no intentField (SR-VALID-002).",
            pointer=problem.pointer,
            element=problem.element,
            fix=_usual(problem, "intentField", "next_action.action"),
        )


@registry_rule("SR110", "error", "Complete flow steps")
def complete_steps(source: RegistrySource) -> Notes:
    """Once one step has a gate, every step whose id does not begin with `section.` needs
    `structuredGate`, `transitions` and `outputSchemaRef` (SR-GATE-003)."""
    missing: dict[str, list[str]] = {}
    for problem in of_rule(source, "SR110"):
        missing.setdefault(problem.step, []).append(problem.detail[0])
    for id, keys in missing.items():
        yield Note(
            message=f"Step {id!r} has no {', '.join(keys)} (SR-GATE-003).",
            pointer=("steps", id),
            element=f"state:{id}",
            hint="Draw an arrow out of the step to give it what is missing.",
            fix=_complete(source, id),
        )


def _complete(source: RegistrySource, id: str) -> Fix | None:
    step = source.steps[id]
    if step.section or step.kind is None:
        return None
    if step.kind == "closure":
        edit = Connect(source=id, target="", label="closing")
        return Fix(label="Let it end the run", edits=(edit,))
    targets = steps_of_kinds(source, BOUNDARY.get((step.kind, "next")), but=id)
    if not targets:
        return None
    edit = Connect(source=id, target=targets[0], label="next")
    return Fix(label=f"Lead on to {targets[0]}", edits=(edit,))
