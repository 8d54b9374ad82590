"""Cases and recorded runs of a pack against the pack as it is now. Works without JavaScript."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from roles.request_user import request_user
from roles.rights import Level, level_of
from roles.views.form_data import number
from workflows.actions import cases as actions
from workflows.actions import proposals
from workflows.core.engine.run import FINISHED
from workflows.errors import CallerError
from workflows.models import Pack
from workflows.selectors import proposals as waiting
from workflows.selectors import verified_runs as read
from workflows.selectors.packs import pack_named
from workflows.selectors.runs import runs

MOST_PROPOSALS = 5
"""Pending proposals whose verdicts a page computes."""


@require_GET
def verified_runs(request: HttpRequest, pack: int) -> HttpResponse:
    """The cases, and the newest ended runs: those that diverge with a drawing, and those that
    hold."""
    row = pack_named(pack)
    ended = runs(request_user(request), pack=str(pack)).filter(status__in=FINISHED)
    context = {
        "pack": row,
        "may_edit": level_of(request_user(request), row) >= Level.EDIT,
        "most": read.MAX_RUNS,
    }
    try:
        context["cases"], verified = read.verified(row, ended)
        context["proposals"] = _with_proposals(row, request) if context["cases"] else []
        context["rows"] = [
            {**one.to_json(), "picture": f"data:image/svg+xml;charset=utf-8,{quote(one.svg)}"}
            for one in verified
        ]
    except CallerError as refused:
        context["problem"] = refused.message
    return render(request, "verified_runs.html", context)


def _with_proposals(pack: Pack, request: HttpRequest) -> list[dict[str, Any]]:
    """The newest pending proposals, each with the verdicts on the cases if it is accepted."""
    user = request_user(request)
    rows = waiting.proposals(pack, waiting.PENDING)[:MOST_PROPOSALS]
    found = [proposals.review(pack.pk, row.pk, user, quick=True) for row in rows]
    return [
        {"row": one.proposal, "cases": one.consequences.cases} for one in found if one.consequences
    ]


@require_POST
def change_cases(request: HttpRequest, pack: int) -> HttpResponse:
    """A form of the page, chosen by `do`."""
    form, user = request.POST, request_user(request)
    case, name = form.get("case", ""), form.get("name", "")
    try:
        match form.get("do"):
            case "rename":
                actions.rename(pack, case, name, user)
                messages.success(request, f"The case is now {name}.")
            case "delete":
                actions.delete(pack, case, user)
                messages.success(request, "The case was deleted. Undo in the editor restores it.")
            case "accept":
                row = waiting.proposal_named(pack_named(pack), number(form.get("proposal")) or 0)
                change = proposals.accept(pack, row.pk, waiting.pending_parts(row), user)
                messages.success(request, f"The proposal was accepted as r{change.revision}.")
            case _:
                messages.error(request, "Unknown form.")
    except CallerError as refused:
        messages.error(request, refused.sentence)
    return redirect("verified-runs", pack=pack)
