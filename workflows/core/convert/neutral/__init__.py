"""A workflow without a dialect: what promptpack, steps registry and stages can say in common.

A dialect's converter reads its files into a `Machine` and writes files from one. What only one
dialect knows has no place here; the ledger of the reading keeps it, so that it is told as dropped.
Where a dialect leaves a thing unsaid because its own rule already says it, the field is None: the
other dialects then follow their own rules as well.
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
    MAX_DEPTH,
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
    "MAX_DEPTH",
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
