"""SR6xx: reachability, and the required keys of steps."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.graph import reachability
from workflows.core.dialects.steps_registry.rules.kit import (
    CLIMPT_ONLY,
    at,
    registry_profile_rule,
    registry_rule,
    step_rule,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import RemoveState, SetEntry, SetField
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note, Notes, make_fix


def _orphans(source: RegistrySource, profile: str) -> list[str]:
    reached = reachability.reachability_of(source, profile).reached
    return [
        id
        for id, step in source.steps.items()
        if id not in reached and step.c2 != "section" and not step.section
    ]


def _verdict_ends(source: RegistrySource, profile: str) -> bool:
    """True if a run needs no closure step: without gates, the verdict ends it. Climpt's
    `--validate` requires one anyway."""
    return not source.flow and profile != "climpt"


@registry_profile_rule("SR601", "error", "Unreachable step with a gate", profiles=EVERY)
def orphans(source: RegistrySource, profile: str) -> Notes:
    """A step that is not reachable from any entry never runs."""
    for id in _orphans(source, profile):
        step = source.steps[id]
        if step.gate is not None:
            yield Note(
                message=f"Step {id!r} is not reachable from any entry.",
                pointer=at(step),
                hint="Connect a step to it, make it an entry, or remove it.",
                fix=make_fix(f"Remove {id}", RemoveState(id=id)),
            )


@registry_profile_rule("SR602", "warning", "Unreachable step without a gate", profiles=EVERY)
def orphans_without_gate(source: RegistrySource, profile: str) -> Notes:
    """A step that is not reachable from any entry never runs. In the document, `initial.X` leads to
    `continuation.X` by name in a registry without gates."""
    for id in _orphans(source, profile):
        step = source.steps[id]
        if step.gate is None:
            yield Note(
                message=f"Step {id!r} is not reachable from any entry.",
                pointer=at(step),
                hint="Connect a step to it, make it an entry, or remove it.",
            )


@registry_profile_rule("SR603", "error", "Entry without a path to a closure step", profiles=EVERY)
def entries_close(source: RegistrySource, profile: str) -> Notes:
    """A closure step must be reachable from every entry of a registry with gates. Without gates,
    the agent's verdict ends the run.

    Climpt's `--validate` requires a closure step in every registry, and recognises it by `c2`: a
    step of kind closure with another c2 does not count."""
    if _verdict_ends(source, profile):
        return
    closing = reachability.reachability_of(source, profile).closing
    for key, id in source.entries:
        if id in source.steps and id not in closing:
            yield Note(
                message=f"No closure step is reachable from the entry {id!r}.",
                pointer=("entryStepMapping", key) if key else ("entryStep",),
                element=f"entry:{key}",
                hint="Add a handoff to a step whose c2 is 'closure'."
                if profile == "climpt"
                else "Add a handoff to a closure step.",
            )


@registry_profile_rule("SR604", "error", "No reachable closure step", profiles=EVERY)
def some_closure(source: RegistrySource, profile: str) -> Notes:
    """No closure step is reachable from any entry, so no run can finish. Without gates, the agent's
    verdict ends the run, and only Climpt's `--validate` requires a closure step."""
    reach = reachability.reachability_of(source, profile)
    if _verdict_ends(source, profile):
        return
    if source.steps and reach.reached.isdisjoint(reach.ends):
        yield Note(
            message="No closure step is reachable from any entry.",
            pointer=("steps",),
            hint="Add a handoff from a work step to a closure step.",
        )


@registry_profile_rule("SR605", "error", "Cycle without an exit", profiles=EVERY)
def endless(source: RegistrySource, profile: str) -> Notes:
    """The steps of this cycle lead only to each other, so a run repeats them until it reaches its
    iteration limit."""
    if _verdict_ends(source, profile):
        return
    stuck = source.steps.keys() - reachability.reachability_of(source, profile).closing
    for group in reachability.cycles(source, stuck, profile):
        names = ", ".join(repr(id) for id in group[:6])
        yield Note(
            message=f"No closure step is reachable from the cycle of {names}."
            if len(group) > 1
            else f"Step {names} leads to itself, and no closure step is reachable from it.",
            pointer=("steps", group[0]),
            hint="Add a transition that leads towards a closure step.",
        )


@registry_profile_rule("SR611", "warning", "Step that can only repeat", profiles=EVERY)
def only_repeats(source: RegistrySource, profile: str) -> Notes:
    """The only possible answer at this step is `repeat`, so a run stays here until it reaches its
    iteration limit."""
    reach = reachability.reachability_of(source, profile)
    for id in sorted(reach.reached - reach.closing):
        step = source.steps[id]
        if step.intents() == ("repeat",) and reach.after.get(id) == (id,):
            yield Note(
                message=f"Step {id!r} only allows repeat, so a run never leaves it.",
                pointer=at(step),
                hint="Add next or handoff to the step.",
            )


@step_rule("SR606", "error", "Step key differs from stepId", profiles=EVERY)
def same_id(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The key of a step and its `stepId` must be equal (SR-VALID-004)."""
    for step in steps:
        value = step.value.get("stepId")
        if value != step.id:
            yield Note(
                message=f"The stepId of step {step.id!r} is {value!r} (SR-VALID-004)."
                if value is not None
                else f"Step {step.id!r} has no stepId (SR-VALID-004).",
                pointer=at(step, "stepId"),
                fix=make_fix(
                    f"Set stepId to {step.id}",
                    SetField(element=step.element, field="/stepId", value=step.id),
                ),
            )


@step_rule("SR607", "warning", "Invalid runner", profiles=EVERY)
def runner_closes(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`runner` starts a process instead of the model, on closure steps only. On other steps it is
    ignored."""
    for step in steps:
        if "runner" in step.value and step.kind != "closure":
            yield Note(
                message=f"Step {step.id!r} has a runner, which only closure steps use.",
                pointer=at(step, "runner"),
                hint="Remove the runner, or make the step a closure step.",
            )
        runner = step.value.get("runner")
        if isinstance(runner, dict) and not isinstance(runner.get("command"), str):
            yield Note(
                message=f"The runner of {step.id!r} has no command.",
                pointer=at(step, "runner"),
            )


@step_rule("SR608", "warning", "Missing step keys", profiles=CLIMPT_ONLY)
def step_keys(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Climpt's `--validate` requires `name`, `edition`, `uvVariables`, `usesStdin` and, on steps
    with a gate, an explicit `stepKind` (SR-VALID-004). A run does not need them."""
    for step in steps:
        missing = [] if step.value.get("name") else ["name"]
        if source.generation != "B" and not step.value.get("edition"):
            missing.append("edition")
        if step.gate is not None and step.explicit is None and source.generation != "B":
            missing.append("stepKind")
        if source.generation != "B" and not step.section:
            missing += [key for key in ("uvVariables", "usesStdin") if key not in step.value]
        if missing:
            kind = SetField(element=step.element, field="/stepKind", value=step.kind)
            yield Note(
                message=f"Step {step.id!r} has no {', '.join(missing)} (SR-VALID-004).",
                pointer=at(step),
                fix=make_fix(f"Set stepKind to {step.kind}", kind)
                if step.kind and "stepKind" in missing
                else None,
            )


@registry_rule("SR609", "warning", "Invalid version or missing c1", profiles=CLIMPT_ONLY)
def top_keys(source: RegistrySource) -> Notes:
    """`version` is three numbers joined by dots, and `c1` names the path config."""
    version = source.value.get("version")
    parts = version.split(".") if isinstance(version, str) else []
    if version and (len(parts) != 3 or not all(part.isdigit() for part in parts)):
        yield Note(
            message=f"The version {version!r} is not of the form 1.0.0.", pointer=("version",)
        )
    if not source.value.get("c1"):
        yield Note(
            message="The registry has no c1, which names its path config.",
            fix=make_fix("Set c1 to steps", SetField(element="pack", field="/c1", value="steps")),
        )


@registry_rule("SR610", "error", "Entry is a section", profiles=EVERY)
def section_entry(source: RegistrySource) -> Notes:
    """A section is a fragment of a prompt. A run that starts at a section makes one model call and
    then fails."""
    for key, id in source.entries:
        step = source.steps.get(id)
        if step is not None and step.section:
            other = next((s.id for s in source.steps.values() if not s.section), None)
            yield Note(
                message=f"The entry {id!r} is a section and cannot start a run "
                "(FAILED_STEP_ROUTING).",
                pointer=("entryStepMapping", key) if key else ("entryStep",),
                element=f"entry:{key}",
                fix=make_fix(f"Start at {other}", SetEntry(id=other, key=key)) if other else None,
            )
