"""Packs for the gallery and the canvas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import OuterRef, Q, QuerySet, Subquery

from roles.rights import visible
from roles.rows import found
from roles.selectors.columns import columns
from workflows.core.convert.conversion import converts
from workflows.core.dialects import dialects
from workflows.core.engine.program import CannotRun
from workflows.core.engine.rehearsal.rehearse import simulated_inputs
from workflows.core.engine.run_options import RunInput
from workflows.core.pack.graph import state_json, transition_json
from workflows.core.rules.check import rules_for
from workflows.db.search_text import check_search_text
from workflows.errors import NotThere
from workflows.models import Pack, Revision, Run
from workflows.selectors.history import buttons
from workflows.selectors.known_tools import PER_RULE, findings_json, with_tool_names
from workflows.selectors.layout import NOWHERE, layout_at, layout_now
from workflows.selectors.pack_names import name_in_files
from workflows.selectors.pack_work import on_pack
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
        {
            **columns(pack, "id", "name", "dialect"),
            "dialect_label": label_of(pack.dialect),
            **columns(pack, "profile", "main", "origin", "head", "errors", "warnings", "folder"),
            "states": counts[pack.pk][0],
            "transitions": counts[pack.pk][1],
            "changed_at": pack.changed_at.isoformat(),
            "last_run": _last_run(runs.get(pack.pk)),
            "thumbnail": drawings[pack.pk].to_json(),
        }
        for pack in wanted
    ]


def last_runs(ids: Iterable[int]) -> dict[int, Run]:
    """The newest run of each pack that has one."""
    newest = Run.objects.filter(pack=OuterRef("pk")).order_by("-created_at").values("pk")[:1]
    picked = Pack.objects.filter(pk__in=ids).annotate(newest=Subquery(newest)).values("newest")
    return {run.pack_id: run for run in Run.objects.filter(pk__in=picked)}


def card(pack: Pack) -> dict[str, Any]:
    """One pack, with the profiles it can be read under."""
    dialect = dialects().get(pack.dialect)
    return {
        **cards([pack])[0],
        "profiles": list(dialect.profiles) if dialect else [pack.profile],
        "approval_limit": pack.approval_limit,
        "file_name": name_in_files(pack),
    }


def graph_json(
    pack: Pack, person: Person, number: int | None = None, profile: str = ""
) -> dict[str, Any]:
    """Everything the canvas needs to draw one revision. Raises NotThere."""
    pack_view = view(pack, number, profile)
    head = number is None or number == pack.head
    places = layout_now(pack.pk) if head else layout_at(pack.pk, number or pack.head)
    shown = last_drawn(pack, pack.head if number is None else number).under(pack_view.profile)
    body = shown.graph.to_json()
    body["states"] = [
        {**state_json(state), **places.get(state.id, NOWHERE)} for state in shown.states.values()
    ]
    body["transitions"] = [transition_json(transition) for transition in shown.transitions.values()]
    return {
        "pack": pack.pk,
        "revision": pack.head if number is None else number,
        **body,
        "readable": pack_view.readable,
        "findings": findings_json(pack, pack_view, most=PER_RULE),
        "outline": shown.drawn.outline,
        "palette": [item.to_json() for item in pack_view.dialect.palette()],
        **buttons(pack.pk, person),
        "saved_at": _saved_at(pack, number),
    }


def inputs(pack: Pack, started_by: str) -> list[str]:
    """Names of the inputs that a run of the newest revision requires, and of those that its roles
    name if the run is `started_by` this; empty if the pack cannot run, which starting a run
    reports."""
    return list(dict.fromkeys([*required_inputs(pack), *role_inputs(pack, started_by)]))


def required_inputs(pack: Pack) -> tuple[str, ...]:
    """Names of the inputs without which a run of the newest revision cannot start."""
    pack_view = view(pack)
    try:
        return tuple(pack_view.program.required_inputs)
    except CannotRun:
        return ()


def start_inputs(pack: Pack, started_by: str) -> list[dict[str, Any]]:
    """The inputs of a run of the newest revision as its start needs them: those of the pack, then
    those that its roles name. `simulated`: the value that a rehearsal generates, "" for none."""
    pack_view = view(pack)
    try:
        program = pack_view.program
    except CannotRun:
        return []
    of_pack = program.inputs
    names = {one.name for one in of_pack}
    of_roles = (name for name in role_inputs(pack, started_by) if name not in names)
    named = (RunInput(name=name, help="Named by a role.") for name in of_roles)
    simulated = simulated_inputs(program)
    return [
        {
            **one.to_json(),
            "by_role": one.name not in names,
            "simulated": simulated.get(one.name, ""),
        }
        for one in (*of_pack, *named)
    ]


def call_approvals(pack: Pack) -> list[dict[str, Any]]:
    """The calls that a person approves in runs of the newest revision."""
    here = opened(pack)
    if not here.readable:
        return []
    return [asdict(one) for one in here.dialect.call_approvals(here.source)]


def options(pack: Pack) -> list[dict[str, Any]]:
    """Inputs that select how a run of the newest revision works; empty if the pack cannot run."""
    pack_view = view(pack)
    try:
        program = pack_view.program
    except CannotRun:
        return []
    return [option.to_json() for option in program.options]


def offers(pack: Pack, state: str) -> list[dict[str, Any]]:
    """Transitions that may be drawn from a state."""
    here = view(pack)
    if state not in here.states:
        raise NotThere(f"There is no state {state!r} in this pack.", where="state")
    made = on_pack(
        "Finding the transitions", "offers", here.dialect, here.files, state, pack.profile
    )
    return [asdict(offer) for offer in made]


def fields(pack: Pack, element: str) -> dict[str, Any]:
    """The form of one element. Raises EditRefused for an unknown one."""
    form = view(pack).form(element)
    return {**form, "schema": with_tool_names(form["schema"], pack)}


def copied(pack: Pack, states: tuple[str, ...]) -> Any:
    """A fragment for `paste`, with each state once. Raises EditRefused."""
    here = opened(pack)
    once = tuple(dict.fromkeys(states))
    return on_pack("Copying these states", "copied", here.dialect, here.files, once)


def dialect_list() -> list[dict[str, Any]]:
    """Dialects with their profiles and rules."""
    return [
        {
            "name": dialect.name,
            "label": dialect.label,
            "profiles": list(dialect.profiles),
            "converts_to": [one.name for one in dialects().values() if converts(dialect, one)],
            "rules": [
                {
                    "code": rule.code,
                    "level": rule.level,
                    "title": rule.title,
                    "help": rule.help,
                    "profiles": [name for name in dialect.profiles if rule.holds_in(name)],
                    "hint_in": list(rule.hint_in),
                }
                for rule in rules_for(dialect)
            ],
        }
        for dialect in dialects().values()
    ]


def _saved_at(pack: Pack, number: int | None) -> str:
    if number is None or number == pack.head:
        return pack.changed_at.isoformat()
    return Revision.objects.get(pack=pack, number=number).created_at.isoformat()


def label_of(name: str) -> str:
    """The label of a dialect, or its name if it is not installed."""
    dialect = dialects().get(name)
    return dialect.label if dialect else name


def _last_run(run: Run | None) -> dict[str, Any] | None:
    if run is None:
        return None
    return {
        "id": str(run.pk),
        "status": run.status,
        "driver": run.driver,
        "created_at": run.created_at.isoformat(),
    }
