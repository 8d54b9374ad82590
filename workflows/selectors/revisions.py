"""The history of a pack: its revisions, and the difference of two of them."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from roles.core.columns import columns
from workflows.core.compare.difference import Changes
from workflows.models import Pack, Revision
from workflows.opened_packs.pack_work import on_pack
from workflows.selectors.graph_differences import keys
from workflows.selectors.sources import opened


def revisions(pack: Pack) -> QuerySet[Revision]:
    """Revisions, newest first."""
    return Revision.objects.filter(pack=pack).select_related("author").order_by("-number")


def revision_json(revision: Revision) -> dict[str, Any]:
    return {
        **columns(revision, "number", "kind"),
        "author": revision.author.get_username() if revision.author else "",
        **columns(revision, "summary", "name", "undoes", "created_at"),
    }


def diff(pack: Pack, start: int, end: int) -> dict[str, Any]:
    """Texts and elements that differ between two revisions."""
    old, new = opened(pack, start), opened(pack, end)
    before, after = old.under(pack.profile), new.under(pack.profile)
    states, transitions, files = on_pack(
        "Comparing these revisions", "compared", old.dialect, old.files, new.files, pack.profile
    )
    return {
        "files": files,
        "states": _with_renames(keys(before.states, after.states), states),
        "transitions": _with_renames(
            keys(before.transitions, after.transitions),
            transitions,
        ),
    }


def _with_renames(drawn: dict[str, list[str]], meaning: Changes) -> dict[str, Any]:
    """Changes of the drawing and the files, with renamed elements as pairs. Transitions that only
    follow a renamed state stay in `added` and `removed`: their ids differ."""
    was, now = (
        (set(side) for side in zip(*meaning.renamed, strict=True))
        if meaning.renamed
        else (
            set(),
            set(),
        )
    )
    changed = dict.fromkeys([*drawn["changed"], *meaning.changed])
    return {
        "added": [one for one in drawn["added"] if one not in now],
        "removed": [one for one in drawn["removed"] if one not in was],
        "changed": [one for one in changed if one not in now],
        "renamed": [{"was": one, "now": other} for one, other in meaning.renamed],
    }
