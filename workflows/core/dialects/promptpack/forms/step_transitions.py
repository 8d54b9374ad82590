"""The form of a transition between two steps, with a description of its definition in the file."""

from __future__ import annotations

from collections.abc import Mapping

from workflows.core.dialects.promptpack.graph.composition_flow import (
    BRANCH_FIELDS,
    DEPENDS,
    Flow,
    Link,
)
from workflows.core.dialects.promptpack.graph.levels import link_at, step_state_id
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import missing_element
from workflows.core.pack.forms import Form


def link_form(source: PackSource, element: str) -> Form:
    """The form of this transition. Raises EditRefused if it does not exist."""
    place = link_at(source.parts, element.removeprefix("transition:"))
    if place is None:
        raise missing_element(element)
    flow, link = place
    begin, end = step_state_id(flow.name, link.source), step_state_id(flow.name, link.target)
    return Form(
        element=element,
        title=link.label or ("Branch" if link.kind == "fork" else "Order"),
        schema={
            "type": "object",
            "title": "Transition",
            "description": _description(link),
            "properties": dict(_fields(flow, link, end)),
        },
        values={"target": end},
        place=source.place(*link.pointer, element=element),
        links=((f"state:{begin}", f"from {begin}"), (f"state:{end}", f"to {end}")),
        removable=bool(link.label) or link.kind == "fork",
        renamable=link.label in BRANCH_FIELDS,
    )


def _fields(flow: Flow, link: Link, end: str) -> Mapping[str, object]:
    fixed = link.kind == "fork" or not link.label
    choices = [step_state_id(flow.name, name) for name in flow.order if name != link.source]
    field: dict[str, object] = {"type": "string", "title": "Leads to", "x-element": "state"}
    return {"target": {**field, "readOnly": True} if fixed else {**field, "x-choices": choices}}


def _description(link: Link) -> str:
    """The meaning of a transition, as shown in its form."""
    if link.label in BRANCH_FIELDS:
        return f"Taken if the condition is {'true' if link.label == 'then' else 'false'}."
    if link.kind == "fork":
        return "Runs in parallel with the other branches."
    if link.label == DEPENDS:
        return f"Defined by depends_on of the later step: {link.dependency!r}."
    if link.kind == "fallback":
        return "The next step in any case: the branch has no other target."
    return "Defined by the order of the steps in the list."
