"""The changes of a pack's graph as Mermaid, which code hosts draw in a comment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from signalbox.commands.diff_revisions import packs_at_commit
from signalbox.commands.graph import mermaid_text
from signalbox.commands.packs import PackHere
from signalbox.commands.report import Checked
from signalbox.project.repository import fork_point, repository_of
from workflows.core.compare.difference import Difference, difference
from workflows.core.pack.graph import END, Graph, Transition

MOST_STATES = 40
"""Number of states of a drawing. A larger one cannot be read in a comment."""
COLOURS = {
    "added": ("#dafbe1", "#1a7f37"),
    "removed": ("#ffebe9", "#cf222e"),
    "changed": ("#fff8c5", "#9a6700"),
}
"""Kind of change → fill and line."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """A transition of either version. `change` is "" for one that both have."""

    source: str
    label: str
    target: str
    change: str


def drawings(checked: Sequence[Checked], since: str) -> Iterator[tuple[str, str]]:
    """Name and drawing of each pack whose graph differs from the point at which the work tree left
    a revision."""
    for one in checked:
        repository = repository_of(one.pack.home)
        if not one.readable or repository is None:
            continue
        if drawing := _drawn(pack_before(one.pack, since), one.pack, one.profile):
            yield one.pack.shown, drawing


def pack_before(pack: PackHere, since: str) -> PackHere | None:
    """The pack at the point at which the work tree left a revision; None for a new one."""
    folder = (pack.home / pack.location.main).parent
    return _earlier(folder, since).get((pack.shown, pack.dialect.name))


@cache
def _earlier(folder: Path, since: str) -> dict[tuple[str, str], PackHere]:
    """The packs of one folder then."""
    repository = repository_of(folder)
    assert repository is not None
    return packs_at_commit(repository, _left(repository.root, since), folder)


@cache
def _left(root: Path, since: str) -> str:
    repository = repository_of(root)
    assert repository is not None
    return fork_point(repository, since)


def _drawn(before: PackHere | None, after: PackHere, profile: str) -> str:
    """The drawing of a changed pack; of a new one, the whole graph. "" without a change that is
    drawn."""
    newer = after.dialect.read(after.files)
    graph = after.dialect.graph(newer, profile)
    if before is None:
        every = {state.id: "added" for state in graph.states}
        arrows = [_arrow(one, "added") for one in graph.transitions]
        return _mermaid(every, arrows, set(every))
    older = before.dialect.read(before.files)
    if not older.readable:
        return ""
    diff = difference(after.dialect, older, newer, profile)
    return drawn_changes(before.dialect.graph(older, profile), graph, diff)


def drawn_changes(older: Graph, newer: Graph, diff: Difference) -> str:
    """The changed states and transitions with their neighbours; "" if there are none."""
    names = dict(diff.states.renamed)
    states = {state.id: "" for state in newer.states}
    states |= dict.fromkeys(diff.states.changed, "changed")
    states |= dict.fromkeys(names.values(), "changed")
    states |= dict.fromkeys(diff.states.added, "added")
    states |= dict.fromkeys(diff.states.removed, "removed")
    kinds = dict.fromkeys(diff.transitions.changed, "changed")
    kinds |= dict.fromkeys(diff.transitions.added, "added")
    kinds |= {now: "added" for _, now in diff.transitions.renamed}
    gone = {*diff.transitions.removed, *(was for was, _ in diff.transitions.renamed)}
    arrows = [_arrow(one, kinds.get(one.id, "")) for one in newer.transitions]
    for one in older.transitions:
        if one.id in gone:
            source, target = names.get(one.source, one.source), names.get(one.target, one.target)
            arrows.append(Arrow(source, one.label, target, "removed"))
    near = {id for id, change in states.items() if change}
    for arrow in arrows:
        if arrow.change:
            near |= {arrow.source, arrow.target}
    return _mermaid(states, arrows, near) if near else ""


def _mermaid(states: dict[str, str], arrows: Sequence[Arrow], near: set[str]) -> str:
    """A flowchart of these states and of the arrows that touch a change."""
    shown = [
        arrow
        for arrow in arrows
        if arrow.source in near
        and arrow.target in near
        and (arrow.change or states.get(arrow.source) or states.get(arrow.target))
    ]
    ids = {id: f"s{number}" for number, id in enumerate(sorted(near))}
    if len(ids) > MOST_STATES:
        return ""
    lines = ["flowchart LR"]
    for id, short in ids.items():
        text = "end" if id == END else mermaid_text(id)
        change = states.get(id, "")
        lines.append(f'  {short}["{text}"]{f":::{change}" if change else ""}')
    for arrow in shown:
        line = "-.->" if arrow.change == "removed" else "-->"
        label = f'|"{mermaid_text(arrow.label)}"|' if arrow.label else ""
        lines.append(f"  {ids[arrow.source]} {line}{label} {ids[arrow.target]}")
    for kind, (fill, stroke) in COLOURS.items():
        lines.append(f"  classDef {kind} fill:{fill},stroke:{stroke},color:#1f2328")
        changed = [str(number) for number, arrow in enumerate(shown) if arrow.change == kind]
        if changed:
            lines.append(f"  linkStyle {','.join(changed)} stroke:{stroke},stroke-width:3px")
    return "\n".join(lines)


def _arrow(one: Transition, change: str) -> Arrow:
    return Arrow(one.source, one.label, one.target, change)
