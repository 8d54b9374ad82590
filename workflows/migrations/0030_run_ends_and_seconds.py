"""Ends and durations of runs in their rows."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db import migrations, models

READ = ("run.started", "run.paused", "run.resumed", "run.finished")


def fill(apps: Any, schema_editor: Any) -> None:
    """Compute the durations of the runs that have ended, from their events; and the newest state of
    each as its end."""
    runs = apps.get_model("workflows", "Run").objects
    events = apps.get_model("workflows", "RunEvent").objects
    log = events.filter(type__in=READ).order_by("run_id", "n").iterator(chunk_size=500)
    for run, rows in groupby(log, key=attrgetter("run_id")):
        first, *rest = rows
        if not rest or rest[-1].type != "run.finished":
            continue
        idle = _paused_seconds(rest)
        origin = first.fields.get("forked_from") or {}
        for point in (*origin.get("earlier", ()), *([origin["at"]] if origin else ())):
            around = events.filter(run=run, n__in=(point, point + 1)).order_by("n")
            times = list(around.values_list("at", flat=True))
            idle += times[-1] - times[0] if times else 0.0
        entered = events.filter(run=run, type="state.entered").order_by("-n").first()
        state = str(entered.fields.get("state", "")) if entered else ""
        seconds = round(max(0.0, rest[-1].at - first.at - idle), 3)
        runs.filter(pk=run).update(seconds=seconds, ends=state)


def _paused_seconds(log: list[Any]) -> float:
    idle, since = 0.0, None
    for event in log:
        if event.type == "run.paused":
            since = event.at if since is None else since
        elif since is not None and "key" not in event.fields:
            idle, since = idle + event.at - since, None
    return idle


class Migration(migrations.Migration):
    dependencies = [("workflows", "0029_callbacks")]

    operations = [
        migrations.AddField("run", "ends", models.TextField(blank=True, default=""), False),
        migrations.AddField("run", "seconds", models.FloatField(null=True)),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
