"""The list of runs: results, totals, order and limits."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.support.checks import failure_note
from workflows.models import Pack, Run
from workflows.selectors.run_lists import FILTERS
from workflows.views.run_rows import answer_line, duration_text


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ("All is well.", "All is well."),
        (
            '{"decision": "approve", "notes": ["short", "clear"], "next": {"action": "closing"}}',
            "decision: approve · notes: short, clear · next: action: closing",
        ),
        ('{"sure": true, "why": null}', "sure: true · why: –"),
        ('{"cut off": ', '{"cut off": '),
        ("[" * 400 + "]" * 400, "…"),
    ],
)
def test_an_answer_in_one_line(answer: str, line: str) -> None:
    assert answer_line(answer) == line


@pytest.fixture
def three(pack: Pack, ada: User) -> dict[str, str]:
    """Runs by name. They were started in this order."""
    now = timezone.now()
    rows: dict[str, dict[str, Any]] = {
        "cheap": {"cost": 0.002, "input_tokens": 100, "output_tokens": 20, "seconds": 90},
        "dear": {"cost": 1.5, "input_tokens": 90_000, "output_tokens": 1_000, "seconds": 3605},
        "failed": {"cost": 0.0, "input_tokens": 0, "output_tokens": 0, "seconds": 0.4},
    }
    ids = {}
    for name, fields in rows.items():
        run = Run.objects.create(
            pack=pack,
            revision=1,
            profile="documented",
            driver="model",
            owner=ada,
            status="failed" if name == "failed" else "completed",
            reason="The key was refused." if name == "failed" else "",
            answer="" if name == "failed" else f"The {name} answer.",
            ends={"cheap": "done", "dear": "left, done", "failed": "lost"}[name],
            **fields,
        )
        if name == "dear":
            Run.objects.filter(pk=run.pk).update(waited_seconds=3600)
        Run.objects.filter(pk=run.pk).update(finished_at=run.created_at + timedelta(days=1))
        assert run.created_at >= now
        ids[name] = str(run.pk)
    return ids


def order(site: Client, three: dict[str, str], query: str) -> list[str]:
    page = site.get(f"/runs/?{query}").content.decode()
    found = re.findall(r'data-run="([^"]+)"', page)
    rows = site.get(f"/api/v1/runs/?{query}").json()["results"]
    assert [row["id"] for row in rows] == found
    names = {id: name for name, id in three.items()}
    return [names[id] for id in found]


QUERIES: list[tuple[str, list[str]]] = [
    ("", ["failed", "dear", "cheap"]),
    ("sort=-cost", ["dear", "cheap", "failed"]),
    ("sort=cost", ["failed", "cheap", "dear"]),
    ("sort=-duration", ["cheap", "dear", "failed"]),
    ("sort=-tokens", ["dear", "cheap", "failed"]),
    ("sort=status&cost_from=0.001", ["dear", "cheap"]),
    ("cost_from=1", ["dear"]),
    ("seconds_from=1", ["dear", "cheap"]),
    ("tokens_from=121", ["dear"]),
    ("q=cheap answer", ["cheap"]),
    ("q=lost", ["failed"]),
    ("end=done", ["dear", "cheap"]),
    ("end=on", []),
    ("end=left", ["dear"]),
    ("reason=key was", ["failed"]),
    ("sort=end", ["cheap", "dear", "failed"]),
    ("sort=-reason", ["failed", "dear", "cheap"]),
]


def test_runs_are_sorted_and_limited(site: Client, three: dict[str, str]) -> None:
    for query, names in QUERIES:
        with failure_note(repr(query)[:200]):
            assert order(site, three, query) == names


def test_a_row_shows_result_duration_tokens_and_cost(site: Client, three: dict[str, str]) -> None:
    page = site.get("/runs/?sort=-cost").content.decode()
    dear, cheap, failed = page.split("<tr data-run=")[1:]
    for text in ("The dear answer.", "$1.50", "91,000", "5.0 s", f"{duration_text(3600)} waiting"):
        assert text in dear
    for text in ("The cheap answer.", "$0.00200", "1 min 30 s"):
        assert text in cheap
    assert "The key was refused." in failed
    assert "3 runs · 91,120 tokens · $1.50" in page
    assert 'aria-sort="descending"' in page


@pytest.mark.parametrize("by", ["pack", "person", "day"])
def test_costs_are_summed(site: Client, three: dict[str, str], by: str) -> None:
    (row,) = site.get(f"/api/v1/costs/?by={by}").json()
    assert (row["runs"], row["cost"], row["input_tokens"]) == (3, 1.502, 90_100)
    assert f'data-costs="{by}"' in site.get(f"/runs/?by={by}").content.decode()


def test_the_page_has_a_field_for_each_filter(site: Client, three: dict[str, str]) -> None:
    page = site.get("/runs/?end=done&tokens_from=5&score_from=").content.decode()
    for name in FILTERS:
        assert f'name="{name}"' in page or name in ("sort", "tag")
    assert "More (2)" in page
    empty = site.get("/runs/?end=nowhere").content.decode()
    assert "No run matches" in empty


def test_wrong_parameters_are_refused(site: Client, three: dict[str, str]) -> None:
    for query, where in (("sort=luck", "sort"), ("cost_from=x", "cost_from")):
        refused = site.get(f"/api/v1/runs/?{query}")
        assert (refused.status_code, refused.json()["where"]) == (400, where)
        page = site.get(f"/runs/?{query}")
        assert page.status_code == 200
        assert page.content.decode().count("<tr data-run=") == 3
    assert site.get("/api/v1/costs/?by=luck").status_code == 400


def test_prices_are_entered_under_settings(site: Client, settings: Any) -> None:
    from workflows.models import Connection

    row = Connection.objects.create(name="Own", kind="openai", model="gpt-4o", sealed_key="x")
    page = site.get("/settings/").content.decode()
    assert "The published price of gpt-4o is 2.5 for input and 10 for output" in page
    form = {
        "do": "change",
        "connection": row.pk,
        "model": "gpt-4o",
        "base_url": "",
        "timeout": "",
        "price_model": ["*", "", "gpt-4o"],
        "price_input": ["0", "", "2,5"],
        "price_output": ["0", "", "11"],
        "price_cached": ["", "", "1"],
    }
    site.post("/settings/connections/", form)
    row.refresh_from_db()
    assert row.prices == {
        "*": {"input": 0, "output": 0},
        "gpt-4o": {"input": 2.5, "output": 11, "cached_input": 1},
    }
    form["price_input"] = ["free", "", "2"]
    answer = site.post("/settings/connections/", form, follow=True)
    assert "is not a price in USD" in answer.content.decode()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-0.2, "0 ms"),
        (0.04, "40 ms"),
        (0.9996, "1.0 s"),
        (3.21, "3.2 s"),
        (59.97, "1 min 0 s"),
        (119.6, "2 min 0 s"),
        (250, "4 min 10 s"),
        (7800, "2 h 10 min"),
    ],
)
def test_durations_have_the_unit_that_fits(seconds, text):
    assert duration_text(seconds) == text
