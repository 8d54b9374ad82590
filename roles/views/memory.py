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
from roles.errors import BadRequest, RoleError
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
    asked = {name: query(request, name) for name in ASKED}
    if asked["scope"] not in SCOPES:
        asked["scope"] = ""
    rows = read.memories(
        who,
        role=number(asked["role"]),
        project=asked["project"],
        scope=asked["scope"],
        query=asked["q"],
    ).select_related("role")
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    written = {name: text(sent, name) for name in WRITTEN} if sent else {}
    context = {
        "facts": page.object_list,
        "page": page,
        "query": urlencode(asked),
        "asked": asked,
        "any": any(asked.values()),
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
    given, who = request.POST, request_user(request)
    try:
        match given.get("do"):
            case "add":
                actions.create(
                    scope=_scope(given),
                    role=number(given.get("role")),
                    project=_project(given),
                    by=who,
                    **_fact(given),
                )
                messages.success(request, "It is remembered.")
            case "change":
                actions.change(number(given.get("memory")) or 0, who, **_fact(given))
                messages.success(request, "The fact was changed.")
            case "delete":
                actions.delete(number(given.get("memory")) or 0, who)
                messages.success(request, "The fact was deleted.")
            case _:
                raise BadRequest("Unknown form.")
    except RoleError as refused:
        complain(request, refused)
        if given.get("do") in ("add", "change"):
            return _page(request, given)
    back = urlencode({name: value for name, value in request.GET.items() if name in ASKED})
    return redirect(f"{reverse('memories')}?{back}" if back else "memories")


def _scope(given: QueryDict) -> Any:
    scope = given.get("scope", "")
    if scope not in SCOPES:
        raise BadRequest(f"The scope is one of {', '.join(SCOPES)}.", where="scope")
    return scope


def _project(given: QueryDict) -> str:
    project = text(given, "project").strip()
    if not plain(project):
        raise BadRequest("A project's name is plain text.", where="project")
    return project


def _fact(given: QueryDict) -> dict[str, Any]:
    """The fact in a form. Raises BadRequest."""
    entered = text(given, "confidence").strip() or str(DEFAULT_CONFIDENCE)
    try:
        confidence = float(entered)
    except ValueError:
        raise BadRequest(
            f"{entered[:40]!r} is no number from 0 to 1.", where="confidence"
        ) from None
    return {
        "fact": text(given, "fact").strip(),
        "category": text(given, "category").strip(),
        "confidence": confidence,
    }
