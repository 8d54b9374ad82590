"""Packs for the gallery and the canvas."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from workflows.core.convert.conversion import converts
from workflows.core.dialects import dialects
from workflows.core.dialects.base import Dialect
from workflows.core.engine.program import CannotRun
from workflows.core.pack.files import Files
from workflows.core.pack.graph import state_json, transition_json
from workflows.core.rules.check import rules_for
from workflows.db.search_text import check_search_text
from workflows.errors import NotThere
from workflows.models import Pack, Revision, Run, State, Transition
from workflows.selectors.history import buttons
from workflows.selectors.layout import NOWHERE, layout_at, layout_now
from workflows.selectors.sources import opened, view
from workflows.selectors.thumbnails import thumbnails

Person = AbstractBaseUser | AnonymousUser | None


def pack_named(pack_id: int) -> Pack:
    """A pack by id. Raises NotThere."""
    pack = Pack.objects.filter(pk=pack_id).first()
    if pack is None:
        raise NotThere(f"There is no pack {pack_id}.", hint="It may have been deleted.")
    return pack


def packs(q: str = "", dialect: str = "") -> QuerySet[Pack]:
    """Packs of the gallery, newest change first. Raises BadRequest for a text that cannot be
    stored."""
    check_search_text(q=q, dialect=dialect)
    found = Pack.objects.order_by("-changed_at", "-pk")
    if q:
        found = found.filter(Q(name__icontains=q) | Q(main__icontains=q))
    if dialect:
        found = found.filter(dialect=dialect)
    return found


def cards(some: Iterable[Pack]) -> list[dict[str, Any]]:
    """The JSON of several packs, in a fixed number of queries."""
    wanted = list(some)
    ids = [pack.pk for pack in wanted]
    drawings = thumbnails(wanted)
    states = _counts(State, ids)
    arrows = _counts(Transition, ids)
    newest = Run.objects.filter(pack=OuterRef("pk")).order_by("-created_at").values("pk")[:1]
    picked = Pack.objects.filter(pk__in=ids).annotate(newest=Subquery(newest)).values("newest")
    runs = {run.pack_id: run for run in Run.objects.filter(pk__in=picked)}
    return [
        {
            "id": pack.pk,
            "name": pack.name,
            "dialect": pack.dialect,
            "dialect_label": _label(pack.dialect),
            "profile": pack.profile,
            "main": pack.main,
            "origin": pack.origin,
            "head": pack.head,
            "errors": pack.errors,
            "warnings": pack.warnings,
            "states": states.get(pack.pk, 0),
            "transitions": arrows.get(pack.pk, 0),
            "changed_at": pack.changed_at.isoformat(),
            "last_run": _last_run(runs.get(pack.pk)),
            "thumbnail": drawings[pack.pk],
        }
        for pack in wanted
    ]


def card(pack: Pack) -> dict[str, Any]:
    """One pack, with the profiles it can be read under."""
    dialect = dialects().get(pack.dialect)
    return {**cards([pack])[0], "profiles": list(dialect.profiles) if dialect else [pack.profile]}


def graph_json(
    pack: Pack, person: Person, number: int | None = None, profile: str = ""
) -> dict[str, Any]:
    """Everything the canvas needs to draw one revision. Raises NotThere."""
    seen = view(pack, number, profile)
    head = number is None or number == pack.head
    places = layout_now(pack.pk) if head else layout_at(pack.pk, number or pack.head)
    graph = seen.graph
    body = graph.to_json()
    body["states"] = [
        {**state_json(state), **places.get(state.id, NOWHERE)} for state in seen.states.values()
    ]
    body["transitions"] = [transition_json(arrow) for arrow in seen.transitions.values()]
    return {
        "pack": pack.pk,
        "revision": pack.head if number is None else number,
        **body,
        "findings": seen.findings_json,
        "outline": seen.outline,
        "palette": [item.to_json() for item in seen.dialect.palette()],
        **buttons(pack.pk, person),
        "saved_at": _saved_at(pack, number),
    }


def inputs(pack: Pack) -> list[str]:
    """Names of the inputs that a run of the newest revision requires; empty if the pack cannot run,
    which starting a run reports."""
    seen = view(pack)
    try:
        program = seen.dialect.program(seen.source, pack.profile)
    except CannotRun:
        return []
    return list(program.required_inputs)


def offers(pack: Pack, state: str) -> list[dict[str, Any]]:
    """Transitions that may be drawn from a state."""
    seen = view(pack)
    if state not in seen.states:
        raise NotThere(f"There is no state {state!r} in this pack.", where="state")
    return [
        {
            "source": offer.source,
            "label": offer.label,
            "kind": offer.kind,
            "targets": None if offer.targets is None else list(offer.targets),
            "pattern": offer.pattern,
            "reason": offer.reason,
        }
        for offer in seen.dialect.offers(seen.source, state, pack.profile)
    ]


def fields(pack: Pack, element: str) -> dict[str, Any]:
    """The form of one element. Raises EditRefused for an unknown one."""
    seen = view(pack)
    return seen.dialect.fields(seen.source, element, pack.profile).to_json()


def copied(pack: Pack, states: tuple[str, ...]) -> Any:
    """A fragment for `paste`. Raises EditRefused."""
    here = opened(pack)
    return here.dialect.copy(here.source, states)


def samples() -> list[dict[str, Any]]:
    """Every pack that ships with a dialect."""
    return [sample for name in dialects() for sample in _samples(name)]


@cache
def _samples(dialect: str) -> tuple[dict[str, Any], ...]:
    """Cached samples: they do not change while the server runs."""
    found = dialects()[dialect]
    return tuple(_sample(found, key, files) for key, files in found.samples().items())


def dialect_list() -> list[dict[str, Any]]:
    """Dialects with their profiles and rules."""
    return [
        {
            "name": dialect.name,
            "label": dialect.label,
            "profiles": list(dialect.profiles),
            "converts": converts(dialect),
            "rules": [
                {"code": rule.code, "level": rule.level, "title": rule.title, "help": rule.help}
                for rule in rules_for(dialect)
            ],
        }
        for dialect in dialects().values()
    ]


def _sample(dialect: Dialect, key: str, files: Files) -> dict[str, Any]:
    source, profile = dialect.read(files), dialect.profiles[0]
    graph = dialect.graph(source, profile)
    agents = (one for one in dialect.outline(source) if one.kind == "agent")
    about = ["pack", *(element for one in agents for element, _ in one.items[:1])]
    said = (dialect.fields(source, element, profile).values for element in about)
    return {
        "dialect": dialect.name,
        "dialect_label": dialect.label,
        "name": key,
        "title": graph.name or key,
        "description": next(
            (str(form["description"]) for form in said if form.get("description")), ""
        ),
        "states": len(graph.on("").states),
    }


def _saved_at(pack: Pack, number: int | None) -> str:
    if number is None or number == pack.head:
        return pack.changed_at.isoformat()
    return Revision.objects.get(pack=pack, number=number).created_at.isoformat()


def _label(name: str) -> str:
    dialect = dialects().get(name)
    return dialect.label if dialect else name


def _counts(model: type[State] | type[Transition], ids: list[int]) -> dict[int, int]:
    rows = model.objects.filter(pack__in=ids, level="").values("pack").annotate(many=Count("pk"))
    return {row["pack"]: row["many"] for row in rows}


def _last_run(run: Run | None) -> dict[str, Any] | None:
    if run is None:
        return None
    return {
        "id": str(run.pk),
        "status": run.status,
        "driver": run.driver,
        "created_at": run.created_at.isoformat(),
    }
