"""Forms of the inspector, outline and palette."""

from workflows.core.dialects.climpt_workflow.forms.elements import element_place, fields
from workflows.core.dialects.climpt_workflow.forms.outline import outline, palette

__all__ = ["element_place", "fields", "outline", "palette"]
