"""The gallery's page of packs: grouped, sorted, favourites first, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.functions import Lower

from roles.core.columns import columns
from roles.rights import visible
from workflows.models import Favourite, Pack, TrackedPack
from workflows.opened_packs.bodies import label_of
from workflows.selectors.opened_folder import opened_folder
from workflows.selectors.packs import last_runs, packs
from workflows.selectors.repositories import STATUS_LABELS, Status
from workflows.selectors.shares import several_people
from workflows.selectors.thumbnails import sizes, version

Order = tuple[str | Combinable, ...]
SORTS: dict[str, tuple[str, Order]] = {
    "changed": ("Last changed", ("-changed_at", "-pk")),
    "name": ("Name", (Lower("name"), "pk")),
    "created": ("Newest", ("-created_at", "-pk")),
    "problems": ("Most problems", ("-errors", "-warnings", Lower("name"), "pk")),
}
"""Value of the query → label and order."""
GROUPS: dict[str, tuple[str, Order]] = {
    "": ("No groups", ()),
    "folder": ("Folder", ("folder",)),
    "dialect": ("Dialect", ("dialect",)),
    "owner": ("Owner", ("owner__username",)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The query of the page. Unknown values of `group` and `sort` are the first ones."""

    q: str = ""
    dialect: str = ""
    folder: str | None = None
    group: str = ""
    sort: str = "changed"

    def packs(self, person: User) -> QuerySet[Pack]:
        """The packs in their order. Raises BadRequest for a text that cannot be stored."""
        rows = packs(person, self.q, self.dialect)
        if self.folder is not None:
            rows = rows.filter(folder=self.folder)
        loved = Favourite.objects.filter(user=person, pack=OuterRef("pk"))
        order = (*GROUPS.get(self.group, GROUPS[""])[1], *SORTS.get(self.sort, SORTS["changed"])[1])
        return (
            rows.annotate(favourite=Exists(loved))
            .order_by("-favourite", *order)
            .select_related("owner", "tracked")
        )


def groups_of(
    listing: Listing, page: Iterable[Pack], person: User
) -> list[tuple[str, list[dict[str, Any]]]]:
    """Title of each group, and its cards. A gallery without groups and favourites is one group
    without a title."""
    wanted = list(page)
    cards = _cards(wanted, person)
    titles = [_title(listing, pack) for pack in wanted]
    groups = [
        (title, [cards[index] for index, _ in members])
        for title, members in groupby(enumerate(titles), key=lambda one: one[1])
    ]
    return [("", groups[0][1])] if len(groups) == 1 and groups[0][0] == ALL else groups


FAVOURITES = "Favourites"
ALL = "All packs"


def _title(listing: Listing, pack: Any) -> str:
    if pack.favourite:
        return FAVOURITES
    match listing.group:
        case "folder":
            return pack.folder or "No folder"
        case "dialect":
            return label_of(pack.dialect)
        case "owner":
            return pack.owner.get_username() if pack.owner else "Shared by all"
        case _:
            return ALL


def _cards(wanted: Sequence[Pack], person: User) -> list[dict[str, Any]]:
    counts, runs = sizes(wanted), last_runs(pack.pk for pack in wanted)
    several = several_people()
    return [
        {
            **columns(pack, "id", "name", "dialect"),
            "dialect_label": label_of(pack.dialect),
            "folder": pack.folder,
            "path": pack.main if pack.written is not None else "",
            **columns(pack, "unwritten", "errors", "warnings"),
            "states": counts[pack.pk][0],
            "transitions": counts[pack.pk][1],
            "changed_at": pack.changed_at,
            "last_run": runs.get(pack.pk),
            "version": version(pack),
            "favourite": getattr(pack, "favourite", False),
            "belongs": _belongs(pack, person) if several else "",
            "drift": drift(pack),
        }
        for pack in wanted
    ]


def drift(pack: Pack) -> tuple[Status, str] | None:
    """Status and label of a pack that may differ from its branch, from stored rows alone: a pack
    that was edited back to its base still counts as edited. None without a repository or drift."""
    row = getattr(pack, "tracked", None)
    if row is None:
        return None
    edited = pack.head != row.base_revision or row.base_edited
    status: Status
    if row.upstream == TrackedPack.Upstream.GONE:
        status = "gone"
    elif row.upstream == TrackedPack.Upstream.CHANGED:
        status = "both" if edited else "changed"
    elif edited:
        status = "edited"
    else:
        return None
    return status, STATUS_LABELS[status]


def _belongs(pack: Pack, person: User) -> str:
    """The owner of a pack that is not the user's own, as text."""
    if pack.owner_id == person.pk:
        return ""
    return f"of {pack.owner.get_username()}" if pack.owner else "shared by all"


def folders(person: User) -> list[str]:
    """The folders of the packs that a user may see."""
    names = packs(person).exclude(folder="").order_by("folder").values_list("folder", flat=True)
    return list(names.distinct())


MOST_DELETED = 20


def deleted(person: User) -> list[Pack]:
    """The packs whose files were deleted in the opened folder last."""
    gone = Pack.objects.filter(deleted=True).order_by("-changed_at")
    return list(visible(gone, person)[:MOST_DELETED]) if opened_folder() else []


def is_first_visit(person: User) -> bool:
    """Return True while the user sees nothing but samples."""
    return not packs(person).exclude(sample__gt="").exists()
