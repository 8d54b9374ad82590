"""A run that makes no progress is paused, once for each effect that is pending."""

from __future__ import annotations

from tests.runner.conftest import Begin
from workflows.actions import runs
from workflows.core.engine.signals import Control
from workflows.models import Job, Run, RunEvent

FORKED = {
    "start": {"fork": (("left", "right"), "done")},
    "left": {"model": {"on": "end"}},
    "right": {"model": {"on": "end"}},
    "end": {"join": None},
    "done": {"end": "completed"},
}


def unanswered(run: Run) -> list[str]:
    paused = RunEvent.objects.filter(run=run, type="run.paused").order_by("n")
    return [event.fields["unanswered"] for event in paused]


def test_a_key_that_is_known_to_be_unanswered_is_not_repeated(begin: Begin) -> None:
    run = begin(FORKED)
    left, right = runs.work_of(run.pk).run.pending
    runs.hold(run.pk, left, "The model is away.")
    events = runs.give_up(run.pk, "Nothing works.")
    assert [event.fields["unanswered"] for event in events] == [right]
    assert runs.give_up(run.pk, "Nothing works.") == ()
    assert unanswered(run) == [left, right]
    assert not Job.objects.filter(run=run).exists()


def test_a_resumed_run_can_be_given_up_again(begin: Begin) -> None:
    run = begin(FORKED)
    keys = list(runs.work_of(run.pk).run.pending)
    runs.give_up(run.pk, "Nothing works.")
    runs.signal(run.pk, Control(at=1.0, what="resume"))
    runs.give_up(run.pk, "Nothing works.")
    assert unanswered(run) == [*keys, *keys]
