"""Order, limits and sums of lists of runs."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from django.db.models import Count, F, QuerySet, Sum
from django.db.models.functions import TruncDate

from workflows.core.engine.result import rounded
from workflows.errors import BadRequest
from workflows.models import Run

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "started": ("created_at",),
    "pack": ("pack__name",),
    "status": ("status",),
    "driver": ("driver",),
    "events": ("last",),
    "duration": ("seconds",),
    "tokens": ("tokens",),
    "cost": ("cost",),
}
"""Name of a column → the fields that it is sorted by."""
LIMITS = ("cost_from", "tokens_from", "seconds_from")
"""Query parameters: the least value of a run."""
FILTERS = ("pack", "status", "driver", "source", "q", "tag", "score_from", "sort", *LIMITS)
"""Query parameters of a list of runs."""
GROUPS: Mapping[str, tuple[str, ...]] = {
    "pack": ("pack", "pack__name"),
    "person": ("owner", "owner__username"),
    "day": ("day", "day"),
}
"""Group of a sum of costs → the fields of its key and its name."""


def ordered(runs: QuerySet[Run], sort: str) -> QuerySet[Run]:
    """Runs in the order of a column, `-` for the largest first; "" for the newest first. Runs that
    have not ended have no duration and come last. Raises BadRequest for an unknown column."""
    if not sort:
        return runs
    name, down = sort.removeprefix("-"), sort.startswith("-")
    if name not in COLUMNS:
        raise BadRequest(f"Runs are not sorted by {name!r:.60}.", hint=_columns(), where="sort")
    fields = (F(field) for field in COLUMNS[name])
    order = [
        field.desc(nulls_last=True) if down else field.asc(nulls_last=True) for field in fields
    ]
    return _measured(runs).order_by(*order, "-created_at", "pk")


def limited(runs: QuerySet[Run], limits: Mapping[str, str]) -> QuerySet[Run]:
    """The runs that cost at least this, used as many tokens and took as long. Raises BadRequest for
    a limit that is not a number."""
    found: QuerySet[Any] = _measured(runs)
    for name in LIMITS:
        text = limits.get(name, "")
        if not text:
            continue
        least = _number(name, text)
        match name:
            case "cost_from":
                found = found.filter(cost__gte=least)
            case "tokens_from":
                found = found.filter(tokens__gte=least)
            case _:
                found = found.filter(seconds__gte=least)
    return found


def sums(runs: QuerySet[Run]) -> dict[str, Any]:
    """Number, tokens and cost of these runs."""
    found = _once(runs).aggregate(
        runs=Count("pk"),
        input_tokens=Sum("input_tokens", default=0),
        output_tokens=Sum("output_tokens", default=0),
        cost=Sum("cost", default=0.0),
    )
    return {**found, "cost": rounded(found["cost"])}


def costs(runs: QuerySet[Run], by: str) -> list[dict[str, Any]]:
    """Sums of these runs by pack, person or day of their start, the most expensive first; days in
    order, the newest first. Raises BadRequest for another `by`."""
    if by not in GROUPS:
        raise BadRequest(
            f"Costs are not summed by {by!r:.60}.", hint=f"Use {', '.join(GROUPS)}.", where="by"
        )
    key, name = GROUPS[by]
    rows = _once(runs).annotate(day=TruncDate("created_at")).values(*dict.fromkeys((key, name)))
    order = "-day" if by == "day" else "-cost_sum"
    summed = rows.annotate(
        runs=Count("pk"),
        input_sum=Sum("input_tokens"),
        output_sum=Sum("output_tokens"),
        cost_sum=Sum("cost"),
    ).order_by(order, key)
    return [
        {
            "key": "" if row[key] is None else str(row[key]),
            "name": "" if row[name] is None else str(row[name]),
            "runs": row["runs"],
            "input_tokens": row["input_sum"],
            "output_tokens": row["output_sum"],
            "cost": rounded(row["cost_sum"]),
        }
        for row in summed
    ]


def _measured(runs: QuerySet[Run]) -> QuerySet[Any]:
    return runs.annotate(tokens=F("input_tokens") + F("output_tokens"))


def _once(runs: QuerySet[Run]) -> QuerySet[Run]:
    """The same runs without joins, which would count some twice."""
    return Run.objects.filter(pk__in=runs.order_by().values("pk")).order_by()


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value) or not 0 <= value <= 1e9:
        raise BadRequest(f"{text[:40]!r} is not a number from 0.", where=name)
    return value


def _columns() -> str:
    return f"Use one of {', '.join(COLUMNS)}, with - for the largest first."
