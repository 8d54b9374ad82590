"""The list of roles, and the editor of one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_POST

from roles.actions import roles as actions
from roles.actions.copies import free_name, provide
from roles.core.new_role import COLOR, blank_config
from roles.core.preview import TASKS
from roles.core.template_choice import STEP_KINDS, TRIGGERS, select
from roles.errors import BadRequest, CallerError, NotThere
from roles.models import Role
from roles.request_user import request_user
from roles.selectors import roles as read
from roles.selectors.modes import modes
from roles.views.form_data import complain, number, query, text

BLANK = "blank"


@ensure_csrf_cookie
@require_GET
def roles(request: HttpRequest) -> HttpResponse:
    """A user's roles and the system roles; `q` filters both."""
    return _page(request)


def _page(request: HttpRequest, sent: QueryDict | None = None) -> HttpResponse:
    """The page. `sent`: a refused form, shown with its values."""
    who = request_user(request)
    provide(who)
    q = query(request, "q")
    system = list(read.roles(who, "system", q))
    mine = list(read.roles(who, "own", q).annotate(remembered=Count("memories", distinct=True)))
    sources = {row.pk: row for row in read.roles(who, "system")}
    context = {
        "q": q,
        "mine": [
            {
                "role": row,
                "source": sources.get(row.source_role_id or 0),
                "remembered": row.remembered,
                "lost": lost(row, sources.get(row.source_role_id or 0), row.remembered),
            }
            for row in mine
        ],
        "system": system,
        "shared": read.roles(who, "shared", q),
        "starts": {"system": list(sources.values()), "mine": read.roles(who, "own")},
        "written": {name: text(sent, name) for name in ("name", "from")} if sent else {},
    }
    return render(request, "roles.html", context)


def lost(row: Role, source: Role | None, remembered: int) -> str:
    """Description of what deleting a role removes permanently; "" for an unchanged copy."""
    losses = []
    if source is None:
        losses.append("Its prompts exist nowhere else.")
    elif _own_words(row) != _own_words(source):
        losses.append(
            "Your changes will be lost; the copy created at your next sign-in "
            "is the system role as it ships."
        )
    if row.revision > 1:
        losses.append(f"Its {row.revision} revisions will be deleted.")
    if remembered:
        facts = "The fact" if remembered == 1 else f"The {remembered} facts"
        losses.append(f"{facts} in its own memory will be deleted.")
    return " ".join(losses)


def _own_words(row: Role) -> tuple[Any, ...]:
    return row.prompt_config, row.description, row.color


@require_POST
def change_roles(request: HttpRequest) -> HttpResponse:
    """A form of the pages, chosen by `do`: new, copy, delete."""
    form, who = request.POST, request_user(request)
    try:
        match form.get("do"):
            case "new":
                return redirect("role", role=_new(form, who).pk)
            case "copy":
                source = read.readable_role(_chosen(form), who)
                made = _made(who, free_name(who, source.name), source)
                messages.success(request, f"This is your own {made.name}: change what you like.")
                return redirect("role", role=made.pk)
            case "delete":
                row = read.readable_role(_chosen(form), who)
                actions.delete(row.pk, who)
                messages.success(request, f"{row.name} was deleted.")
            case _:
                raise BadRequest("Unknown form.")
    except CallerError as refused:
        complain(request, refused)
        if form.get("do") == "new":
            return _page(request, form)
    return redirect("roles")


def _new(form: QueryDict, who: Any) -> Role:
    """Create the role in the form. Raises Invalid, NameTaken and NotThere."""
    start = form.get("from", BLANK)
    name = text(form, "name").strip()
    source = None if start == BLANK else read.readable_role(_number(start), who)
    return _made(who, name or free_name(who, source.name if source else "New role"), source)


def _made(who: Any, name: str, source: Role | None) -> Role:
    fields: dict[str, Any] = {"name": name, "color": COLOR, "prompt_config": blank_config()}
    if source is not None:
        fields |= {
            "description": source.description,
            "color": source.color,
            "platform_scopes": source.platform_scopes,
            "prompt_config": source.prompt_config,
        }
    return actions.create(fields, who)


def _chosen(form: QueryDict) -> int:
    return _number(form.get("role"))


def _number(value: str | None) -> int:
    pk = number(value)
    if pk is None:
        raise NotThere("There is no such role.")
    return pk


@ensure_csrf_cookie
@require_GET
def role(request: HttpRequest, role: int) -> HttpResponse:
    """The editor of one role: its texts on the left, the preview on the right."""
    who = request_user(request)
    row = read.readable_role(role, who)
    context = {
        "role": row,
        "editor": {
            "id": row.pk,
            "kinds": [kind for kind in STEP_KINDS if task_of(kind, "ticket")],
            "triggers": list(TRIGGERS),
            "tasks": {
                kind: {trigger: task_of(kind, trigger) for trigger in TRIGGERS}
                for kind in STEP_KINDS
                if task_of(kind, "ticket")
            },
            "modes": [{"id": one.pk, "name": one.name} for one in modes(who)],
        },
    }
    return render(request, "role.html", context)


def task_of(kind: Any, trigger: Any) -> str | None:
    """The `task_type` of a preview for a step of this kind in a run with this trigger, if no
    template is missing."""
    return select(kind, trigger, dict.fromkeys(TASKS, "x")).template
