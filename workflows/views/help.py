"""The documentation in the app. It needs no sign-in, because signing in is a part of it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from workflows.help.pages import files, pages, search
from workflows.help.presentation import context

TYPES = {
    "md": "text/markdown; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "yaml": "text/plain; charset=utf-8",
    "png": "image/png",
}


@login_not_required
@require_GET
def help_page(request: HttpRequest, address: str = "") -> HttpResponse:
    """One page; with `q`, the pages that have these words."""
    if address not in pages():
        raise Http404(f"There is no page {address!r}.")
    q = request.GET.get("q", "").strip()
    results = search(q) if q else None
    return render(request, "help.html", context(address) | {"q": q, "results": results})


@login_not_required
@require_GET
def help_file(request: HttpRequest, name: str) -> HttpResponseBase:
    """A picture, the Markdown of a page, the document of the API, or the list for models."""
    if name in pages():
        return redirect("help", name)
    content = files().get(name)
    if content is None:
        raise Http404(f"There is no file {name!r}.")
    return HttpResponse(content, TYPES[name.rpartition(".")[2]])
