"""Projection of the newest revision as rows: states, transitions, agents, slots. Updated by
difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workflows.core.pack import graph
from workflows.db.text import to_storable
from workflows.models import Agent, Artifact, Pack, State, Transition
from workflows.opened_packs.bodies import NOWHERE
from workflows.opened_packs.view import View
from workflows.selectors.graph_differences import differing
from workflows.selectors.layout import Layout, layout_now

DRAWN = ("kind", "name", "terminal", "entry", "level", "role")
BATCH = 500


def refresh(pack: Pack, before: View | None, after: View, layout: Layout) -> dict[str, Any]:
    """Update the rows from `before` to `after`, and the positions to `layout`.

    The cost depends on what changed. Must run in the revision's transaction. Returns the layout
    change as models.Revision stores it: `{"before": {id: place}, "after": {id: place}}`.
    """
    _transitions(pack, before, after)
    changed = _states(pack, before, after, layout)
    if before is None or before.drawn.outline != after.drawn.outline:
        _slots(pack, after)
    if before is None or before.drawn.agents != after.drawn.agents:
        _agents(pack, after)
    return changed


def _states(pack: Pack, before: View | None, after: View, layout: Layout) -> dict[str, Any]:
    gone = [key for key in (before.states if before else {}) if key not in after.states]
    changed = _changed_states(before, after)
    was = layout_now(pack.pk, [*gone, *layout])
    _delete(State, pack, gone)
    touched = [key for key in after.states if key in changed or key in layout]
    rows = {row.key: row for row in _rows_of(State, pack, map(to_storable, touched))}
    entries = _entries(after)
    written = []
    for key in touched:
        row = rows.get(to_storable(key))
        if row is None:  # New, or drawn by a newer version of the projection only.
            drawn = _state_row(after.states[key], key in entries)
            row = State(pack=pack, key=to_storable(key), **drawn, **layout.get(key, {}))
        elif not _set(row, {**changed.get(key, {}), **layout.get(key, {})}):
            continue
        written.append(row)
    _write(written)
    then = {
        key: {**was.get(key, NOWHERE), **layout[key]}
        for key in layout
        if key in after.states and {**was.get(key, NOWHERE), **layout[key]} != was.get(key, NOWHERE)
    }
    kept = {key: place for key, place in was.items() if key in then or key not in after.states}
    return {"before": kept, "after": then} if kept or then else {}


def _write(rows: Iterable[State]) -> None:
    """Write rows by an upsert. `bulk_update` takes twenty times as long: its statement has a case
    for every field of every row. Without an id only the key can conflict."""
    unnumbered = list(rows)
    for row in unnumbered:
        row.pk = None
    State.objects.bulk_create(
        unnumbered,
        update_conflicts=True,
        unique_fields=["pack", "key"],
        update_fields=[*DRAWN, *NOWHERE],
        batch_size=BATCH,
    )


def _changed_states(before: View | None, after: View) -> dict[str, dict[str, Any]]:
    """Rows of states that are new or changed, by key."""
    old = before.states if before else {}
    entries, were = _entries(after), _entries(before) if before else set()
    turned = entries ^ were
    return {
        key: row
        for key in {*dict(differing(old, after.states)), *turned}
        if key in after.states
        and (
            (row := _state_row(after.states[key], key in entries))
            != (_state_row(old[key], key in were) if key in old else None)
        )
    }


def _transitions(pack: Pack, before: View | None, after: View) -> None:
    old = before.transitions if before else {}
    drawn = dict(differing(old, after.transitions))
    gone = [key for key in old if key in drawn or key not in after.transitions]
    _delete(Transition, pack, gone)
    Transition.objects.bulk_create(
        (
            Transition(
                pack=pack,
                key=to_storable(key),
                **_transition_row(transition, _level(after, transition)),
            )
            for key, transition in drawn.items()
        ),
        batch_size=BATCH,
    )


def _agents(pack: Pack, after: View) -> None:
    """Replace the agents that the pack publishes; there are only a few."""
    Agent.objects.filter(pack=pack).delete()
    Agent.objects.bulk_create(
        Agent(
            pack=pack,
            key=to_storable(key),
            description=to_storable(str(card.get("description", ""))),
            card=card,
        )
        for key, card in after.drawn.agents.items()
    )


def _slots(pack: Pack, after: View) -> None:
    """Replace the slots that the pack declares; there are only a few."""
    Artifact.objects.filter(pack=pack, run=None).delete()
    Artifact.objects.bulk_create(
        Artifact(pack=pack, name=item["element"].partition(":")[2][:300], value="")
        for section in after.drawn.outline
        if section["kind"] == "artifact"
        for item in section["items"]
    )


def _entries(view: View) -> set[str]:
    return {entry.state for entry in view.graph.entries}


def _state_row(state: graph.State, entry: bool) -> dict[str, Any]:
    return {
        "kind": to_storable(state.kind)[:40],
        "name": to_storable(state.name)[:300],
        "terminal": state.terminal,
        "entry": entry,
        "level": to_storable(state.level),
        "role": to_storable(state.role)[:300],
    }


def _level(view: View, transition: graph.Transition) -> str:
    source = view.states.get(transition.source)
    return source.level if source else ""


def _transition_row(transition: graph.Transition, level: str) -> dict[str, str]:
    return {
        "level": to_storable(level),
        "source": to_storable(transition.source),
        "target": to_storable(transition.target),
        "label": to_storable(transition.label),
        "kind": transition.kind,
    }


def _delete(model: Any, pack: Pack, keys: list[str]) -> None:
    for start in range(0, len(keys), BATCH):
        part = [to_storable(key) for key in keys[start : start + BATCH]]
        model.objects.filter(pack=pack, key__in=part).delete()


def _rows_of(model: Any, pack: Pack, keys: Iterable[str]) -> Iterable[Any]:
    wanted = list(keys)
    for start in range(0, len(wanted), BATCH):
        yield from model.objects.filter(pack=pack, key__in=wanted[start : start + BATCH])


def _set(row: State, values: Mapping[str, Any]) -> bool:
    changed = {name: value for name, value in values.items() if getattr(row, name) != value}
    for name, value in changed.items():
        setattr(row, name, value)
    return bool(changed)
