"""Totals of runs in their rows, and prices of connections."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.db import migrations, models

COUNTED = ("model.asked", "model.replied", "tool.called", "effect.repeated")


def add_up(apps: Any, schema_editor: Any) -> None:
    """Compute the totals of the runs that are stored already, from their events."""
    totals: dict[Any, dict[str, Any]] = defaultdict(lambda: defaultdict(float))
    events = apps.get_model("workflows", "RunEvent").objects.filter(type__in=COUNTED)
    rows = events.order_by().values_list("run_id", "type", "fields")
    for run, type, fields in rows.iterator(chunk_size=500):
        total = totals[run]
        if type == "model.asked" or (type == "effect.repeated" and "for" not in fields):
            total["model_calls"] += 1
        elif type == "tool.called":
            total["tool_calls"] += 1
        elif type == "model.replied":
            usage = fields.get("usage") or {}
            for name in ("input_tokens", "output_tokens", "cost"):
                total[name] += usage.get(name) or 0
    runs = apps.get_model("workflows", "Run").objects
    for run, total in totals.items():
        counts = {name: int(total[name]) for name in total if name != "cost"}
        runs.filter(pk=run).update(**counts, cost=total["cost"])


class Migration(migrations.Migration):
    dependencies = [("workflows", "0024_folders_and_favourites")]

    operations = [
        migrations.AddField("connection", "prices", models.JSONField(default=dict)),
        migrations.AddField("run", "model_calls", models.PositiveIntegerField(default=0)),
        migrations.AddField("run", "tool_calls", models.PositiveIntegerField(default=0)),
        migrations.AddField("run", "input_tokens", models.PositiveBigIntegerField(default=0)),
        migrations.AddField("run", "output_tokens", models.PositiveBigIntegerField(default=0)),
        migrations.AddField("run", "cost", models.FloatField(default=0.0)),
        migrations.AddField("run", "answer", models.TextField(blank=True)),
        migrations.RunPython(add_up, migrations.RunPython.noop),
    ]
