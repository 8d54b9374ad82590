"""Gallery, editor, and one run."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from roles.request_user import request_user
from workflows.actions import packs as actions
from workflows.core.dialects import dialects
from workflows.core.pack.files import BadFiles
from workflows.errors import CallerError
from workflows.opened_packs.pack_names import name_in_files
from workflows.repos.imports import ImportRequest, import_commit
from workflows.repos.repository import allowed_roots
from workflows.security.uploads import read_pasted, read_upload
from workflows.selectors import gallery as gallery_read
from workflows.selectors import packs as read
from workflows.selectors import runs as run_read
from workflows.selectors import thumbnails as thumbnail_read
from workflows.selectors.opened_folder import checkout_of, opened_folder
from workflows.selectors.samples import blank_packs, by_job, sample_document
from workflows.selectors.shares import several_people
from workflows.selectors.sources import opened

PER_PAGE = 48
KEPT = ("q", "dialect", "folder", "group", "sort")
"""Query parameters of the gallery."""


@ensure_csrf_cookie
@require_http_methods(["GET", "POST"])
def gallery(request: HttpRequest) -> HttpResponse:
    """Every pack as a card; a POST imports files, a zip, a text or a commit."""
    if request.method == "POST":
        return _import(request)
    listing = _listing(request)
    person = request_user(request)
    folder_here = opened_folder()
    pages = Paginator(listing.packs(person), PER_PAGE)
    page = pages.get_page(request.GET.get("page"))
    searched = bool(listing.q or listing.dialect or listing.folder is not None)
    groups = gallery_read.groups_of(listing, page.object_list, person) if pages.count else []
    context: dict[str, Any] = {
        "groups": groups,
        "page": page,
        "query": urlencode({key: value for key in KEPT if (value := request.GET.get(key))}),
        "here": request.get_full_path(),
        "listing": listing,
        "searched": searched,
        "dialects": dialects().values(),
        "folders": gallery_read.folders(person),
        "sorts": [(value, label) for value, (label, _) in gallery_read.SORTS.items()],
        "groupings": [
            (value, label)
            for value, (label, _) in gallery_read.GROUPS.items()
            if value != "owner" or several_people()
        ],
        "first_visit": not searched and gallery_read.is_first_visit(person),
        "jobs": by_job() if not groups and not searched else [],
        "repositories": allowed_roots(),
        "opened_folder": folder_here,
        "checkout": checkout_of(folder_here) if folder_here else "",
        "deleted": gallery_read.deleted(person),
    }
    return render(request, "gallery.html", context)


def _listing(request: HttpRequest) -> gallery_read.Listing:
    """The query. Grouping and order are kept for the session."""
    chosen = request.session.get("gallery", {})
    now = {name: request.GET.get(name, chosen.get(name, "")) for name in ("group", "sort")}
    if now != {name: chosen.get(name, "") for name in now}:
        request.session["gallery"] = now
    return gallery_read.Listing(
        q=request.GET.get("q", "").strip(),
        dialect=request.GET.get("dialect", ""),
        folder=request.GET.get("folder") or None,
        group=now["group"],
        sort=now["sort"],
    )


def _import(request: HttpRequest) -> HttpResponse:
    try:
        taken = _imported(request)
    except (CallerError, BadFiles) as refused:
        messages.error(request, " ".join(filter(None, (refused.message, refused.hint))))
        return redirect("gallery")
    if len(taken.packs) == 1:
        return redirect("editor", pack=taken.packs[0].pk)
    messages.success(request, f"{len(taken.packs)} packs were imported.")
    return redirect("gallery")


def _imported(request: HttpRequest) -> actions.Imported:
    """Packs of the form: of a repository, of uploaded files, or of a text."""
    owner: Any = request.user
    if repository := request.POST.get("repository", "").strip():
        wanted = ImportRequest(
            repository=Path(repository),
            ref=request.POST.get("ref", "").strip() or "HEAD",
            path=request.POST.get("path", "").strip(),
        )
        return import_commit(wanted, owner)
    files = request.FILES.getlist("files")
    if files:
        tree = read_upload(files, request.POST.getlist("paths"))
    else:
        # Forms send every line end as CRLF.
        text = request.POST.get("text", "").replace("\r\n", "\n")
        tree = read_pasted(text, request.POST.get("name", "").strip())
    return actions.import_files(tree, owner=owner)


@ensure_csrf_cookie
@require_http_methods(["GET", "POST"])
def new_pack(request: HttpRequest) -> HttpResponse:
    """The page of dialects and templates; a POST creates a pack from a sample, or an empty one of a
    dialect."""
    if request.method == "GET":
        return render(request, "new_pack.html", {"blank": blank_packs(), "jobs": by_job()})
    owner: Any = request.user
    name = request.POST.get("name", "").strip()
    try:
        if sample := request.POST.get("sample", ""):
            pack = actions.create_from_sample(sample, owner=owner, name=name)
        else:
            dialect = request.POST.get("dialect", "")
            pack = actions.create(dialect, name=name or "New pack", owner=owner)
    except CallerError as refused:
        messages.error(request, refused.message)
        return redirect("new-pack")
    return redirect("editor", pack=pack.pk)


@require_http_methods(["GET", "POST"])
def rename_pack(request: HttpRequest, pack: int) -> HttpResponse:
    """The form of a pack's name and folder."""
    row, name, folder = read.pack_named(pack), request.POST.get("name"), request.POST.get("folder")
    problem = ""
    if request.method == "POST":
        try:
            in_files = request.POST.get("in_files") == "yes"
            author = request_user(request)
            actions.change(pack, name=name, folder=folder, in_files=in_files, author=author)
        except CallerError as refused:
            problem = refused.message
        else:
            return _back(request, pack)
    context = {
        "pack": row,
        "row_name": row.name,
        "name": row.name if name is None else name,
        "folder": row.folder if folder is None else folder,
        "folders": gallery_read.folders(request_user(request)),
        "file_name": name_in_files(opened(row)),
        "problem": problem,
        "back": request.GET.get("back", settings.ROOT_PATH),
    }
    return render(request, "rename_pack.html", context, status=400 if problem else 200)


@require_POST
def duplicate_pack(request: HttpRequest, pack: int) -> HttpResponse:
    """Duplicate a pack and open the copy."""
    return redirect("editor", pack=actions.duplicate(pack, owner=request_user(request)).pk)


@require_POST
def favourite_pack(request: HttpRequest, pack: int) -> HttpResponse:
    """Add a pack to the favourites, or remove it."""
    actions.set_favourite(pack, request_user(request), request.POST.get("favourite") == "yes")
    return _back(request, pack)


@require_POST
def delete_pack(request: HttpRequest, pack: int) -> HttpResponse:
    """Delete a pack."""
    name = read.pack_named(pack).name
    actions.delete(pack, request_user(request))
    messages.success(request, f"{name} was deleted.")
    return redirect("gallery")


def _back(request: HttpRequest, pack: int) -> HttpResponse:
    """To the gallery that the form was sent from, at the pack's card."""
    back = request.POST.get("back", "")
    if not url_has_allowed_host_and_scheme(back, None) or not back.startswith(reverse("gallery")):
        back = reverse("gallery")
    return HttpResponseRedirect(f"{back.partition('#')[0]}#pack-{pack}")


@require_GET
def thumbnail(request: HttpRequest, pack: int) -> HttpResponse:
    """The drawing of a pack. With the current version as `v`, browsers keep it forever."""
    row = read.pack_named(pack)
    lasting = request.GET.get("v") == thumbnail_read.version(row)
    return _svg(thumbnail_read.document(row), lasting=lasting)


@require_GET
def sample_thumbnail(request: HttpRequest, dialect: str, name: str) -> HttpResponse:
    """The drawing of a sample."""
    return _svg(sample_document(dialect, name))


def _svg(document: str, *, lasting: bool = False) -> HttpResponse:
    """An SVG picture that loads nothing and runs nothing, also when it is opened as a page."""
    response = HttpResponse(document, content_type="image/svg+xml")
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    response["Cache-Control"] = (
        "private, max-age=31536000, immutable" if lasting else "private, max-age=60"
    )
    return response


@ensure_csrf_cookie
@require_GET
def editor(request: HttpRequest, pack: int) -> HttpResponse:
    """The canvas of one pack."""
    return render(request, "editor.html", {"pack": read.pack_named(pack)})


@ensure_csrf_cookie
@require_GET
def run(request: HttpRequest, run: uuid.UUID) -> HttpResponse:
    """The canvas, read-only, with a run in it."""
    return render(request, "run.html", {"run": run_read.run_named(run)})
