"""Changes that a page has to draw to move from one revision to the newest."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from workflows.core.pack.graph import state_json
from workflows.errors import BadRequest
from workflows.models import Pack, Revision
from workflows.opened_packs.bodies import NOWHERE
from workflows.opened_packs.known_tools import PER_RULE
from workflows.opened_packs.view import Opened, View
from workflows.selectors.graph_differences import set_and_gone, shared_prompts
from workflows.selectors.history import buttons
from workflows.selectors.known_tools import findings
from workflows.selectors.layout import layout_now
from workflows.selectors.sources import last_drawn, opened

TOO_MANY = 200
"""Number of revisions after which a page reloads the whole graph."""

SAME_PLACE = "Change in the folder, in the same place as revision"
"""The beginning of the summary of a revision that shows the disk's version of a place which was
edited too. The page has a notice for it."""
DELETED = "Deleted in the folder"
"""The summary of a revision without files. The page has a notice for it too."""
NOTICED = (SAME_PLACE, DELETED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The answer to an edit. With `graph` None and `reload`, the client fetches the graph again.
    `findings` is None if a large pack is still being checked."""

    base: int
    revision: int
    readable: bool
    rebased: bool
    reload: bool
    graph: dict[str, Any] | None
    findings: list[dict[str, Any]] | None
    outline: list[dict[str, Any]] | None
    undo: dict[str, Any]
    redo: dict[str, Any]
    saved_at: str
    summary: str
    notice: str
    """A summary that begins with SAME_PLACE or is DELETED, of any revision since `base`; or ""."""

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
    check_later: bool = False,
    known_places: Collection[str] = (),
) -> Change:
    """Changes from revision `base` to the head. States in `known_places` are left out if only their
    layout changed. Raises BadRequest for an unknown base."""
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
    drawn = last_drawn(pack, pack.head, newest).under(pack.profile)
    old = drawn if far or base == pack.head else last_drawn(pack, base).under(pack.profile)
    moved = {key for _, layout in since for key in _touched(layout)}.difference(known_places)
    return Change(
        base=base,
        revision=pack.head,
        readable=new.readable,
        rebased=rebased,
        reload=far,
        graph=None if far else graph_difference(pack, old, drawn, moved),
        findings=None
        if check_later and not new.has_findings
        else findings(pack, new, most=PER_RULE),
        outline=None
        if not far and old.drawn.outline == drawn.drawn.outline
        else drawn.drawn.outline,
        saved_at=pack.changed_at.isoformat(),
        summary=since[-1][0] if since else "",
        notice=next((summary for summary, _ in since if summary.startswith(NOTICED)), ""),
        **buttons(pack.pk, author),
    )


def graph_difference(
    pack: Pack, old: View, new: View, moved: Collection[str] = ()
) -> dict[str, Any]:
    """The changes that a page draws to show the new graph. `moved`: states with another layout."""
    states = set_and_gone(old.states, new.states)
    users = shared_prompts(old.states, new.states)
    fresh = {state["id"]: state for state in states["set"]}
    for key in users.states.difference(moved):
        del fresh[key]
    fresh.update((key, state_json(new.states[key])) for key in moved if key in new.states)
    places = layout_now(pack.pk, fresh)
    states["set"] = [{**state, **places.get(key, NOWHERE)} for key, state in fresh.items()]
    return {
        "states": states,
        "transitions": set_and_gone(old.transitions, new.transitions),
        "prompt_users": users.counts,
        "entries": [asdict(entry) for entry in new.graph.entries],
        "groups": [asdict(group) for group in new.graph.groups],
        "name": new.graph.name,
    }


def asdict_shallow(value: Any) -> dict[str, Any]:
    """A dataclass's own fields, without copying their values."""
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _touched(layout: Mapping[str, Any]) -> set[str]:
    return {*layout.get("before", {}), *layout.get("after", {})}
