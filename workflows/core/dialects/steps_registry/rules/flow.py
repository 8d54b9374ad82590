"""SR6xx: what can be reached, and what every step must have."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.graph import reachability
from workflows.core.dialects.steps_registry.rules.kit import Note, Notes, at, check, check_steps
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import RemoveState, SetEntry, SetField
from workflows.core.pack.findings import Fix


def _orphans(source: RegistrySource) -> list[str]:
    reached = reachability.reachability_of(source).reached
    return [
        id
        for id, step in source.steps.items()
        if id not in reached and step.c2 != "section" and not step.section
    ]


@check("SR601", "error", "Flow steps are reached")
def orphans(source: RegistrySource) -> Notes:
    """A step with a gate that no entry leads to never runs (`--validate`)."""
    for id in _orphans(source):
        step = source.steps[id]
        if step.gate is not None:
            yield Note(
                message=f"No entry leads to {id!r}.",
                pointer=at(step),
                element=step.element,
                hint="Draw an arrow to it, make it an entry, or remove it.",
                fix=Fix(label=f"Remove {id}", edits=(RemoveState(id=id),)),
            )


@check("SR602", "warning", "Steps without a gate are reached")
def orphans_without_gate(source: RegistrySource) -> Notes:
    """A step without a gate that no entry leads to never runs."""
    for id in _orphans(source):
        step = source.steps[id]
        if step.gate is None:
            yield Note(message=f"No entry leads to {id!r}.", pointer=at(step), element=step.element)


@check("SR603", "error", "Entries can close")
def entries_close(source: RegistrySource) -> Notes:
    """From every entry some way must lead to a closure step. `--validate` goes by `c2`: a step of
    kind closure whose c2 is something else does not count."""
    closing = reachability.reachability_of(source).closing
    for key, id in source.entries:
        if id in source.steps and id not in closing:
            yield Note(
                message=f"From the entry {id!r} no closure step can be reached.",
                pointer=("entryStepMapping", key) if key else ("entryStep",),
                element=f"entry:{key}",
                hint="Lead handoff to a step whose c2 is 'closure'.",
            )


@check("SR604", "error", "A closure step is reached")
def some_closure(source: RegistrySource) -> Notes:
    """No entry reaches a closure step, so no run can finish."""
    found = reachability.reachability_of(source)
    if source.steps and found.reached.isdisjoint(found.ends):
        yield Note(
            message="No closure step can be reached from any entry.",
            pointer=("steps",),
            hint="Lead handoff of a work step to a closure step.",
        )


@check("SR605", "error", "Ways out of circles")
def endless(source: RegistrySource) -> Notes:
    """Steps that lead only to each other go round until the iterations are used up."""
    stuck = source.steps.keys() - reachability.reachability_of(source).closing
    for group in reachability.cycles(source, stuck):
        names = ", ".join(group[:6])
        yield Note(
            message=f"{names} lead round in a circle that no closure step can be reached from."
            if len(group) > 1
            else f"{names} leads to itself, and no closure step can be reached from it.",
            pointer=("steps", group[0]),
            element=f"state:{group[0]}",
        )


@check("SR611", "warning", "More than repetition")
def only_repeats(source: RegistrySource) -> Notes:
    """All that this step may answer is `repeat`, so a run that gets here stays until its
    iterations are used up."""
    found = reachability.reachability_of(source)
    for id in sorted(found.reached - found.closing):
        step = source.steps[id]
        if step.intents() == ("repeat",) and found.after.get(id) == (id,):
            yield Note(
                message=f"{id!r} can only repeat: a run never leaves it.",
                pointer=at(step),
                element=step.element,
                hint="Draw next or handoff out of it.",
            )


@check_steps("SR606", "error", "Key and stepId agree")
def same_id(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The key of a step and its `stepId` are the same (SR-VALID-004)."""
    for step in steps:
        given = step.value.get("stepId")
        if given != step.id:
            yield Note(
                message=f"The step {step.id!r} says its stepId is {given!r} (SR-VALID-004)."
                if given is not None
                else f"The step {step.id!r} has no stepId (SR-VALID-004).",
                pointer=at(step, "stepId"),
                element=step.element,
                fix=Fix(
                    label=f"Set stepId to {step.id}",
                    edits=(SetField(element=step.element, field="/stepId", value=step.id),),
                ),
            )


@check_steps("SR607", "warning", "Processes close")
def runner_closes(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`runner` starts a process instead of the model, on closure steps only; elsewhere it is
    passed over."""
    for step in steps:
        if "runner" in step.value and step.kind != "closure":
            yield Note(
                message=f"{step.id!r} has a runner but is no closure step, so the model is asked.",
                pointer=at(step, "runner"),
                element=step.element,
            )
        runner = step.value.get("runner")
        if isinstance(runner, dict) and not isinstance(runner.get("command"), str):
            yield Note(
                message=f"The runner of {step.id!r} has no command.",
                pointer=at(step, "runner"),
                element=step.element,
            )


@check_steps("SR608", "warning", "Required keys of steps")
def step_keys(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`name`, `edition`, `uvVariables`, `usesStdin` and, on steps with a gate, an explicit
    `stepKind` are wanted by `--validate` (SR-VALID-004); a run goes without."""
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
                message=f"{step.id!r} has no {', '.join(missing)} (SR-VALID-004).",
                pointer=at(step),
                element=step.element,
                fix=Fix(label=f"Set stepKind to {step.kind}", edits=(kind,))
                if step.kind and "stepKind" in missing
                else None,
            )


@check("SR609", "warning", "Form of version and c1")
def top_keys(source: RegistrySource) -> Notes:
    """`version` is three numbers with dots, and `c1` names the path config."""
    version = source.value.get("version")
    parts = version.split(".") if isinstance(version, str) else []
    if version and (len(parts) != 3 or not all(part.isdigit() for part in parts)):
        yield Note(message=f"version {version!r} is not like 1.0.0.", pointer=("version",))
    if not source.value.get("c1"):
        yield Note(
            message="The registry has no c1, so its path config cannot be found.",
            fix=Fix(
                label="Set c1 to steps",
                edits=(SetField(element="pack", field="/c1", value="steps"),),
            ),
        )


@check("SR610", "error", "A run cannot begin in a section")
def section_entry(source: RegistrySource) -> Notes:
    """A section is a fragment of a prompt. Beginning there asks once and then fails."""
    for key, id in source.entries:
        step = source.steps.get(id)
        if step is not None and step.section:
            other = next((s.id for s in source.steps.values() if not s.section), None)
            yield Note(
                message=f"The entry {id!r} is a section, not a step of the flow "
                "(FAILED_STEP_ROUTING).",
                pointer=("entryStepMapping", key) if key else ("entryStep",),
                element=f"entry:{key}",
                fix=Fix(label=f"Begin at {other}", edits=(SetEntry(id=other, key=key),))
                if other
                else None,
            )
