"""Recorded runs of a pack against the pack as it is now. Works without JavaScript."""

from __future__ import annotations

from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from roles.request_user import request_user
from workflows.core.engine.run import FINISHED
from workflows.errors import CallerError
from workflows.selectors import verified_runs as read
from workflows.selectors.packs import pack_named
from workflows.selectors.runs import runs


@require_GET
def verified_runs(request: HttpRequest, pack: int) -> HttpResponse:
    """The newest ended runs: those that diverge with a drawing, and those that hold."""
    row = pack_named(pack)
    ended = runs(request_user(request), pack=str(pack)).filter(status__in=FINISHED)
    context = {"pack": row, "most": read.MAX_RUNS, "problem": "", "rows": []}
    try:
        context["rows"] = [
            {**one.to_json(), "picture": f"data:image/svg+xml;charset=utf-8,{quote(one.svg)}"}
            for one in read.verified_runs(row, ended)
        ]
    except CallerError as refused:
        context["problem"] = refused.message
    return render(request, "verified_runs.html", context)
