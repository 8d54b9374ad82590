"""The rule kit for packs of stages. A check reads the facts of the pack."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.stages.rules.pipeline_facts import Facts, facts_of
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.edits import SetField, UnsetField
from workflows.core.rules.kit import RuleKit
from workflows.core.text.json.document import pointer_text

stage_rule = RuleKit[StagesSource, Facts](view=facts_of).rule


def upstream(code: str, path: str = "", *, kind: str = "Validation") -> str:
    """A hint with stud-cli's name for the problem: class, code and, if it has one, path."""
    return f"stud-cli calls it {kind}/{code}{f' at {path}' if path else ''}."


def set_in_stage(stage: str, *pointer: str | int, value: Any) -> SetField:
    """Set a value of a stage: in its front matter, its `body`, or its entry in the pipeline."""
    return SetField(element=f"state:{stage}", field=pointer_text(pointer), value=value)


def unset_in_stage(stage: str, *pointer: str | int) -> UnsetField:
    """Remove a value of a stage."""
    return UnsetField(element=f"state:{stage}", field=pointer_text(pointer))


def set_in_pipeline(*pointer: str | int, value: Any) -> SetField:
    """Set a value at the top of the pipeline."""
    return SetField(element="pack", field=pointer_text(pointer), value=value)


def unset_in_pipeline(*pointer: str | int) -> UnsetField:
    """Remove a value at the top of the pipeline."""
    return UnsetField(element="pack", field=pointer_text(pointer))
