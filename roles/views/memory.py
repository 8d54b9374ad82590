"""Memory of roles: search, create, correct, delete. Works without JavaScript."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from roles.actions import memory as actions
from roles.core.json_limits import plain
from roles.core.memory import SCOPES
from roles.core.memory_tools import DEFAULT_CONFIDENCE
from roles.errors import BadRequest, CallerError
from roles.request_user import request_user
from roles.selectors import memory as read
from roles.selectors.roles import roles
from roles.views.form_data import complain, number, query, text

PER_PAGE = 100
ASKED = ("q", "role", "project", "scope")
"""Query parameters of the list."""
WRITTEN = ("scope", "role", "project", "fact", "category", "confidence")


@require_GET
def memories(request: HttpRequest) -> HttpResponse:
    """Facts, newest first."""
    return _page(request)


def _page(request: HttpRequest, sent: QueryDict | None = None) -> HttpResponse:
    """The page. `sent`: a refused form, shown with its values."""
    who = request_user(request)
    filters = {name: query(request, name) for name in ASKED}
    if filters["scope"] not in SCOPES:
        filters["scope"] = ""
    rows = read.memories(
        who,
        role=number(filters["role"]),
        project=filters["project"],
        scope=filters["scope"],
        query=filters["q"],
    ).select_related("role")
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    written = {name: text(sent, name) for name in WRITTEN} if sent else {}
    context = {
        "facts": page.object_list,
        "page": page,
        "query": urlencode(filters),
        "asked": filters,
        "any": any(filters.values()),
        "scopes": SCOPES,
        "roles": roles(who),
        "projects": read.projects(who),
        "written": written if sent and sent.get("do") == "add" else {},
        "refused": {**written, "id": number(sent.get("memory"))} if sent else {},
        "usual": DEFAULT_CONFIDENCE,
    }
    return render(request, "roles_memory.html", context)


@require_POST
def change_memories(request: HttpRequest) -> HttpResponse:
    """A form of the page, chosen by `do`."""
    form, who = request.POST, request_user(request)
    try:
        match form.get("do"):
            case "add":
                actions.create(
                    scope=_scope(form),
                    role=number(form.get("role")),
                    project=_project(form),
                    by=who,
                    **_fact(form),
                )
                messages.success(request, "The fact was added.")
            case "change":
                actions.change(number(form.get("memory")) or 0, who, **_fact(form))
                messages.success(request, "The fact was changed.")
            case "delete":
                actions.delete(number(form.get("memory")) or 0, who)
                messages.success(request, "The fact was deleted.")
            case _:
                raise BadRequest("Unknown form.")
    except CallerError as refused:
        complain(request, refused)
        if form.get("do") in ("add", "change"):
            return _page(request, form)
    back = urlencode({name: value for name, value in request.GET.items() if name in ASKED})
    return redirect(f"{reverse('memories')}?{back}" if back else "memories")


def _scope(form: QueryDict) -> Any:
    scope = form.get("scope", "")
    if scope not in SCOPES:
        raise BadRequest(f"The scope is one of {', '.join(SCOPES)}.", where="scope")
    return scope


def _project(form: QueryDict) -> str:
    project = text(form, "project").strip()
    if not plain(project):
        raise BadRequest("A project's name is plain text.", where="project")
    return project


def _fact(form: QueryDict) -> dict[str, Any]:
    """The fact in a form. Raises BadRequest."""
    entered = text(form, "confidence").strip() or str(DEFAULT_CONFIDENCE)
    try:
        confidence = float(entered)
    except ValueError:
        raise BadRequest(
            f"{entered[:40]!r} is not a number from 0 to 1.", where="confidence"
        ) from None
    return {
        "fact": text(form, "fact").strip(),
        "category": text(form, "category").strip(),
        "confidence": confidence,
    }
