"""The form of an arrow between two steps: what stands behind it in the file, in a sentence."""

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
from workflows.core.pack.edits import EditRefused
from workflows.core.pack.forms import Form


def link_form(source: PackSource, element: str) -> Form:
    """Raises EditRefused for an arrow that is not there."""
    found = link_at(source.parts, element.removeprefix("transition:"))
    if found is None:
        raise EditRefused(f"There is no {element!r} in this pack.", where=element)
    flow, link = found
    begin, end = step_state_id(flow.name, link.source), step_state_id(flow.name, link.target)
    return Form(
        element=element,
        title=link.label or ("Branch" if link.kind == "fork" else "Order"),
        schema={
            "type": "object",
            "title": "Arrow",
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
    """What the arrow says, for whoever looks at it."""
    if link.label in BRANCH_FIELDS:
        return f"Taken where the condition {'holds' if link.label == 'then' else 'does not hold'}."
    if link.kind == "fork":
        return "Runs at once with the other branches."
    if link.label == DEPENDS:
        return f"Written in the later step: it depends on {link.dependency!r}."
    if link.kind == "fallback":
        return "What runs next in any case: the branch leads nowhere else."
    return "Steps run in the order in which they stand; nothing else is written here."
