"""CW2xx: labels of issues."""

from __future__ import annotations

import re

from workflows.core.dialects.climpt_workflow.format.parts import Parts
from workflows.core.dialects.climpt_workflow.rules.kit import workflow_rule
from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.pack.edits import AddObject, RemoveObject, SetField
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import did_you_mean
from workflows.core.rules.kit import Note, Notes, make_fix
from workflows.core.text.tolerant import as_object, as_object_map, as_str, as_str_list

COLOR = re.compile(r"[0-9a-fA-F]{6}")


def _prioritized(parts: Parts) -> list[str]:
    return as_str_list(as_object(parts.value.get("prioritizer")).get("labels"))


@workflow_rule("CW201", "error", "No labels", profiles=EVERY)
def some_labels(source: WorkflowSource) -> Notes:
    """`labelMapping` maps at least one label of an issue to a phase (WF-LABEL-001)."""
    if source.parts.value.get("labelMapping") == {}:
        yield Note(
            message="labelMapping is empty, so no issue has a phase (WF-LABEL-001).",
            pointer=("labelMapping",),
            hint="Map the label of an issue to the phase in which work on it starts.",
        )


@workflow_rule("CW202", "error", "Label leads to an unknown phase", profiles=EVERY)
def known_phases(source: WorkflowSource) -> Notes:
    """Every label in `labelMapping` leads to a declared phase (WF-LABEL-002)."""
    for label, target in as_object(source.parts.value.get("labelMapping")).items():
        if not isinstance(target, str) or target not in source.parts.phases:
            edit = RemoveObject(element=f"label:{label}")
            yield Note(
                message=f"The label {label!r} leads to the unknown phase {target!r} "
                "(WF-LABEL-002).",
                pointer=("labelMapping", label),
                element=f"label:{label}",
                hint=did_you_mean(target, source.parts.phases),
                fix=make_fix("Remove the label", edit),
            )


@workflow_rule("CW203", "warning", "Phase without a label", profiles=EVERY)
def labelled_phases(source: WorkflowSource) -> Notes:
    """A transition to a phase sets its label on the issue. Without a label, the issue has no phase
    afterwards, and the orchestrator stops."""
    labelled = set(source.parts.labels.values())
    reached = {o.target for agent in source.parts.agents.values() for o in agent.outcomes()}
    for id in source.parts.phases:
        if id in reached and id not in labelled:
            fix = make_fix(f"Add the label {id}", AddObject(kind="label", key=id, value=id))
            yield Note(
                message=f"Phase {id!r} is reached and has no label in labelMapping.",
                pointer=("phases", id),
                element=f"state:{id}",
                fix=fix if id not in source.parts.labels else None,
            )


@workflow_rule("CW204", "error", "Label without a declaration", profiles=EVERY)
def declared_labels(source: WorkflowSource) -> Notes:
    """A file with `labels` declares every label of `labelMapping` and of the prioritizer
    (WF-LABEL-003)."""
    declared = source.parts.value.get("labels")
    if not isinstance(declared, dict):
        return
    for label in dict.fromkeys([*source.parts.labels, *_prioritized(source.parts)]):
        if label not in declared:
            yield Note(
                message=f"The label {label!r} is used and not declared in labels (WF-LABEL-003).",
                pointer=("labels",),
                element=f"label:{label}" if label in source.parts.labels else "",
                hint=did_you_mean(label, declared, "Add it with a colour and a description."),
            )


@workflow_rule("CW205", "error", "Declared label is not used", profiles=EVERY)
def used_labels(source: WorkflowSource) -> Notes:
    """A declared label is a key of `labelMapping` or a label of the prioritizer. Since 1.14, labels
    with `"role": "marker"` are exempt (WF-LABEL-004)."""
    declared = source.parts.value.get("labels")
    used = {*source.parts.labels, *_prioritized(source.parts)}
    for label, spec in as_object(declared).items():
        marker = isinstance(spec, dict) and spec.get("role") == "marker"
        if label not in used and not marker:
            yield Note(
                message=f"The label {label!r} is declared and never used (WF-LABEL-004).",
                pointer=("labels", label),
                hint='Map it to a phase, or give it the role "marker" (1.14).',
            )


@workflow_rule("CW206", "error", "Invalid label declaration", profiles=EVERY)
def label_specs(source: WorkflowSource) -> Notes:
    """A declared label has a `color` of six hexadecimal digits without `#` and a `description`
    (WF-LABEL-005)."""
    for label, spec in as_object_map(source.parts.value.get("labels")).items():
        color = spec.get("color")
        if not isinstance(color, str) or not COLOR.fullmatch(color):
            shown = repr(color) if "color" in spec else "missing"
            plain = as_str(color).removeprefix("#")
            edit = SetField(element=f"label:{label}", field="/color", value=plain)
            fits = COLOR.fullmatch(plain) and label in source.parts.labels
            yield Note(
                message=f"The colour of the label {label!r} is {shown} (WF-LABEL-005).",
                pointer=("labels", label, *(("color",) if "color" in spec else ())),
                element=f"label:{label}" if label in source.parts.labels else "",
                hint="Write six hexadecimal digits, without a #.",
                fix=make_fix(f"Use {plain}", edit) if fits else None,
            )
        if not as_str(spec.get("description")):
            yield Note(
                message=f"The label {label!r} has no description.",
                pointer=("labels", label),
                element=f"label:{label}" if label in source.parts.labels else "",
            )
