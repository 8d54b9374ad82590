"""The comparison page of two runs, and the links to it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.support.flow_dialect import flow
from tests.support.server_fixtures import stored
from workflows.models import Pack, Run, RunEvent
from workflows.views.compare_runs import FEW, figures, stretches


def run_through(pack: Pack, *states: str, at: int = 0, end: str = "completed") -> Run:
    """A run with a log that enters these states one after the other."""
    run = Run.objects.create(
        pack=pack, revision=1, profile="plain", driver="script", status=end, reason="Enough."
    )
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() + timedelta(minutes=at))
    log = [("run.started", {})]
    for state, following in zip(states, (*states[1:], None), strict=True):
        log.append(("state.entered", {"position": "0", "state": state}))
        said = {"key": "0:1", "position": "0", "text": f"On to {following}."}
        log.append(("model.replied", said))
        if following:
            arrow = {"source": state, "label": "Go", "target": following}
            id = "|".join(arrow.values())
            log.append(("transition.taken", {"position": "0", **arrow, "transition": id}))
    log.append(("run.finished", {"status": end}))
    RunEvent.objects.bulk_create(
        RunEvent(run=run, n=n, at=float(n), type=type, fields=fields)
        for n, (type, fields) in enumerate(log, start=1)
    )
    run.refresh_from_db()
    return run


def test_the_page_shows_the_first_divergence(site: Client, pack: Pack) -> None:
    left, right = run_through(pack, "A", "B", "C"), run_through(pack, "A", "C", at=1)
    page = site.get(f"/runs/{left.pk}/compare/{right.pk}/").content.decode()
    assert "In A the left run goes on to B by Go; the right one goes on to C by Go." in page
    assert 'data-departure="4|4"' in page
    assert page.count('data-departs="true"') == 1
    assert f'href="/runs/{left.pk}/?at=2"' in page
    assert "On to B." in page
    assert "A · Go → B" in page


def test_the_page_reports_equal_runs(site: Client, pack: Pack) -> None:
    runs = [run_through(pack, *"ABCABC", at=at) for at in (0, 1)]
    page = site.get(f"/runs/{runs[0].pk}/compare/{runs[1].pk}/").content.decode()
    assert 'data-same="true"' in page
    assert "6 states, the same in both" in page
    assert "Visited or taken more often" not in page


def test_log_content_is_shown_as_text(site: Client, pack: Pack) -> None:
    left = run_through(pack, "A", "<script>alert(1)</script>")
    page = site.get(f"/runs/{left.pk}/compare/{run_through(pack, 'A', 'B').pk}/").content.decode()
    assert "<script>alert" not in page


def test_two_chosen_runs_are_compared_the_older_on_the_left(site: Client, pack: Pack) -> None:
    older, newer = run_through(pack, "A"), run_through(pack, "B", at=5)
    table = site.get("/runs/").content.decode()
    assert table.count('form="chosen"') == 2
    chosen = {"action": "compare", "run": [str(newer.pk), str(older.pk)]}
    answer = site.post("/runs/actions/", chosen)
    answer = site.get(answer.headers["Location"])
    assert answer.headers["Location"] == f"/runs/{older.pk}/compare/{newer.pk}/"


@pytest.mark.parametrize(
    ("which", "says"),
    [
        ([], "Choose two runs of one pack"),
        (["first"], "Choose two runs of one pack"),
        (["first", "other"], "Choose two runs of one pack"),
        (["first", "nobody"], "There is no run nobody"),
    ],
)
def test_an_invalid_choice_is_reported_above_the_table(
    site: Client, pack: Pack, ada: User, which: list[str], says: str
) -> None:
    other = stored(flow("A", A={}), ada, name="other.flow.json")
    runs = {"first": run_through(pack, "A").pk, "other": run_through(other, "A").pk}
    chosen = [str(runs.get(one, one)) for one in which]
    page = site.get("/runs/compare/", {"run": chosen}, follow=True).content.decode()
    assert says in page
    assert "data-runs" in page


def test_a_run_is_compared_with_the_one_before_it(site: Client, pack: Pack) -> None:
    first, second, third = (run_through(pack, "A", at=at) for at in (0, 1, 2))
    answer = site.get(f"/runs/{third.pk}/compare/")
    assert answer.headers["Location"] == f"/runs/{second.pk}/compare/{third.pk}/"
    page = site.get(f"/runs/{first.pk}/compare/", follow=True).content.decode()
    assert "This is the first run of tiny" in page


def test_runs_of_two_packs_have_an_error_page(site: Client, pack: Pack, ada: User) -> None:
    other = run_through(stored(flow("A", A={}), ada, name="other.flow.json"), "A")
    answer = site.get(f"/runs/{run_through(pack, 'A').pk}/compare/{other.pk}/")
    assert answer.status_code == 400
    assert "runs belong to two packs" in answer.content.decode()


def test_long_stretches_that_are_the_same_fold_away() -> None:
    same = [{"how": "same", "departs": False}] * (FEW + 1)
    parted = {"how": "arrow", "departs": True}
    found = stretches([*same, parted, *same[:FEW]])
    assert [(len(one["rows"]), one["folded"]) for one in found] == [
        (FEW + 1, True),
        (1, False),
        (FEW, False),
    ]


def test_figures_are_shown_with_their_difference() -> None:
    names = ("events", "visits", "seconds", "model_calls", "tool_calls")
    zero = dict.fromkeys((*names, "input_tokens", "output_tokens", "cost"), 0)
    lines = figures(
        {"left": {**zero, "events": 12, "cost": 0.25}, "right": {**zero, "seconds": 1.5}}
    )
    assert [tuple(line.values()) for line in lines] == [
        ("Events", "12", "0", "−12"),
        ("Duration", "0 ms", "1.5 s", "+1.5 s"),
        ("Cost", "$0.250", "$0", "−$0.250"),
    ]
