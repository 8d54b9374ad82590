"""Forms of the inspector, outline and palette."""

from workflows.core.dialects.climpt_workflow.forms.elements import fields
from workflows.core.dialects.climpt_workflow.forms.outline import outline, palette

__all__ = ["fields", "outline", "palette"]
