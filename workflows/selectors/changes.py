"""Changes that a page has to draw to move from one revision to the newest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from workflows.core.pack.graph import state_json
from workflows.errors import BadRequest
from workflows.models import Pack, Revision
from workflows.selectors.graph_differences import set_and_gone
from workflows.selectors.history import buttons
from workflows.selectors.layout import NOWHERE, layout_now
from workflows.selectors.sources import Opened, View, opened

TOO_MANY = 200
"""Number of revisions after which a page reloads the whole graph."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The answer to an edit. With `graph` None and `reload`, the client fetches the graph again."""

    base: int
    revision: int
    rebased: bool
    reload: bool
    graph: dict[str, Any] | None
    findings: list[dict[str, Any]]
    outline: list[dict[str, Any]] | None
    undo: dict[str, Any]
    redo: dict[str, Any]
    saved_at: str
    summary: str

    def to_json(self) -> dict[str, Any]:
        """The JSON of the API."""
        return asdict_shallow(self)


def change(
    pack: Pack,
    base: int,
    author: AbstractBaseUser | AnonymousUser | None,
    *,
    rebased: bool = False,
    newest: Opened | None = None,
) -> Change:
    """Changes from revision `base` to the head. Raises BadRequest for an unknown base."""
    if not 1 <= base <= pack.head:
        raise BadRequest(
            f"Revision {base} is not one of this pack; the newest is {pack.head}.", where="base"
        )
    new = (newest or opened(pack)).under(pack.profile)
    since = list(
        Revision.objects.filter(pack=pack, number__gt=base)
        .order_by("number")
        .values_list("summary", "layout")
    )
    far = len(since) > TOO_MANY
    old = new if far or base == pack.head else opened(pack, base).under(pack.profile)
    moved = {key for _, layout in since for key in _touched(layout)}
    return Change(
        base=base,
        revision=pack.head,
        rebased=rebased,
        reload=far,
        graph=None if far else _difference(pack, old, new, moved),
        findings=new.findings_json,
        outline=None if not far and old.outline == new.outline else new.outline,
        saved_at=pack.changed_at.isoformat(),
        summary=since[-1][0] if since else "",
        **buttons(pack.pk, author),
    )


def _difference(pack: Pack, old: View, new: View, moved: set[str]) -> dict[str, Any]:
    states = set_and_gone(old.states, new.states)
    fresh = {state["id"]: state for state in states["set"]}
    fresh.update((key, state_json(new.states[key])) for key in moved if key in new.states)
    places = layout_now(pack.pk, fresh)
    states["set"] = [{**state, **places.get(key, NOWHERE)} for key, state in fresh.items()]
    return {
        "states": states,
        "transitions": set_and_gone(old.transitions, new.transitions),
        "entries": [asdict(entry) for entry in new.graph.entries],
        "groups": [asdict(group) for group in new.graph.groups],
        "name": new.graph.name,
    }


def asdict_shallow(value: Any) -> dict[str, Any]:
    """A dataclass's own fields, without copying their values."""
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _touched(layout: Mapping[str, Any]) -> set[str]:
    return {*layout.get("before", {}), *layout.get("after", {})}
