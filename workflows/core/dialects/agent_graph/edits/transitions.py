"""Edits of transitions. A transition is one direction of an edge; an edge may have two."""

from __future__ import annotations

from workflows.core.dialects.agent_graph.edits.common import appended, need_node, need_transition
from workflows.core.dialects.agent_graph.format.vocabulary import default_label
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import Connect, Disconnect, EditRefused, Relabel, Retarget
from workflows.core.pack.forms import Json
from workflows.core.text.json.document import JsonText


def connect(source: GraphSource, edit: Connect) -> GraphSource:
    """Add a one-way edge. The label or value "report" makes it a report. A connection against a
    one-way edge of the same type and label makes that edge two-way."""
    need_node(source, edit.source)
    need_node(source, edit.target)
    label = edit.label.strip()
    kind = "report" if "report" in (edit.value, label) else "handoff"
    need_room(source, edit.source, edit.target, kind)
    label = label or default_label(kind)
    for transition in source.transitions.values():
        ends = (transition.source, transition.target)
        if ends == (edit.target, edit.source) and (transition.edge.type, transition.edge.label) == (
            kind,
            label,
        ):
            here = ("edges", transition.edge.index, "bidirectional")
            return source.with_text(source.json.set(here, True))
    fresh: dict[str, Json] = {"from": edit.source, "to": edit.target}
    if kind != "handoff":
        fresh["type"] = kind
    fresh["bidirectional"] = False
    if label != default_label(kind):
        fresh["label"] = label
    return source.with_text(appended(source.json, "edges", fresh))


def need_room(source: GraphSource, begin: str, end: str, kind: str, but: int = -1) -> None:
    """Raises EditRefused if such an edge exists, or would be a loop. `but` is the index of the
    edited edge."""
    if begin == end:
        raise EditRefused(
            "An agent needs no edge to itself.",
            where=f"state:{begin}",
            hint="In AUTO, an orchestrator gets further turns; other agents wait for a message.",
        )
    for transition in source.transitions.values():
        same = (transition.source, transition.target, transition.edge.type) == (begin, end, kind)
        if same and transition.edge.index != but:
            what = "report to" if kind == "report" else "hand off to"
            raise EditRefused(
                f"{begin!r} may {what} {end!r} already.",
                where=f"transition:{transition.id}",
                hint="Two nodes have one edge of each type; change its label instead.",
            )


def disconnect(source: GraphSource, edit: Disconnect) -> GraphSource:
    """Remove this direction. A two-way edge keeps the other one."""
    transition = need_transition(source, edit.transition)
    here = ("edges", transition.edge.index)
    text = source.json
    if not transition.edge.bidirectional or transition.edge.source == transition.edge.target:
        return source.with_text(text.delete(here))
    if not transition.back:
        text = _ends(text, here, transition.edge.target, transition.edge.source)
    return source.with_text(text.set((*here, "bidirectional"), False))


def _ends(text: JsonText, here: tuple[str, int], begin: str, end: str) -> JsonText:
    return text.set((*here, "from"), begin).set((*here, "to"), end)


def retarget(source: GraphSource, edit: Retarget) -> GraphSource:
    """Change an end. The other direction of a two-way edge changes too."""
    transition = need_transition(source, edit.transition)
    begin = transition.source if edit.source is None else edit.source
    end = transition.target if edit.target is None else edit.target
    if (begin, end) == (transition.source, transition.target):
        return source
    for id, changed in ((begin, edit.source), (end, edit.target)):
        if changed is not None:
            need_node(source, id)
    directions = [(begin, end), (end, begin)] if transition.edge.bidirectional else [(begin, end)]
    for ends in directions:
        need_room(source, *ends, transition.edge.type, but=transition.edge.index)
    first, last = (end, begin) if transition.back else (begin, end)
    return source.with_text(_ends(source.json, ("edges", transition.edge.index), first, last))


def relabel(source: GraphSource, edit: Relabel) -> GraphSource:
    """Change the label of the edge, in both directions. An empty label is the default."""
    transition = need_transition(source, edit.transition)
    label, here = edit.label.strip(), ("edges", transition.edge.index, "label")
    if label in (transition.edge.label, transition.label):
        return source
    if not label:
        text = source.json
        return source.with_text(text.delete(here)) if text.has(here) else source
    return source.with_text(source.json.set(here, label))
