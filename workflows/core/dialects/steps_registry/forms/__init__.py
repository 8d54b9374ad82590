"""The inspector: one form per element, the outline, the palette."""

from __future__ import annotations

from workflows.core.dialects.steps_registry.forms.elements import fields
from workflows.core.dialects.steps_registry.forms.outline import outline, palette

__all__ = ["fields", "outline", "palette"]
