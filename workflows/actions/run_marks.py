"""Tags, notes and scores of runs, and saved filters of their list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from django.contrib.auth.models import User
from django.db import transaction

from workflows.actions.retention import keep
from workflows.db.text import is_storable
from workflows.errors import BadRequest
from workflows.models import Run, RunFilter, RunScore, RunTag
from workflows.selectors.run_lists import FILTERS

MAX_TAGS = 20
MAX_NOTE = 4_000
MAX_COMMENT = 400
MAX_FILTERS = 50
MAX_FILTER_NAME = 60
MAX_QUERY = 1_000
_TAG = re.compile(r"[^\W_][\w\-.:/ ]{0,39}")


def clean_tags(names: Iterable[str]) -> list[str]:
    """Tags without outer spaces and repetitions. Raises BadRequest for an invalid one."""
    tags = list(dict.fromkeys(" ".join(name.split()) for name in names))
    for tag in tags:
        if not _TAG.fullmatch(tag):
            raise BadRequest(
                f"{tag[:60]!r} cannot be a tag.",
                hint="A tag begins with a letter or digit and has up to 40 letters, digits, "
                "spaces and - _ . : /",
                where="tags",
            )
    if len(tags) > MAX_TAGS:
        raise BadRequest(f"A run has up to {MAX_TAGS} tags, not {len(tags)}.", where="tags")
    return tags


@transaction.atomic
def set_tags(run: Run, names: Iterable[str]) -> None:
    """Replace the tags of a run. Raises BadRequest."""
    tags = clean_tags(names)
    RunTag.objects.filter(run=run).exclude(name__in=tags).delete()
    RunTag.objects.bulk_create((RunTag(run=run, name=tag) for tag in tags), ignore_conflicts=True)


def set_note(run: Run, note: str) -> None:
    """Replace the note of a run. Raises BadRequest."""
    if len(note) > MAX_NOTE or not is_storable(note):
        raise BadRequest(f"A note has up to {MAX_NOTE:,} characters.", where="note")
    Run.objects.filter(pk=run.pk).update(note=note.strip())


def set_score(run: Run, person: User, value: float | None, comment: str = "") -> None:
    """The person's score of a run, None to remove it. Raises BadRequest."""
    if value is None:
        RunScore.objects.filter(run=run, person=person).delete()
        return
    if not -1 <= value <= 1:
        raise BadRequest("A score is a number from -1 to 1.", where="score")
    if len(comment) > MAX_COMMENT or not is_storable(comment):
        raise BadRequest(f"A comment has up to {MAX_COMMENT} characters.", where="score")
    values = {"value": value, "comment": comment.strip()}
    RunScore.objects.update_or_create(run=run, person=person, defaults=values)


@transaction.atomic
def change_marks(run: Run, person: User, changes: Mapping[str, Any]) -> None:
    """Change the marks that are named: `kept`, `tags`, `note`, `score` (null removes it).
    Raises BadRequest; then nothing is changed."""
    if "kept" in changes:
        keep(run.pk, changes["kept"])
    if "tags" in changes:
        set_tags(run, changes["tags"])
    if "note" in changes:
        set_note(run, changes["note"])
    if "score" in changes:
        score = changes["score"] or {"value": None}
        set_score(run, person, score["value"], score.get("comment", ""))


def save_filter(person: User, name: str, query: str) -> RunFilter:
    """Save the filters in a query under a name, which replaces an older filter of that name.
    Raises BadRequest for a query without filters."""
    name = " ".join(name.split())
    if not name or len(name) > MAX_FILTER_NAME or not is_storable(name):
        raise BadRequest(f"Name the filter, with up to {MAX_FILTER_NAME} characters.", where="name")
    kept: list[tuple[str, Any]] = [
        (key, value) for key, value in parse_qsl(query) if key in FILTERS and value
    ]
    clean = urlencode(kept)
    if not kept or len(clean) > MAX_QUERY:
        raise BadRequest("Filter the list first, then save the filter.", where="query")
    others = RunFilter.objects.filter(person=person).exclude(name=name)
    if others.count() >= MAX_FILTERS:
        raise BadRequest(f"You have {MAX_FILTERS} filters. Delete one first.", where="name")
    row, _ = RunFilter.objects.update_or_create(person=person, name=name, defaults={"query": clean})
    return row


def delete_filter(person: User, number: int) -> None:
    """Delete a filter of this person, if it exists."""
    RunFilter.objects.filter(person=person, pk=number).delete()
