"""The rule kit for workflows."""

from __future__ import annotations

from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.rules.kit import RuleKit

workflow_rule = RuleKit[WorkflowSource, WorkflowSource](
    view=lambda source: source, applies=lambda source: source.readable
).rule
