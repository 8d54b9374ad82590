"""Order, limits and sums of lists of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import TruncDate

from workflows.core.engine.result import rounded
from workflows.errors import BadRequest
from workflows.models import Run, RunTrial

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "started": ("created_at",),
    "pack": ("pack__name",),
    "status": ("status",),
    "end": ("ends",),
    "reason": ("reason",),
    "driver": ("driver",),
    "events": ("last",),
    "duration": ("worked",),
    "tokens": ("tokens",),
    "cost": ("cost",),
}
"""Name of a column → the fields that it is sorted by."""
LIMITS = ("cost_from", "tokens_from", "seconds_from")
"""Query parameters: the least value of a run."""
TEXTS = ("pack", "status", "driver", "source", "q", "tag", "end", "reason", "score_from", "sort")
FILTERS = (*TEXTS, *LIMITS)
"""Query parameters of a list of runs."""
GROUPS: Mapping[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "pack": (("pack", "pack__name"), ("run__pack", "run__pack__name")),
    "person": (("owner", "owner__username"), ("person", "person__username")),
    "day": (("day", "day"), ("day", "day")),
}
"""Group of a sum of costs → the fields of its key and its name, of runs and of trials."""
COUNTED = ("runs", "trials", "input_tokens", "output_tokens", "cost")


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
    result: QuerySet[Any] = _measured(runs)
    for name in LIMITS:
        text = limits.get(name, "")
        if not text:
            continue
        least = _number(name, text)
        match name:
            case "cost_from":
                result = result.filter(cost__gte=least)
            case "tokens_from":
                result = result.filter(tokens__gte=least)
            case _:
                result = result.filter(worked__gte=least)
    return result


def ended_in(runs: QuerySet[Run], state: str) -> QuerySet[Run]:
    """The runs that ended in this state, alone or with others."""
    alone = Q(ends=state) | Q(ends__startswith=f"{state}, ") | Q(ends__endswith=f", {state}")
    return runs.filter(alone | Q(ends__contains=f", {state}, "))


def sums(runs: QuerySet[Run]) -> dict[str, Any]:
    """Number, tokens and cost of these runs and of their trials."""
    of_runs, of_trials = (
        rows.aggregate(
            count=Count("pk"),
            input_tokens=Sum("input_tokens", default=0),
            output_tokens=Sum("output_tokens", default=0),
            cost=Sum("cost", default=0.0),
        )
        for rows in (_once(runs), _trials(runs))
    )
    return {
        "runs": of_runs["count"],
        "trials": of_trials["count"],
        "input_tokens": of_runs["input_tokens"] + of_trials["input_tokens"],
        "output_tokens": of_runs["output_tokens"] + of_trials["output_tokens"],
        "cost": rounded(of_runs["cost"] + of_trials["cost"]),
    }


def costs(runs: QuerySet[Run], by: str) -> list[dict[str, Any]]:
    """Sums of these runs and of their trials by pack, person or day of their start, the most
    expensive first; days in order, the newest first. Raises BadRequest for another `by`."""
    if by not in GROUPS:
        raise BadRequest(
            f"Costs are not summed by {by!r:.60}.", hint=f"Use {', '.join(GROUPS)}.", where="by"
        )
    of_runs, of_trials = GROUPS[by]
    rows = {row["key"]: row for row in _summed(_once(runs), of_runs, "created_at", "runs")}
    for trial in _summed(_trials(runs), of_trials, "at", "trials"):
        row = rows.setdefault(trial["key"], {**trial, **dict.fromkeys(COUNTED, 0)})
        for name in COUNTED:
            row[name] += trial[name]
    for row in rows.values():
        row["cost"] = rounded(row["cost"])
    if by == "day":
        return sorted(rows.values(), key=lambda row: row["key"], reverse=True)
    return sorted(rows.values(), key=lambda row: (-row["cost"], row["name"], row["key"]))


def _summed(
    rows: QuerySet[Any], group: tuple[str, str], at: str, count: str
) -> Iterable[dict[str, Any]]:
    """Sums by the key and the name of a group. `count`: the name of the number of rows."""
    key, name = group
    named = rows.annotate(day=TruncDate(at)).values(*dict.fromkeys(group))
    groups = named.annotate(
        count=Count("pk"),
        input_sum=Sum("input_tokens"),
        output_sum=Sum("output_tokens"),
        cost_sum=Sum("cost"),
    )
    for row in groups.order_by(key):
        yield {
            "key": "" if row[key] is None else str(row[key]),
            "name": "" if row[name] is None else str(row[name]),
            "runs": 0,
            "trials": 0,
            count: row["count"],
            "input_tokens": row["input_sum"],
            "output_tokens": row["output_sum"],
            "cost": row["cost_sum"],
        }


def _measured(runs: QuerySet[Run]) -> QuerySet[Any]:
    return runs.annotate(
        tokens=F("input_tokens") + F("output_tokens"), worked=F("seconds") - F("waited_seconds")
    )


def _once(runs: QuerySet[Run]) -> QuerySet[Run]:
    """The same runs without joins, which would count some twice."""
    return Run.objects.filter(pk__in=runs.order_by().values("pk")).order_by()


def _trials(runs: QuerySet[Run]) -> QuerySet[RunTrial]:
    return RunTrial.objects.filter(run__in=runs.order_by().values("pk"))


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 <= value <= 1e9:
        raise BadRequest(f"{text[:40]!r} is not a number from 0.", where=name)
    return value


def _columns() -> str:
    return f"Use one of {', '.join(COLUMNS)}, with - for the largest first."
