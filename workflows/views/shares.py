"""The page on which an object is shared, and the table of rights. Works without JavaScript."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from roles.request_user import request_user
from roles.rights import Share
from workflows.actions import shares as actions
from workflows.errors import BadRequest, CallerError
from workflows.rights.levels import KINDS, SHAREABLE, shareable
from workflows.rights.summary import summary
from workflows.selectors import shares as read

PAGES = {
    "packs": "editor", "agent-roles": "role", "templates": "template",
    "repositories": "repository",
}  # fmt: skip
"""Kind → page of one object."""


@require_GET
def share(request: HttpRequest, kind: str, id: str) -> HttpResponse:
    """Owner and shares of one object."""
    row, person = shareable(kind, id), request_user(request)
    shown = read.sharing_json(row, person)
    taken = {(one["kind"], one["name"]) for one in shown["shares"]} | {("user", shown["owner"])}
    people = [("user", name) for name in read.active_names()]
    groups = [("group", group["name"]) for group in read.groups_json(person)]
    context = {
        **shown,
        "kind": kind,
        "key": id,
        "word": KINDS[SHAREABLE[kind]].word,
        "choices": [one for one in (*people, *groups) if one not in taken],
        "people": [name for _, name in people],
        "may_hand_over": kind != "triggers",
        "back": _back(kind, id, row),
    }
    return render(request, "share.html", context)


@require_POST
def change_share(request: HttpRequest, kind: str, id: str) -> HttpResponse:
    """The form of the page: all shares, and a new one."""
    row, person = shareable(kind, id), request_user(request)
    try:
        owner = request.POST.get("owner") or None
        actions.set_sharing(row, _shares(request.POST), by=person, owner=owner)
    except CallerError as refused:
        messages.error(request, refused.sentence)
    else:
        messages.success(request, "The sharing was saved.")
    return redirect("share", kind=kind, id=id)


def _shares(form: QueryDict) -> list[Share]:
    """Rows of the form without those that are set to no access. Raises BadRequest."""
    shares = []
    for who, level in zip(form.getlist("who"), form.getlist("level"), strict=False):
        kind, _, name = who.partition(":")
        if not name or level == "none":
            continue
        if kind not in ("user", "group") or level not in actions.LEVELS:
            raise BadRequest("A share names a user or a group, and reading or editing.")
        shares.append(Share(kind=kind, name=name, level=actions.LEVELS[level]))
    return shares


def _back(kind: str, key: str, row: object) -> str:
    """Address of the page that shows the object."""
    if kind in PAGES:
        return reverse(PAGES[kind], args=[key])
    if kind == "triggers":
        return reverse("triggers", args=[getattr(row, "pack_id", 0)])
    return reverse("memories" if kind == "memories" else "settings")


@require_GET
def rights(request: HttpRequest) -> HttpResponse:
    """The table of rights."""
    return render(request, "rights.html", {"rows": summary()})
