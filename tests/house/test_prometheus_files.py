"""The rules for Prometheus and the dashboard for Grafana use metrics that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from prometheus_client import REGISTRY
from prometheus_client.core import Metric

from workflows.selectors.metrics import Installation
from workflows.telemetry import metrics

FOLDER = Path(__file__).resolve().parents[2] / "integrations" / "prometheus"
METRIC = re.compile(r"\bsignalbox_\w+")


def expressions() -> list[str]:
    """Every expression of both files."""
    rules = yaml.safe_load((FOLDER / "rules.yml").read_text())
    dashboard = json.loads((FOLDER / "dashboard.json").read_text())
    alerts = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    return alerts + [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def names(metric: Metric) -> set[str]:
    """The names of a metric's samples, also of one that has none yet."""
    if metric.type == "counter":
        return {f"{metric.name}_total"}
    if metric.type == "histogram":
        return {f"{metric.name}_{ending}" for ending in ("bucket", "count", "sum")}
    return {metric.name, *(sample.name for sample in metric.samples)}


@pytest.mark.django_db
def test_every_metric_of_the_rules_and_the_dashboard_exists() -> None:
    assert metrics  # Its import registers the counters.
    existing = {
        name
        for metric in (*REGISTRY.collect(), *Installation().collect())
        for name in names(metric)
    }
    used = {name for expression in expressions() for name in METRIC.findall(expression)}
    assert len(used) > 15
    assert used - existing == set()
