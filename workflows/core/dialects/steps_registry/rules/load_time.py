"""SR1xx: errors that stop Climpt at startup."""

from __future__ import annotations

from workflows.core.dialects.steps_registry.format.vocabulary import ALLOWED, BOUNDARY
from workflows.core.dialects.steps_registry.graph.reachability import steps_of_kinds
from workflows.core.dialects.steps_registry.rules.kit import (
    CLIMPT_ONLY,
    registry_profile_rule,
    registry_rule,
)
from workflows.core.dialects.steps_registry.rules.startup import Problem, of_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import Connect, SetEntry, SetField, UnsetField
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.pack.naming import did_you_mean
from workflows.core.rules.kit import Note, Notes, make_fix


@registry_rule("SR101", "error", "Missing registry keys", profiles=EVERY)
def required_keys(source: RegistrySource) -> Notes:
    """A registry needs `agentId`, `version` and `steps`, each of them not empty. Climpt refuses a
    file without them before any other check (SR-LOAD-001)."""
    for problem in of_rule(source, "SR101"):
        keys = ", ".join(problem.detail)
        yield Note(
            message=f"The registry has no {keys} (SR-LOAD-001).",
            hint="Add the missing keys at the top of the file.",
        )


@registry_rule("SR102", "error", "agentId differs from the agent's name", profiles=CLIMPT_ONLY)
def agent_name(source: RegistrySource) -> Notes:
    """`agentId` must equal the agent's name in agent.json and the name of its folder
    (SR-LOAD-002)."""
    for problem in of_rule(source, "SR102"):
        name, agent_id = problem.detail
        yield Note(
            message=f"agentId is {agent_id!r}, but the agent's name is {name!r} (SR-LOAD-002).",
            pointer=problem.pointer,
            fix=make_fix(
                f"Set agentId to {name}", SetField(element="pack", field="/agentId", value=name)
            ),
        )


@registry_profile_rule("SR103", "error", "Intent not allowed for the step kind", profiles=EVERY)
def intents_of_kind(source: RegistrySource, profile: str) -> Notes:
    """Each step kind has its own intents: work has next, repeat, jump and handoff; verification has
    next, repeat, jump and escalate; closure has closing and repeat. Any other intent in
    `allowedIntents` stops the load of Climpt (SR-VALID-001).

    The document also allows `abort` in every kind. In Climpt, that stops the load too."""
    for problem in of_rule(source, "SR103"):
        step = source.steps[problem.step]
        intent = problem.detail[0]
        if intent == "abort" and profile != "climpt":
            continue
        rest = [item for item in step.allowed if item != intent]
        yield Note(
            message=f"The {step.kind} step {step.id!r} allows {intent!r}, which its kind does not "
            "(SR-VALID-001).",
            pointer=problem.pointer,
            hint=did_you_mean(
                intent,
                ALLOWED[step.kind or "work"],
                f"Its kind allows {', '.join(ALLOWED[step.kind or 'work'])}.",
            ),
            fix=Fix(
                label=f"Remove {intent}",
                edits=(
                    SetField(
                        element=step.element,
                        field="/structuredGate/allowedIntents",
                        value=rest,  # type: ignore[arg-type]
                    ),
                ),
            ),
        )


@registry_profile_rule(
    "SR104", "error", "Fallback intent not allowed for the step kind", profiles=EVERY
)
def fallback_of_kind(source: RegistrySource, profile: str) -> Notes:
    """`fallbackIntent` must be an intent of the step's kind (SR-VALID-001), even though it is only
    used with `failFast: false`. The document also allows `abort` in every kind."""
    for problem in of_rule(source, "SR104"):
        if problem.detail[0] == "abort" and profile != "climpt":
            continue
        yield Note(
            message=f"Step {problem.step!r}: its kind does not allow the fallbackIntent "
            f"{problem.detail[0]!r} (SR-VALID-001).",
            pointer=problem.pointer,
            fix=make_fix(
                "Remove fallbackIntent",
                UnsetField(element=problem.element, field="/structuredGate/fallbackIntent"),
            ),
        )


@registry_rule("SR105", "error", "Missing entry", profiles=EVERY)
def no_entry(source: RegistrySource) -> Notes:
    """A registry needs `entryStep` or `entryStepMapping` (SR-ENTRY-001)."""
    first = next((step for step in source.steps.values() if not step.section), None)
    message = "The registry has no entry (SR-ENTRY-001)."
    if not any(of_rule(source, "SR105")):
        message = "The registry has no entry: no value of its entry keys is a step id."
    if source.steps and not source.entries:
        yield Note(
            message=message,
            hint="Make a step the entry.",
            fix=make_fix(f"Start at {first.id}", SetEntry(id=first.id)) if first else None,
        )


@registry_rule("SR106", "error", "entryStep names an unknown step", profiles=EVERY)
def entry_exists(source: RegistrySource) -> Notes:
    """`entryStep` must name a step of this registry (SR-ENTRY-002)."""
    for problem in of_rule(source, "SR106"):
        yield Note(
            message=f"entryStep names the unknown step {problem.detail[0]!r} (SR-ENTRY-002).",
            hint=did_you_mean(problem.detail[0], source.steps, "Name a step of this registry."),
            pointer=problem.pointer,
            element="entry:",
        )


@registry_rule("SR107", "error", "entryStepMapping names an unknown step", profiles=EVERY)
def mapping_exists(source: RegistrySource) -> Notes:
    """Every value of `entryStepMapping` must name a step, including the values for verdict types
    that this agent does not use (SR-ENTRY-003)."""
    for problem in of_rule(source, "SR107"):
        key, target = problem.detail
        yield Note(
            message=f"The entry for {key!r} names the unknown step {target!r} (SR-ENTRY-003).",
            hint=did_you_mean(target, source.steps, "Name a step of this registry."),
            pointer=problem.pointer,
            element=f"entry:{key}",
        )


@registry_rule("SR108", "error", "Missing or invalid intentSchemaRef", profiles=EVERY)
def enum_pointer(source: RegistrySource) -> Notes:
    """A gate needs `intentSchemaRef`: a pointer that begins with `#/` and leads to the enum of
    intents inside the step's own answer schema (SR-VALID-002). To use the enum of another file,
    refer to it with `$ref` in the schema."""
    for problem in of_rule(source, "SR108"):
        reason = f"{problem.detail[0]!r} is not a pointer" if problem.detail else "is missing"
        yield Note(
            message=f"Step {problem.step!r}: intentSchemaRef {reason} (SR-VALID-002).",
            pointer=problem.pointer,
            hint="The usual value is #/properties/next_action/properties/action.",
            fix=_use_default(
                problem, "intentSchemaRef", "#/properties/next_action/properties/action"
            ),
        )


def _use_default(problem: Problem, key: str, value: str) -> Fix:
    edit = SetField(element=problem.element, field=f"/structuredGate/{key}", value=value)
    return make_fix("Use next_action.action", edit)


@registry_rule("SR109", "error", "Missing intentField", profiles=EVERY)
def intent_field(source: RegistrySource) -> Notes:
    """A gate needs `intentField`, the dotted path of the intent in the answer (SR-VALID-002)."""
    for problem in of_rule(source, "SR109"):
        yield Note(
            message=f"Step {problem.step!r}: the gate has no intentField (SR-VALID-002).",
            pointer=problem.pointer,
            fix=_use_default(problem, "intentField", "next_action.action"),
        )


@registry_rule("SR110", "error", "Incomplete flow step", profiles=EVERY)
def complete_steps(source: RegistrySource) -> Notes:
    """As soon as one step has a gate, every step whose id does not begin with `section.` needs
    `structuredGate`, `transitions` and `outputSchemaRef` (SR-GATE-003)."""
    missing: dict[str, list[str]] = {}
    for problem in of_rule(source, "SR110"):
        missing.setdefault(problem.step, []).append(problem.detail[0])
    for id, keys in missing.items():
        yield Note(
            message=f"Step {id!r} has no {', '.join(keys)} (SR-GATE-003).",
            pointer=("steps", id),
            hint="Add a transition from the step; that also adds the missing keys.",
            fix=_complete(source, id),
        )


def _complete(source: RegistrySource, id: str) -> Fix | None:
    step = source.steps[id]
    if step.section or step.kind is None:
        return None
    if step.kind == "closure":
        edit = Connect(source=id, target="", label="closing")
        return make_fix("End the run at this step", edit)
    targets = steps_of_kinds(source, BOUNDARY.get((step.kind, "next")), but=id)
    if not targets:
        return None
    edit = Connect(source=id, target=targets[0], label="next")
    return make_fix(f"Connect to {targets[0]}", edit)
