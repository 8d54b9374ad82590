"""Role templates of agent graphs: list, view, override, edit, delete. Works without JavaScript."""

from __future__ import annotations

import hashlib
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from roles.request_user import request_user
from workflows.actions import templates as actions
from workflows.core.prompts.role_templates.names import RULE
from workflows.errors import CallerError, ChangedMeanwhile, NotThere
from workflows.selectors import templates as read

BLANK = """\
[template]
name = "{name}"
version = "1"
capabilities = []
constraints = []

# {name}
"""
"""Initial text of a new template."""


@require_http_methods(["GET", "POST"])
def templates(request: HttpRequest) -> HttpResponse:
    """Every template by name; a POST creates one."""
    written = ""
    if request.method == "POST":
        written = request.POST.get("name", "").strip()
        try:
            actions.create(written, BLANK.format(name=written), owner=request_user(request))
        except CallerError as refused:
            messages.error(request, refused.sentence)
        else:
            return redirect("template", name=written)
    q = request.GET.get("q", "").strip()
    rows = [row for row in read.templates(request_user(request)) if _matches(row, q)]
    return render(
        request, "templates.html", {"rows": rows, "q": q, "written": written, "rule": RULE}
    )


def _matches(row: dict[str, Any], q: str) -> bool:
    """Return True if `q` is part of the name or of a word of the header."""
    words = [row["name"], row["source"], *(badge["word"] for badge in row["badges"])]
    return q.lower() in " ".join(words).lower()


@require_http_methods(["GET", "POST"])
def template(request: HttpRequest, name: str) -> HttpResponse:
    """One template. A POST stores its text on this server, overriding the shipped one."""
    try:
        there = read.template(name, request_user(request))
    except NotThere:
        # Another person may have deleted it while its text was edited; the edited text is kept.
        if request.method != "POST":
            raise
        there = read.checked(name, "")
    if request.method == "POST":
        content = request.POST.get("content", "").replace("\r\n", "\n")
        try:
            _save(name, content, there, request.POST.get("was", ""), request_user(request))
        except CallerError as refused:
            messages.error(request, refused.sentence)
            shown = {**read.checked(name, content), "hides": there["hides"]}
            return _page(request, shown, there, edits=True)
        messages.success(request, f"The template {name} was saved.")
        return redirect("template", name=name)
    return _page(request, there, there, edits=there["source"] == "server")


def _save(name: str, content: str, there: dict[str, Any], was: str, by: User) -> None:
    """Save the text. Raises BadRequest, and ChangedMeanwhile if the stored text has changed since
    it was shown."""
    if was and was != mark(there["content"]):
        raise ChangedMeanwhile(
            "Another person has saved this template, so yours was not saved; it is shown below."
            " Save again to replace theirs."
        )
    actions.put(name, content, owner=by)


def _page(
    request: HttpRequest, shown: dict[str, Any], there: dict[str, Any], *, edits: bool
) -> HttpResponse:
    context = {"template": shown, "edits": edits, "was": mark(there["content"])}
    return render(request, "template.html", context)


def mark(content: str) -> str:
    """Hash of the text that a form was made from."""
    return hashlib.sha256(content.encode(errors="replace")).hexdigest()


@require_POST
def check_template(request: HttpRequest, name: str) -> HttpResponse:
    """The header of a text and its problems, as a fragment of the page. Nothing is stored."""
    actions.check_name(name)
    content = request.POST.get("content", "").replace("\r\n", "\n")
    return render(request, "template_header.html", {"template": read.checked(name, content)})


@require_POST
def delete_template(request: HttpRequest, name: str) -> HttpResponse:
    """Delete the server's own template; the shipped one of its name is used again."""
    try:
        actions.delete(name)
    except CallerError as refused:
        messages.error(request, refused.sentence)
    else:
        messages.success(request, f"Your template {name} was removed.")
    return redirect("templates")
