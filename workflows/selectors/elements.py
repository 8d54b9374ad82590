"""States, transitions, artifacts and agents of all packs that a user may see, filtered."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal, TypeAlias

from django.contrib.auth.models import User
from django.db.models import F, OuterRef, Q, Subquery, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Concat

from roles.models import Role
from roles.rights import visible
from workflows.db.days import day_in
from workflows.db.integers import fits_integer
from workflows.db.search_text import check_search_text
from workflows.errors import BadRequest
from workflows.models import Agent, Artifact, Run, RunEvent, State, Transition
from workflows.selectors.run_artifacts import LOGGED

Rows: TypeAlias = Any
"""A QuerySet of one of the models in ELEMENTS, or of events."""
LISTED = {name: type for name, type in LOGGED.items() if name != "block"}
"""Types of artifacts in the logs of runs, of which an event has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A query parameter. `narrow` raises BadRequest for a text that has no meaning."""

    title: str
    help: str
    narrow: Callable[[Rows, User, str], Rows]
    type: Literal["text", "number", "date"] = "text"
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementKind:
    """A kind of elements. `search`: the fields that `q` searches."""

    model: type[Any]
    filters: Mapping[str, Filter]
    search: tuple[str, ...]
    order: tuple[str, ...] = ("pack__name", "pack_id", "pk")


def elements(kind: str, person: User, texts: Mapping[str, str]) -> Rows:
    """The rows of a kind in ELEMENTS that the user may see and that match the filters. Artifacts of
    a type in LISTED are events of runs. Raises BadRequest."""
    of = ELEMENTS[kind]
    check_search_text(**{name: text for name, text in texts.items() if name in of.filters})
    rows = _logged(person, texts["type"]) if logs(kind, texts) else _stored(of, person)
    for name, filter in of.filters.items():
        if text := texts.get(name, "").strip():
            rows = filter.narrow(rows, person, text)
    return rows


def logs(kind: str, texts: Mapping[str, str]) -> bool:
    """Return True if `elements` returns events of runs."""
    return kind == "artifacts" and texts.get("type", "") in LISTED


def readable_roles(person: User) -> frozenset[int]:
    """The roles that the user may see; states do not show others."""
    return frozenset(visible(Role.objects.order_by(), person).values_list("pk", flat=True))


def _stored(of: ElementKind, person: User) -> Rows:
    rows = visible(of.model._default_manager.select_related("pack").order_by(*of.order), person)
    if of.model is not Artifact:
        return rows
    set_by = RunEvent.objects.filter(run=OuterRef("run"), n=OuterRef("n"))
    return rows.annotate(at=Subquery(set_by.values("at")[:1]))


def _logged(person: User, type: str) -> Rows:
    runs = visible(Run.objects.order_by(), person)
    events = RunEvent.objects.select_related("run__pack").order_by("-at", "run", "-n")
    rows = events.filter(type=LISTED[type], run__in=runs.values("pk"))
    return rows.exclude(fields__diff="") if type == "diff" else rows


def _is(field: str, logged: str = "") -> Callable[[Rows, User, str], Rows]:
    """`logged`: the field of an event that has the same meaning."""

    def narrow(rows: Rows, person: User, text: str) -> Rows:
        return rows.filter(**{logged if rows.model is RunEvent else field: text})

    return narrow


def _pack(rows: Rows, person: User, text: str) -> Rows:
    field = "run__pack" if rows.model is RunEvent else "pack"
    return rows.filter(**{field: _number("pack", text)})


def _dialect(rows: Rows, person: User, text: str) -> Rows:
    field = "run__pack__dialect" if rows.model is RunEvent else "pack__dialect"
    return rows.filter(**{field: text})


def _flag(name: str, condition: Q) -> Callable[[Rows, User, str], Rows]:
    def narrow(rows: Rows, person: User, text: str) -> Rows:
        return rows.filter(condition) if _yes(name, text) else rows.exclude(condition)

    return narrow


def _role(rows: Rows, person: User, text: str) -> Rows:
    role = _number("role", text)
    return rows.filter(bound__role=role) if role in readable_roles(person) else rows.none()


def _visited(rows: Rows, person: User, text: str) -> Rows:
    """The states that runs of this user's packs entered, at any revision. One pass over the events
    answers for all states."""
    entered = RunEvent.objects.filter(
        type="state.entered", run__in=visible(Run.objects.order_by(), person).values("pk")
    )
    pairs = entered.order_by().values(pair=_pair("run__pack_id", KT("fields__state")))
    named = rows.alias(pair=_pair("pack_id", F("key")))
    known = Q(pair__in=pairs)
    if _yes("visited", text):
        return named.filter(known)
    return named.exclude(known).exclude(kind__in=WITHOUT_VISITS)


def _pair(pack: str, state: Any) -> Concat:
    return Concat(Cast(pack, TextField()), Value(" "), state, output_field=TextField())


def _tag(rows: Rows, person: User, text: str) -> Rows:
    """Databases search the text of a card; the tags are read from those that match."""
    near = rows.annotate(text=Cast("card", TextField())).filter(text__icontains=_quoted(text))
    tagged = [
        key
        for key, card in near.order_by().values_list("pk", "card")
        for skill in card.get("skills", ())
        if text in skill.get("tags", ())
    ]
    return rows.filter(pk__in=tagged)


def _quoted(text: str) -> str:
    """The text as stored JSON has it."""
    return json.dumps(text)[1:-1]


def _since(rows: Rows, person: User, text: str) -> Rows:
    return rows.filter(at__gte=_midnight(day_in(text, "since")))


def _until(rows: Rows, person: User, text: str) -> Rows:
    return rows.filter(at__lt=_midnight(day_in(text, "until") + timedelta(days=1)))


def _midnight(day: date) -> float:
    return datetime.combine(day, time.min, UTC).timestamp()


def _type(rows: Rows, person: User, text: str) -> Rows:
    return rows if rows.model is RunEvent else rows.filter(type=text)


def _searched(rows: Rows, person: User, text: str) -> Rows:
    if rows.model is RunEvent:
        events = rows.alias(written=Cast("fields", TextField()))
        named = Q(run__pack__name__icontains=text)
        return events.filter(named | Q(written__icontains=_quoted(text)))
    kind = next(of for of in ELEMENTS.values() if of.model is rows.model)
    condition = Q(pack__name__icontains=text)
    for field in kind.search:
        condition |= Q(**{f"{field}__icontains": text})
    return rows.filter(condition)


def _number(name: str, text: str) -> int:
    if not fits_integer(text):
        raise BadRequest(f"`{name}` is a whole number.", where=name)
    return int(text)


def _yes(name: str, text: str) -> bool:
    if text not in YES_NO:
        raise BadRequest(f"`{name}` is true or false; not {text!r:.60}.", where=name)
    return text == "true"


YES_NO = ("true", "false")
WITHOUT_VISITS = ("section", "prompt")
"""Kinds of states that runs never enter."""
COMMON = {
    "q": Filter(
        title="Search", help="Text in the names or in the name of the pack.", narrow=_searched
    ),
    "pack": Filter(title="Pack", help="Of the pack with this id.", narrow=_pack, type="number"),
    "dialect": Filter(title="Dialect", help="Of packs of this dialect.", narrow=_dialect),
}
ELEMENTS: Mapping[str, ElementKind] = {
    "states": ElementKind(
        model=State,
        search=("key", "name", "role", "note"),
        filters=COMMON
        | {
            "key": Filter(title="Key", help="With this key in the pack.", narrow=_is("key")),
            "kind": Filter(title="Kind", help="Of this kind.", narrow=_is("kind")),
            "prompt": Filter(
                title="Prompt", help="That call this prompt, or play this role of an agent graph.",
                narrow=_is("role"),
            ),
            "role": Filter(
                title="Bound role", help="That the role with this id is bound to.", narrow=_role,
                type="number",
            ),
            "entry": Filter(
                title="Entry", help="Whether a run begins there.",
                narrow=_flag("entry", Q(entry=True)), choices=YES_NO,
            ),
            "terminal": Filter(
                title="End", help="Whether a run may end there.",
                narrow=_flag("terminal", Q(terminal=True)), choices=YES_NO,
            ),
            "visited": Filter(
                title="Visited", help="Whether a run of the pack entered it.", narrow=_visited,
                choices=YES_NO,
            ),
        },
    ),
    "transitions": ElementKind(
        model=Transition,
        search=("source", "target", "label"),
        filters=COMMON
        | {
            "source": Filter(title="Source", help="From this state.", narrow=_is("source")),
            "target": Filter(title="Target", help="To this state.", narrow=_is("target")),
            "label": Filter(title="Label", help="With this label.", narrow=_is("label")),
            "kind": Filter(title="Kind", help="Of this kind.", narrow=_is("kind")),
        },
    ),
    "artifacts": ElementKind(
        model=Artifact,
        search=("name", "value"),
        filters=COMMON
        | {
            "type": Filter(
                title="Type",
                help="Of this type: a MIME type; `prompt` for the prompts that runs sent; `diff`"
                " for the changes of their calls.",
                narrow=_type,
            ),
            "name": Filter(
                title="Name", help="With this name; of a prompt or diff, the state's name.",
                narrow=_is("name", "fields__state"),
            ),
            "declared": Filter(
                title="Declared", help="Whether the pack declares it, or a run has its value.",
                narrow=lambda rows, person, text: rows.filter(
                    run__isnull=_yes("declared", text)
                ),
                choices=YES_NO,
            ),
            "since": Filter(
                title="From", help="That runs set from this day on (UTC).", narrow=_since,
                type="date",
            ),
            "until": Filter(
                title="Until", help="That runs set up to this day (UTC).", narrow=_until,
                type="date",
            ),
        },
    ),
    "agents": ElementKind(
        model=Agent,
        search=("key", "description"),
        filters=COMMON
        | {
            "key": Filter(title="Key", help="With this key in the pack.", narrow=_is("key")),
            "tag": Filter(title="Tag", help="With this tag on its card.", narrow=_tag),
        },
    ),
}  # fmt: skip
"""Kind of elements, as in the addresses of the API → its model and its query parameters."""
