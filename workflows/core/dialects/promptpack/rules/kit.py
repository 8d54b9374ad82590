"""The rule kit for PromptPacks. A check reads the parts of the pack."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.promptpack.format.elements import element_at, locate_element
from workflows.core.dialects.promptpack.format.parts import Parts, Pointer
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import SetField, UnsetField
from workflows.core.pack.findings import Fix
from workflows.core.rules.kit import RuleKit, make_fix
from workflows.core.text.json.document import pointer_text

DOCUMENTED = ("documented",)

pack_rule = RuleKit[PackSource, Parts](view=lambda source: source.parts, element_at=element_at).rule
source_rule = RuleKit[PackSource, PackSource](
    view=lambda source: source,
    element_at=lambda source, pointer: element_at(source.parts, pointer),
).rule
"""For checks that read the other files of the pack too."""


def field_of(parts: Parts, pointer: Pointer) -> tuple[str, str]:
    """The element that holds a value, and the field of its form as a JSON pointer."""
    element = element_at(parts, pointer)
    if element.startswith("transition:"):
        element = f"state:{pointer[2]}"
    location = locate_element(parts, element)
    whole = location is not None and location.pointer == pointer
    if location is None or whole or location.definition == "Fragment":
        return "pack", pointer_text(pointer)
    return element, pointer_text(pointer[len(location.pointer) :])


def set_fix(parts: Parts, label: str, pointer: Pointer, value: Any) -> Fix:
    """A fix that sets one value."""
    element, field = field_of(parts, pointer)
    return make_fix(label, SetField(element=element, field=field, value=value))


def unset_fix(parts: Parts, label: str, pointer: Pointer) -> Fix:
    """A fix that removes one value."""
    element, field = field_of(parts, pointer)
    return make_fix(label, UnsetField(element=element, field=field))
