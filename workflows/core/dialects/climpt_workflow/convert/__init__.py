"""Export of a workflow for another release of Climpt."""

from workflows.core.dialects.climpt_workflow.convert.next_release import EXPORT

__all__ = ["EXPORT"]
