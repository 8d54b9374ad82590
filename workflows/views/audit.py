"""The audit log, for staff. Works without JavaScript."""

from __future__ import annotations

from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET

from workflows.responses.audit_file import exported
from workflows.selectors import audit as read

PER_PAGE = 100


@require_GET
def audit(request: HttpRequest) -> HttpResponse:
    """Entries, newest first, filtered."""
    filters = read.filters(request.GET.dict())
    page = Paginator(read.entries(**filters), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "entries": page.object_list,
        "page": page,
        "asked": filters,
        "query": urlencode({name: value for name, value in filters.items() if value}),
    }
    return render(request, "audit.html", context)


@require_GET
def export(request: HttpRequest) -> HttpResponseBase:
    """The filtered log as a file (`?as=csv` or `jsonl`)."""
    return exported(request.GET.dict())
