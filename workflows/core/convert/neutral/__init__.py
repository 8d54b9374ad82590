"""A workflow without a dialect: the features that promptpack, steps registry and stages share.

A dialect's converter reads its files into a `Machine` and writes files from one. Features of only
one dialect are not part of it; the coverage report records them as dropped. A field is None if the
dialect leaves it to a rule of the format: other dialects then apply their own rules.
"""

from workflows.core.convert.neutral.answers import (
    DECISION,
    PLAIN,
    choice_field,
    plain_fields,
    slot_field,
    with_fields,
    without_fields,
)
from workflows.core.convert.neutral.machine import (
    FRAGMENT_LEVELS,
    Input,
    Limits,
    Machine,
    Slot,
    State,
    Tool,
    Transition,
    reads,
    whole_prompt,
    with_common_opening,
    with_written_values,
)
from workflows.core.convert.neutral.names import (
    is_kebab,
    pascal,
    slug,
    spelled_as,
    title,
    unique_name,
    unpascal,
    word,
)
from workflows.core.convert.neutral.texts import (
    Ref,
    RefKind,
    Text,
    joined,
    mentions,
    refs,
    stripped,
)

__all__ = [
    "DECISION",
    "FRAGMENT_LEVELS",
    "PLAIN",
    "Input",
    "Limits",
    "Machine",
    "Ref",
    "RefKind",
    "Slot",
    "State",
    "Text",
    "Tool",
    "Transition",
    "choice_field",
    "is_kebab",
    "joined",
    "mentions",
    "pascal",
    "plain_fields",
    "reads",
    "refs",
    "slot_field",
    "slug",
    "spelled_as",
    "stripped",
    "title",
    "unique_name",
    "unpascal",
    "whole_prompt",
    "with_common_opening",
    "with_fields",
    "with_written_values",
    "without_fields",
    "word",
]
