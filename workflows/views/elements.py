"""States, transitions, artifacts and agents of all packs on one page. Works without JavaScript."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from roles.request_user import request_user
from workflows.errors import BadRequest
from workflows.models import Artifact, RunEvent
from workflows.selectors import elements as read
from workflows.selectors.packs import packs
from workflows.selectors.run_artifacts import logged_artifact

PER_PAGE = 100
QUESTIONS = (
    ("States that no run entered", "states", {"visited": "false"}),
    ("Prompts that runs sent", "artifacts", {"type": "prompt"}),
    ("Changes by calls of tools", "artifacts", {"type": "diff"}),
    ("Artifacts that packs declare", "artifacts", {"declared": "true"}),
)
Cells = tuple[tuple[str, Callable[[Any], str]], ...]
COLUMNS: Mapping[str, Cells] = {
    "states": (
        ("State", lambda row: row.key),
        ("Name", lambda row: row.name),
        ("Kind", lambda row: row.kind),
        ("Prompt", lambda row: row.role),
        ("Marks", lambda row: ", ".join(_marks(row))),
    ),
    "transitions": (
        ("Transition", lambda row: row.label),
        ("From", lambda row: row.source),
        ("To", lambda row: row.target or "end of the run"),
        ("Kind", lambda row: row.kind),
    ),
    "artifacts": (
        ("Artifact", lambda row: row.name),
        ("Type", lambda row: row.type),
        ("Value", lambda row: row.value),
        ("Set", lambda row: _time(row.at)),
    ),
    "agents": (
        ("Agent", lambda row: row.key),
        ("Description", lambda row: row.description),
        ("Tags", lambda row: ", ".join(_tags(row.card))),
    ),
}
"""Kind → titles of columns, and the text of a row in each. The first links to the row."""


@require_GET
def elements(request: HttpRequest, kind: str = "states") -> HttpResponse:
    """The rows of one kind, filtered."""
    if kind not in read.ELEMENTS:
        raise Http404
    filters = read.ELEMENTS[kind].filters
    texts = {name: request.GET.get(name, "").strip() for name in filters}
    person = request_user(request)
    try:
        rows = read.elements(kind, person, texts)
    except BadRequest as refused:
        messages.error(request, refused.message)
        rows = read.elements(kind, person, {})
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    asked = {name: text for name, text in texts.items() if text}
    context = {
        "kind": kind,
        "kinds": list(read.ELEMENTS),
        "fields": [
            {"name": name, "value": texts[name], "filter": filter}
            for name, filter in filters.items() if name != "pack"
        ],
        "packs": packs(person).order_by("name", "pk").values_list("pk", "name"),
        "asked": texts,
        "columns": [title for title, _ in COLUMNS[kind]],
        "rows": [_row(kind, row, texts) for row in page.object_list],
        "page": page,
        "query": urlencode(asked),
        "filtered": bool(asked),
        "questions": [
            (title, f"{reverse('elements', args=[of])}?{urlencode(query)}")
            for title, of, query in QUESTIONS
        ],
    }  # fmt: skip
    return render(request, "elements.html", context)


def _row(kind: str, row: Any, texts: Mapping[str, str]) -> dict[str, Any]:
    if isinstance(row, RunEvent):
        shown = logged_artifact(texts["type"], row)
        run, n, at = row.run, row.n, row.at
        row = Artifact(pack=run.pack, run=run, name=shown["name"], type=shown["type"], n=n)
        row.value, row.at = shown["value"], at
    return {
        "pack": row.pack_id,
        "pack_name": row.pack.name,
        "address": _address(kind, row),
        "cells": [text(row) for _, text in COLUMNS[kind]],
    }


def _address(kind: str, row: Any) -> str:
    if kind == "artifacts" and row.run_id:
        return reverse("run", args=[row.run_id])
    element = {
        "states": f"state:{getattr(row, 'key', '')}",
        "transitions": f"transition:{getattr(row, 'key', '')}",
        "artifacts": f"artifact:{getattr(row, 'name', '')}",
        "agents": f"agent:{getattr(row, 'key', '')}",
    }[kind]
    level = {"level": row.level} if getattr(row, "level", "") else {}
    query = urlencode({**level, "element": element})
    return f"{reverse('editor', args=[row.pack_id])}?{query}"


def _marks(row: Any) -> list[str]:
    return [word for word, set in (("entry", row.entry), ("end", row.terminal)) if set]


def _tags(card: Mapping[str, Any]) -> list[str]:
    return [str(tag) for skill in card.get("skills", ()) for tag in skill.get("tags", ())]


def _time(at: float | None) -> str:
    return "" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")
