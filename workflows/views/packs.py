"""Gallery, editor, list of runs, and one run."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from workflows.actions import packs as actions
from workflows.core.dialects import dialects
from workflows.core.engine.run import FINISHED
from workflows.core.pack.files import BadFiles
from workflows.errors import CallerError
from workflows.models import Run
from workflows.security.uploads import read_pasted, read_upload
from workflows.selectors import packs as read
from workflows.selectors import runs as run_read
from workflows.views.thumbnails import drawing

STATUSES = ("running", "paused", "waiting", *FINISHED)
PER_PAGE = 48
RUNS_PER_PAGE = 100
ASKED = ("pack", "status", "driver", "source", "q")
"""Query parameters of the list of runs."""


@ensure_csrf_cookie
@require_http_methods(["GET", "POST"])
def gallery(request: HttpRequest) -> HttpResponse:
    """Every pack as a card; a POST imports files, a zip or a text."""
    if request.method == "POST":
        return _import(request)
    q, dialect = request.GET.get("q", "").strip(), request.GET.get("dialect", "")
    pages = Paginator(read.packs(q, dialect), PER_PAGE)
    page = pages.get_page(request.GET.get("page"))
    cards = read.cards(page.object_list)
    for card in cards:
        card["drawing"] = drawing(card["thumbnail"])
    context: dict[str, Any] = {
        "cards": cards,
        "page": page,
        "query": urlencode({"q": q, "dialect": dialect}),
        "q": q,
        "dialect": dialect,
        "dialects": dialects().values(),
        "samples": read.samples(),
    }
    return render(request, "gallery.html", context)


def _import(request: HttpRequest) -> HttpResponse:
    try:
        files = request.FILES.getlist("files")
        if files:
            tree = read_upload(files, request.POST.getlist("paths"))
        else:
            # Forms send every line end as CRLF.
            text = request.POST.get("text", "").replace("\r\n", "\n")
            tree = read_pasted(text, request.POST.get("name", "").strip())
        taken = actions.import_files(tree, owner=request.user)  # type: ignore[arg-type]
    except (CallerError, BadFiles) as refused:
        messages.error(request, " ".join(filter(None, (refused.message, refused.hint))))
        return redirect("gallery")
    if len(taken.packs) == 1:
        return redirect("editor", pack=taken.packs[0].pk)
    messages.success(request, f"{len(taken.packs)} packs were imported.")
    return redirect("gallery")


@require_POST
def new_pack(request: HttpRequest) -> HttpResponse:
    """Create a pack from a sample, or an empty one of a dialect."""
    owner: Any = request.user
    try:
        if sample := request.POST.get("sample", ""):
            pack = actions.create_from_sample(sample, owner=owner)
        else:
            name = request.POST.get("name", "").strip() or "New pack"
            pack = actions.create(request.POST.get("dialect", ""), name=name, owner=owner)
    except CallerError as refused:
        messages.error(request, refused.message)
        return redirect("gallery")
    return redirect("editor", pack=pack.pk)


@require_POST
def delete_pack(request: HttpRequest, pack: int) -> HttpResponse:
    """Delete a pack."""
    name = read.pack_named(pack).name
    actions.delete(pack)
    messages.success(request, f"{name} was deleted.")
    return redirect("gallery")


@ensure_csrf_cookie
@require_GET
def editor(request: HttpRequest, pack: int) -> HttpResponse:
    """The canvas of one pack."""
    return render(request, "editor.html", {"pack": read.pack_named(pack)})


@ensure_csrf_cookie
@require_GET
def runs(request: HttpRequest) -> HttpResponse:
    """The list of runs."""
    asked = {name: request.GET.get(name, "").strip() for name in ASKED}
    pages = Paginator(run_read.runs(**asked), RUNS_PER_PAGE)
    page = pages.get_page(request.GET.get("page"))
    context = {
        "runs": run_read.runs_json(page.object_list),
        "page": page,
        "query": urlencode(asked),
        "asked": asked,
        "statuses": STATUSES,
        "sources": Run.Source.values,
        "drivers": run_read.drivers(),
        "packs": run_read.packs_with_runs(),
    }
    return render(request, "runs.html", context)


@ensure_csrf_cookie
@require_GET
def run(request: HttpRequest, run: uuid.UUID) -> HttpResponse:
    """The canvas, read-only, with a run in it."""
    return render(request, "run.html", {"run": run_read.run_named(run)})
