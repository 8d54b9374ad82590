"""The rows of the newest revision: states, transitions, agents, slots. Refreshed by difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workflows.core import graph as core
from workflows.models import Agent, Artifact, Pack, State, Transition
from workflows.selectors.layout import NOWHERE, Layout, layout_now
from workflows.selectors.sources import View

DRAWN = ("kind", "name", "terminal", "entry", "role")
BATCH = 500


def refresh(pack: Pack, before: View | None, after: View, layout: Layout) -> dict[str, Any]:
    """Bring the rows from `before` to `after` and put boxes where `layout` says.

    Costs what changed. Must run in the revision's own transaction. Answers the layout change as
    models.Revision keeps it: `{"before": {id: place}, "after": {id: place}}`.
    """
    _transitions(pack, before, after)
    changed = _states(pack, before, after, layout)
    if before is None or before.outline != after.outline:
        _objects(pack, after)
    return changed


def _states(pack: Pack, before: View | None, after: View, layout: Layout) -> dict[str, Any]:
    old = _state_rows(before) if before else {}
    new = _state_rows(after)
    gone = [key for key in old if key not in new]
    fresh = [key for key in new if key not in old]
    other = [key for key, row in new.items() if key in old and old[key] != row]
    placed = [key for key in layout if key in old and key in new]
    was = layout_now(pack.pk, [*gone, *placed])
    for start in range(0, len(gone), BATCH):
        State.objects.filter(pack=pack, key__in=gone[start : start + BATCH]).delete()
    State.objects.bulk_create(
        (State(pack=pack, key=key, **new[key], **layout.get(key, {})) for key in fresh),
        batch_size=BATCH,
    )
    touched = {*other, *placed}
    rows = [
        row
        for row in _rows_of(State, pack, touched)
        if _set(row, {**new[row.key], **layout.get(row.key, {})})
    ]
    State.objects.bulk_update(rows, [*DRAWN, *NOWHERE], batch_size=100)
    then = {
        key: {**was.get(key, NOWHERE), **layout[key]}
        for key in layout
        if key in new and {**was.get(key, NOWHERE), **layout[key]} != was.get(key, NOWHERE)
    }
    kept = {key: place for key, place in was.items() if key in then or key not in new}
    return {"before": kept, "after": then} if kept or then else {}


def _transitions(pack: Pack, before: View | None, after: View) -> None:
    old = _arrow_rows(before.graph.transitions) if before else {}
    new = _arrow_rows(after.graph.transitions)
    gone = [key for key, row in old.items() if new.get(key) != row]
    for start in range(0, len(gone), BATCH):
        Transition.objects.filter(pack=pack, key__in=gone[start : start + BATCH]).delete()
    Transition.objects.bulk_create(
        (Transition(pack=pack, key=key, **row) for key, row in new.items() if old.get(key) != row),
        batch_size=BATCH,
    )


def _objects(pack: Pack, after: View) -> None:
    """Members that the pack publishes and slots it declares: few, so written anew."""
    Agent.objects.filter(pack=pack).delete()
    Artifact.objects.filter(pack=pack, run=None).delete()
    for section in after.outline:
        keys = {item["element"].partition(":")[2]: item for item in section["items"]}
        if section["kind"] == "agent":
            Agent.objects.bulk_create(
                Agent(pack=pack, key=key[:300], card=_card(after, item["element"]))
                for key, item in keys.items()
            )
        elif section["kind"] == "artifact":
            Artifact.objects.bulk_create(
                Artifact(pack=pack, name=key[:300], value="") for key in keys
            )


def _card(after: View, element: str) -> dict[str, Any]:
    return dict(after.dialect.fields(after.source, element, after.profile).values)


def _state_rows(view: View) -> dict[str, dict[str, Any]]:
    entries = {entry.state for entry in view.graph.entries}
    return {
        state.id[:300]: {
            "kind": state.kind[:40],
            "name": state.name[:300],
            "terminal": state.terminal,
            "entry": state.id in entries,
            "role": state.role[:300],
        }
        for state in view.graph.states
    }


def _arrow_rows(arrows: Iterable[core.Transition]) -> dict[str, dict[str, str]]:
    return {
        arrow.id[:900]: {
            "source": arrow.source[:300],
            "target": arrow.target[:300],
            "label": arrow.label[:300],
            "kind": arrow.kind,
        }
        for arrow in arrows
    }


def _rows_of(model: Any, pack: Pack, keys: Iterable[str]) -> Iterable[Any]:
    wanted = list(keys)
    for start in range(0, len(wanted), BATCH):
        yield from model.objects.filter(pack=pack, key__in=wanted[start : start + BATCH])


def _set(row: State, values: Mapping[str, Any]) -> bool:
    changed = {name: value for name, value in values.items() if getattr(row, name) != value}
    for name, value in changed.items():
        setattr(row, name, value)
    return bool(changed)
