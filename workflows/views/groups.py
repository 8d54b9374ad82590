"""Groups of users, for staff: create, change, delete. Works without JavaScript."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from roles.request_user import request_user
from workflows.actions import shares as actions
from workflows.db.integers import integer_or_zero
from workflows.errors import CallerError
from workflows.selectors import shares as read


@require_GET
def groups(request: HttpRequest) -> HttpResponse:
    """Every group with its members."""
    context = {"groups": read.groups_json(request_user(request)), "people": read.active_names()}
    return render(request, "groups.html", context)


@require_POST
def change_groups(request: HttpRequest) -> HttpResponse:
    """A form of the page, chosen by `do`."""
    form = request.POST
    number, name = integer_or_zero(form.get("group")), form.get("name", "")
    members = form.getlist("member")
    try:
        match form.get("do"):
            case "add":
                actions.create_group(name, members)
                messages.success(request, "The group was added.")
            case "change":
                actions.change_group(number, name, members)
                messages.success(request, "The group was changed.")
            case "delete":
                actions.delete_group(number)
                messages.success(request, "The group was deleted.")
            case _:
                messages.error(request, "Unknown form.")
    except CallerError as refused:
        messages.error(request, refused.sentence)
    return redirect("groups")
