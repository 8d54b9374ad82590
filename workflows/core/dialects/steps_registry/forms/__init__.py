"""The inspector: one form per element, the outline, the palette."""

from __future__ import annotations

from workflows.core.dialects.steps_registry.forms.elements import element_place, fields, state_files
from workflows.core.dialects.steps_registry.forms.outline import outline, palette

__all__ = ["element_place", "fields", "outline", "palette", "state_files"]
