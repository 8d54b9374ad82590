"""Tags and scores of runs, and saved filters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Avg, QuerySet

from roles.rights import visible
from workflows.errors import BadRequest
from workflows.models import Run, RunFilter, RunScore, RunTag

MAX_TAGS = 200


def marks_of(ids: Sequence[UUID]) -> dict[UUID, dict[str, Any]]:
    """`tags`, `scores` and their mean `score` of each run; two queries for any number of runs."""
    marks: dict[UUID, dict[str, Any]] = {
        id: {"tags": [], "scores": [], "score": None} for id in ids
    }
    if not ids:
        return marks
    for tag in RunTag.objects.filter(run__in=ids).order_by("name"):
        marks[tag.run_id]["tags"].append(tag.name)
    rows = RunScore.objects.filter(run__in=ids).select_related("person").order_by("at", "pk")
    for row in rows:
        marks[row.run_id]["scores"].append(
            {"person": row.person.get_username(), "value": row.value, "comment": row.comment}
        )
    for mark in marks.values():
        values = [score["value"] for score in mark["scores"]]
        mark["score"] = round(sum(values) / len(values), 3) if values else None
    return marks


def scored(runs: QuerySet[Run], least: str) -> QuerySet[Run]:
    """Runs whose mean score is at least this. Raises BadRequest for another text."""
    try:
        value = float(least)
    except ValueError:
        value = float("nan")
    if not -1 <= value <= 1:
        raise BadRequest(f"{least[:40]!r} is not a number from -1 to 1.", where="score_from")
    means = RunScore.objects.values("run").annotate(mean=Avg("value")).filter(mean__gte=value)
    return runs.filter(pk__in=means.values("run"))


def tags_in_use(person: User) -> list[str]:
    """The tags of the runs that a user may see, by name."""
    runs = visible(Run.objects.all(), person).order_by().values("pk")
    names = RunTag.objects.filter(run__in=runs).order_by("name").values_list("name", flat=True)
    return list(names.distinct()[:MAX_TAGS])


def saved_filters(person: User) -> list[RunFilter]:
    """The filters that a user saved, by name."""
    return list(RunFilter.objects.filter(person=person).order_by("name"))
