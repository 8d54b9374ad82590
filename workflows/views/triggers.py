"""Webhooks and schedules of a pack: create, test, change, delete. Works without JavaScript."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from roles.request_user import request_user
from workflows.actions import triggers as actions
from workflows.core.triggers.schedule import zone
from workflows.db.integers import fits_integer, integer_or_zero
from workflows.errors import BadRequest, CallerError
from workflows.models import Pack
from workflows.runner.drivers import drivers
from workflows.runner.webhooks import ATTENDED_DRIVERS, check_run_options, start_test_run
from workflows.selectors import triggers as read
from workflows.selectors.connections import connections
from workflows.selectors.packs import inputs, pack_named
from workflows.selectors.revisions import revisions

WHOLE_BODY = "*"
KINDS = ("webhook", "schedule")
"""Text in the form for the empty JSON Pointer, which takes the whole body."""
MODES = {
    "": "no mode",
    "PLANNING": "Planning: no commands, files below docs/ only, requests that only read",
    "IMPLEMENTATION": "Implementation: roles may change code",
}
MISSED = {"once": "start one run afterwards", "skip": "let it pass"}
OVERLAPS = {
    "skip": "start no run",
    "replace": "cancel it and start the next run",
    "allow": "start another run",
}


@never_cache
@require_GET
def triggers(request: HttpRequest, pack: int) -> HttpResponse:
    """All triggers of a pack."""
    return _page(request, pack_named(pack))


def _page(
    request: HttpRequest, pack: Pack, sent: QueryDict | None = None, **shown_once: Any
) -> HttpResponse:
    """The page. `sent`: a refused form, shown with its values."""
    needed, connection_rows = (
        {kind: inputs(pack, kind) for kind in KINDS},
        connections(request_user(request)),
    )
    written = _written(sent) if sent is not None else {}
    rows = [
        {
            **read.trigger_json(row),
            **_shown(request, row, needed[row.kind]),
            **(written if written.get("trigger") == row.pk else {}),
        }
        for row in read.triggers(pack, request_user(request))
    ]
    blank = {
        kind: {
            "rows": _input_rows(names, {}, {}),
            "follows_value": "pinned",
            "timezone": "UTC",
        }
        for kind, names in needed.items()
    }
    context = {
        **shown_once,
        "pack": pack,
        "triggers": rows,
        "new": {kind: written if written.get("adds") == kind else blank[kind] for kind in KINDS},
        "drivers": _drivers(bool(connection_rows)),
        "connections": connection_rows,
        "named": revisions(pack).exclude(name="")[:50],
        "missed": MISSED.items(),
        "overlaps": OVERLAPS.items(),
        "modes": MODES.items(),
        "commands": settings.SIGNALBOX_COMMANDS,
        "rate": settings.SIGNALBOX_WEBHOOK_RATE,
    }
    return render(request, "triggers.html", context)


def _drivers(has_connections: bool) -> list[Any]:
    """Drivers, the most likely one first: a model, if a connection exists."""
    order = ["model", "rehearsal"] if has_connections else ["rehearsal", "model"]
    available = [one for name, one in drivers().items() if name not in ATTENDED_DRIVERS]
    return sorted(available, key=lambda one: order.index(one.name) if one.name in order else 9)


def _written(sent: QueryDict) -> dict[str, Any]:
    """A form as it was sent, in the shape that `trigger_fields.html` shows."""
    rows = [
        {"name": name, "value": value, "takes": takes, "fixed": ""}
        for name, value, takes in _rows(sent)
    ]
    return {
        **{
            name: sent.get(name, "")
            for name in ("name", "driver", "callback", "cron", "timezone", "missed", "overlap")
        },
        "options": {
            name: sent.get(name, "") for name in ("connection", "model", "mode", "deny", "commands")
        },
        "follows_value": sent.get("follows", ""),
        "rows": [*rows, {"name": "", "value": "", "takes": "", "fixed": ""}],
        "adds": sent.get("kind", "") if sent.get("do") == "add" else "",
        "trigger": integer_or_zero(sent.get("trigger")),
        "refused": True,
    }


def _rows(form: QueryDict) -> list[tuple[str, str, str]]:
    """Name, value and pointer of each input that has a name."""
    columns = (form.getlist(name) for name in ("input", "value", "takes"))
    return [(name, value, takes) for name, value, takes in zip(*columns, strict=False) if name]


def _in_words(times: list[str], place: str) -> list[str]:
    """Due times in the schedule's own time zone."""
    there = [datetime.fromisoformat(time).astimezone(zone(place)) for time in times]
    return [f"{time:%a} {time.day} {time:%b %H:%M}" for time in there]


def _shown(request: HttpRequest, row: Any, needed: list[str]) -> dict[str, Any]:
    options = row.options
    return {
        "rows": _input_rows(needed, options.get("inputs") or {}, row.takes),
        "address": request.build_absolute_uri(f"{settings.ROOT_PATH}api/v1/hooks/{row.address}/"),
        "follows_value": str(row.revision) if row.follows == "pinned" else row.follows,
        "next_words": _in_words(read.next_times(row), row.timezone),
        "mine": row.owner_id == request.user.pk,
        "runs": _revision(row),
    }


def _revision(row: Any) -> str:
    """Description of the revision that runs now."""
    try:
        number = read.revision_of(row)
    except CallerError as none:
        return none.message
    words = {"pinned": "pinned", "named": "the newest with a name", "newest": "the newest"}
    return f"r{number}, {words[row.follows]}"


def _input_rows(
    needed: list[str], values: dict[str, str], takes: dict[str, str]
) -> list[dict[str, str]]:
    """A row for each required or set input, and an empty one."""
    names = [*dict.fromkeys([*needed, *values, *takes]), ""]
    return [
        {
            "name": name,
            "fixed": "yes" if name in needed else "",
            "value": values.get(name, ""),
            "takes": (takes[name] or WHOLE_BODY) if name in takes else "",
        }
        for name in names
    ]


@never_cache
@sensitive_post_parameters()
@require_POST
def change_triggers(request: HttpRequest, pack: int) -> HttpResponse:
    """A form of the page, chosen by `do`. A secret is shown in this response only."""
    of = pack_named(pack)
    try:
        shown_once = _change(request, of)
    except CallerError as refused:
        messages.error(request, refused.sentence)
        if request.POST.get("do") in ("add", "change"):
            return _page(request, of, request.POST)
        shown_once = {}
    if shown_once:
        return _page(request, of, **shown_once)
    return redirect(reverse("triggers", args=[pack]))


def _change(request: HttpRequest, pack: Pack) -> dict[str, Any]:
    """Carry out a form. Returns the secret to show once. Raises CallerError."""
    form, user = request.POST, request.user
    what = form.get("do")
    if what == "add":
        wanted = _wanted(form)
        owner = request_user(request)
        check_run_options(pack, wanted["driver"], wanted["options"], owner, wanted["takes"])
        kind = str(form.get("kind", ""))
        row, secret = actions.create(pack, kind=kind, by=user, **wanted)  # type: ignore[arg-type]
        return {"fresh": row, "fresh_secret": secret} if secret else _say(request, row, "was added")
    row = read.trigger_numbered(integer_or_zero(form.get("trigger")))
    match what:
        case "change":
            wanted = _wanted(form, row.options)
            check_run_options(pack, wanted["driver"], wanted["options"], row.owner, wanted["takes"])
            actions.change(row.pk, by=user, **wanted)  # type: ignore[arg-type]
            return _say(request, row, "was changed")
        case "enable" | "disable":
            actions.change(row.pk, by=user, enabled=what == "enable")  # type: ignore[arg-type]
            return _say(request, row, f"is {'on' if what == 'enable' else 'off'}")
        case "secret":
            row, secret = actions.new_secret(row.pk)
            return {"fresh": row, "fresh_secret": secret}
        case "try":
            fired = start_test_run(row, form.get("body", "").replace("\r\n", "\n").encode())
            return {"tried": fired.run, "tried_name": row.name}
        case "delete":
            actions.delete(row.pk)
            return _say(request, row, "was deleted; its runs stay")
        case _:
            raise BadRequest("Unknown form.")


def _say(request: HttpRequest, row: Any, what: str) -> dict[str, Any]:
    messages.success(request, f"The trigger {row.name} {what}.")
    return {}


def _wanted(form: QueryDict, before: dict[str, Any] | None = None) -> dict[str, Any]:
    """Values of a form, by the names of `actions.create`. Options without a field are kept."""
    follows = str(form.get("follows", "newest"))
    rows = [row for row in _rows(form) if row[0].strip()]
    options = {
        **{name: value for name, value in (before or {}).items() if name in ("budget", "seed")},
        "inputs": {name.strip(): value for name, value, _ in rows if value},
        **{name: str(form[name]) for name in ("connection", "model", "mode") if form.get(name)},
        **{name: True for name in ("commands", "deny") if form.get(name) == "on"},
    }
    wanted: dict[str, Any] = {
        "name": str(form.get("name", "")),
        "driver": str(form.get("driver", "")),
        "options": options,
        "takes": {
            name.strip(): "" if pointer.strip() == WHOLE_BODY else pointer.strip()
            for name, _, pointer in rows
            if pointer.strip()
        },
        "follows": "pinned" if fits_integer(follows) else follows,
        **{
            name: str(form[name])
            for name in ("callback", "cron", "timezone", "missed", "overlap")
            if name in form
        },
    }
    if fits_integer(follows):
        wanted["revision"] = int(follows)
    return wanted
