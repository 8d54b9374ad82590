"""Packs for the gallery and the canvas."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import OuterRef, Q, QuerySet, Subquery

from roles.rights import visible
from roles.rows import found
from workflows.db.search_text import check_search_text
from workflows.errors import NotThere
from workflows.models import Pack, Revision, Run
from workflows.opened_packs import bodies
from workflows.opened_packs.bodies import card_json, detail_json
from workflows.opened_packs.pack_work import on_pack
from workflows.selectors.history import buttons
from workflows.selectors.known_tools import known_tools
from workflows.selectors.layout import layout_at, layout_now
from workflows.selectors.role_inputs import role_inputs
from workflows.selectors.sources import last_drawn, opened, view
from workflows.selectors.thumbnails import sizes, thumbnails

Person = AbstractBaseUser | AnonymousUser | None


def pack_named(pack_id: int) -> Pack:
    """A pack by id. Raises NotThere."""
    return found(
        Pack.objects.filter(pk=pack_id),
        NotThere(f"There is no pack {pack_id}.", hint="It may have been deleted."),
    )


def packs(person: User, q: str = "", dialect: str = "") -> QuerySet[Pack]:
    """Packs of the gallery that a user may see, newest change first, without deleted ones. Raises
    BadRequest for a text that cannot be stored."""
    check_search_text(q=q, dialect=dialect)
    rows = visible(Pack.objects.filter(deleted=False).order_by("-changed_at", "-pk"), person)
    if q:
        rows = rows.filter(Q(name__icontains=q) | Q(main__icontains=q))
    if dialect:
        rows = rows.filter(dialect=dialect)
    return rows


def cards(some: Iterable[Pack]) -> list[dict[str, Any]]:
    """The JSON of several packs, in a fixed number of queries."""
    wanted = list(some)
    ids = [pack.pk for pack in wanted]
    drawings = thumbnails(wanted)
    counts = sizes(wanted)
    runs = last_runs(ids)
    return [
        card_json(
            pack,
            states=counts[pack.pk][0],
            transitions=counts[pack.pk][1],
            drawing=drawings[pack.pk],
            last_run=_last_run(runs.get(pack.pk)),
        )
        for pack in wanted
    ]


def last_runs(ids: Iterable[int]) -> dict[int, Run]:
    """The newest run of each pack that has one."""
    newest = Run.objects.filter(pack=OuterRef("pk")).order_by("-created_at").values("pk")[:1]
    picked = Pack.objects.filter(pk__in=ids).annotate(newest=Subquery(newest)).values("newest")
    return {run.pack_id: run for run in Run.objects.filter(pk__in=picked)}


def card(pack: Pack) -> dict[str, Any]:
    """One pack, with the profiles it can be read under."""
    return detail_json(cards([pack])[0], opened(pack), pack.approval_limit)


def graph_json(
    pack: Pack, person: Person, number: int | None = None, profile: str = ""
) -> dict[str, Any]:
    """Everything the canvas needs to draw one revision. Raises NotThere."""
    pack_view = view(pack, number, profile)
    head = number is None or number == pack.head
    places = layout_now(pack.pk) if head else layout_at(pack.pk, number or pack.head)
    shown = last_drawn(pack, pack.head if number is None else number).under(pack_view.profile)
    return bodies.graph_json(
        pack_view,
        shown,
        places,
        partial(known_tools, pack),
        pack=pack.pk,
        revision=pack.head if number is None else number,
        **buttons(pack.pk, person),
        saved_at=_saved_at(pack, number),
    )


def inputs(pack: Pack, started_by: str) -> list[str]:
    """Names of the inputs that a run of the newest revision requires, and of those that its roles
    name if the run is `started_by` this; empty if the pack cannot run, which starting a run
    reports."""
    return list(dict.fromkeys([*required_inputs(pack), *role_inputs(pack, started_by)]))


def required_inputs(pack: Pack) -> tuple[str, ...]:
    """Names of the inputs without which a run of the newest revision cannot start."""
    program = bodies.program_of(view(pack))
    return tuple(program.required_inputs) if program else ()


def start_inputs(pack: Pack, started_by: str) -> list[dict[str, Any]]:
    """The inputs of a run of the newest revision as its start needs them."""
    return bodies.start_inputs(view(pack), role_inputs(pack, started_by))


def fields(pack: Pack, element: str) -> dict[str, Any]:
    """The form of one element. Raises EditRefused for an unknown one."""
    return bodies.form(view(pack), element, partial(known_tools, pack))


def copied(pack: Pack, states: tuple[str, ...]) -> Any:
    """A fragment for `paste`, with each state once. Raises EditRefused."""
    here = opened(pack)
    once = tuple(dict.fromkeys(states))
    return on_pack("Copying these states", "copied", here.dialect, here.files, once)


def _saved_at(pack: Pack, number: int | None) -> str:
    if number is None or number == pack.head:
        return pack.changed_at.isoformat()
    return Revision.objects.get(pack=pack, number=number).created_at.isoformat()


def _last_run(run: Run | None) -> dict[str, Any] | None:
    if run is None:
        return None
    return {
        "id": str(run.pk),
        "status": run.status,
        "driver": run.driver,
        "created_at": run.created_at.isoformat(),
    }
