"""The list of runs: filters, saved filters, and actions on several runs."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_POST

from roles.request_user import request_user
from workflows.actions.bulk_runs import BulkAction, Outcome, act_on_runs
from workflows.actions.run_marks import delete_filter, save_filter
from workflows.core.engine.run import FINISHED
from workflows.db.integers import fits_integer
from workflows.errors import BadRequest
from workflows.models import Run
from workflows.selectors import runs as run_read
from workflows.selectors.run_lists import FILTERS, GROUPS, LIMITS, costs, sums
from workflows.selectors.run_marks import saved_filters, tags_in_use
from workflows.views.run_files import runs_file
from workflows.views.run_rows import columns, cost_rows, run_row, sums_text

STATUSES = ("running", "paused", "waiting", *FINISHED)
RUNS_PER_PAGE = 100
MAX_CHOSEN = 200
MORE = ("end", "reason", "score_from", *LIMITS)
"""Filters that the page shows on demand."""
ACTIONS: Mapping[str, BulkAction] = {"cancel": "cancel", "retry": "retry"}
DONE = {"cancel": ("Cancelled", "cancelled"), "retry": ("Started", "started again")}


@ensure_csrf_cookie
@require_GET
def runs(request: HttpRequest) -> HttpResponse:
    """The list of runs."""
    filters = {name: request.GET.get(name, "").strip() for name in FILTERS}
    try:
        selected = run_read.runs(request_user(request), **filters)
    except BadRequest as refused:
        messages.error(request, refused.sentence)
        selected = run_read.runs(request_user(request))
    by = request.GET.get("by", "")
    pages = Paginator(selected, RUNS_PER_PAGE)
    page = pages.get_page(request.GET.get("page"))
    rows = run_read.runs_json(page.object_list)
    context = {
        "runs": [{**row, **run_row(row)} for row in rows],
        "columns": columns(filters),
        "sums": sums_text(sums(selected)),
        "groups": [(name, urlencode({**filters, "by": name})) for name in GROUPS],
        "by": by if by in GROUPS else "",
        "costs": cost_rows(costs(selected, by)) if by in GROUPS else [],
        "page": page,
        "query": urlencode(filters),
        "asked": filters,
        "statuses": STATUSES,
        "sources": Run.Source.values,
        "drivers": run_read.drivers(request_user(request)),
        "packs": run_read.packs_with_runs(request_user(request)),
        "tags": tags_in_use(request_user(request)),
        "filters": saved_filters(request_user(request)),
        "more": sum(1 for name in MORE if filters[name]),
        "filtered": urlencode({name: text for name, text in filters.items() if text}),
    }
    return render(request, "runs.html", context)


@require_POST
def act(request: HttpRequest) -> HttpResponseBase:
    """Compare, cancel, retry or export the chosen runs; without a choice, export the whole list."""
    person, wanted = request_user(request), request.POST.get("action", "")
    query = request.POST.get("query", "")
    ids = _chosen(request)
    if wanted in ("csv", "jsonl"):
        filters = QueryDict(query)
        return runs_file(person, wanted, ids, {name: filters.get(name, "") for name in FILTERS})
    if not ids:
        messages.error(request, "Choose runs in the list first.")
    elif wanted == "compare":
        chosen = urlencode([("run", str(id)) for id in ids])
        return redirect(f"{reverse('compare-chosen')}?{chosen}")
    elif (action := ACTIONS.get(wanted)) is not None:
        _report(request, action, act_on_runs(action, ids[:MAX_CHOSEN], person, "person"))
    return redirect(f"{reverse('runs')}?{query}")


def _chosen(request: HttpRequest) -> list[uuid.UUID]:
    ids = []
    for text in request.POST.getlist("run"):
        try:
            ids.append(uuid.UUID(text))
        except ValueError:
            continue
    return ids


def _report(request: HttpRequest, action: BulkAction, outcomes: list[Outcome]) -> None:
    """A message about the runs that were acted on, and one for each different refusal."""
    done = sum(1 for one in outcomes if not one.message)
    if done:
        count = "1 run" if done == 1 else f"{done} runs"
        messages.success(request, f"{DONE[action][0]} {count}.")
    refusals: dict[str, int] = {}
    for one in outcomes:
        if one.message:
            refusals[one.message] = refusals.get(one.message, 0) + 1
    for message, number in refusals.items():
        which = "1 run was" if number == 1 else f"{number} runs were"
        messages.error(request, f"{which} not {DONE[action][1]}: {message}")


@require_POST
def filters(request: HttpRequest) -> HttpResponse:
    """Save the filters of the list under a name, or delete a saved one."""
    person, query = request_user(request), request.POST.get("query", "")
    gone = request.POST.get("delete", "")
    if gone:
        if fits_integer(gone):
            delete_filter(person, int(gone))
    else:
        try:
            saved = save_filter(person, request.POST.get("name", ""), query)
            messages.success(request, f"Saved the filter “{saved.name}”.")
        except BadRequest as refused:
            messages.error(request, refused.sentence)
    return redirect(f"{reverse('runs')}?{query}")
