"""Governance declarations: the objects of a pack, and the references in them that do not resolve.

The rules are those of RFC 0016 that a JSON Schema cannot express. PromptKit 2 checks them when a
pack is opened, in its `runtime/prompt/governance_validate.go`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workflows.core.dialects.promptpack.format.parts import Object, Parts, Pointer
from workflows.core.dialects.promptpack.format.references import governances
from workflows.core.text.tolerant import as_object, as_str, as_str_list, indexed_objects

FIELDS = frozenset(
    (
        "vocabularies", "intended_purpose", "foreseeable_misuse", "autonomy_level",
        "accountable_owner", "operator_role", "risk_classification",
        "intended_deployment_contexts", "capabilities", "approved_environments",
        "requires_ai_disclosure", "extensions", "independent_of", "obligations", "reviews",
    )
)  # fmt: skip
"""The properties of a governance object."""
_CADENCE = re.compile(
    r"P(?=[\dT])(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?"
    r"(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GovernanceError:
    """A declaration for which a runtime refuses the pack."""

    pointer: Pointer
    message: str


def governance_errors(parts: Parts) -> Iterator[GovernanceError]:
    """Every error of the pack's and the agents' declarations, and validator ids that are used
    twice."""
    yield from _duplicates(
        ((*pointer, "id"), as_str(item.get("id"))) for pointer, item in parts.validators
    )
    evals = {as_str(item.get("id")) for _, item in parts.evals}
    validators = {as_str(item.get("id")) for _, item in parts.validators}
    whole = dict(as_object(as_object(parts.tree.get("metadata")).get("governance")))
    for pointer, block in governances(parts):
        yield from _declared(pointer, block, {"eval": evals, "validator": validators})
        yield from _effective(pointer, block, whole | dict(block))


def _duplicates(ids: Iterator[tuple[Pointer, str]]) -> Iterator[GovernanceError]:
    earlier: set[str] = set()
    for pointer, id in ids:
        if id and id in earlier:
            yield GovernanceError(pointer=pointer, message=f"The id {id!r} is used twice.")
        earlier.add(id)


def _declared(
    pointer: Pointer, block: Object, ids: dict[str, set[str]]
) -> Iterator[GovernanceError]:
    """Errors of an object as it is written: ids used twice, missing evals and validators, and the
    cadence of a review."""
    for field in ("obligations", "reviews"):
        yield from _duplicates(
            ((*pointer, field, index, "id"), as_str(item.get("id")))
            for index, item in indexed_objects(block.get(field))
        )
    for where, control in controls(pointer, block):
        for kind, names in ids.items():
            name = as_str(control.get(kind))
            if name and name not in names:
                yield _missing((*where, kind), kind, name)
    for index, review in indexed_objects(block.get("reviews")):
        where = (*pointer, "reviews", index)
        name = as_str(review.get("eval"))
        if name and name not in ids["eval"]:
            yield _missing((*where, "eval"), "eval", name)
        cadence = as_str(review.get("cadence"))
        if not _CADENCE.fullmatch(cadence):
            message = f"The cadence {cadence!r} is not an ISO 8601 duration."
            yield GovernanceError(pointer=(*where, "cadence"), message=message)


def _effective(
    pointer: Pointer, block: Object, effective: dict[str, object]
) -> Iterator[GovernanceError]:
    """Errors that depend on the pack's declaration too, which an agent's overrides by field."""
    for where, control in controls(pointer, block):
        field = as_str(control.get("field"))
        if field and (field not in FIELDS or field not in effective):
            problem = "is not declared" if field in FIELDS else "is not a property of governance"
            message = f"The field {field!r} {problem}, so it controls nothing."
            yield GovernanceError(pointer=(*where, "field"), message=message)
    duties = {as_str(duty.get("id")) for _, duty in indexed_objects(effective.get("obligations"))}
    for index, review in indexed_objects(block.get("reviews")):
        for at, name in enumerate(as_str_list(review.get("satisfies"))):
            if name not in duties:
                yield _missing((*pointer, "reviews", index, "satisfies", at), "obligation", name)


def _missing(pointer: Pointer, kind: str, name: str) -> GovernanceError:
    message = f"Governance refers to {kind} {name!r}, which does not exist."
    return GovernanceError(pointer=pointer, message=message)


def controls(pointer: Pointer, block: Object) -> Iterator[tuple[Pointer, Object]]:
    """The controls of all obligations of a governance object."""
    for index, duty in indexed_objects(block.get("obligations")):
        for at, control in indexed_objects(duty.get("controls")):
            yield (*pointer, "obligations", index, "controls", at), control
