"""A run that does not move has the reason: no worker, a person, or a slow answer."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from workflows.actions import runs
from workflows.models import Approval, Job, Pack, Run, RunEvent
from workflows.runner.queue import heartbeats


@pytest.fixture
def run(support: Pack, ada: User) -> Run:
    """A run whose first request goes to a model."""
    return runs.start(support, driver="rehearsal", options={}, owner=ada)


@pytest.fixture
def wait(run: Run, site: Client) -> Any:
    def read() -> dict[str, Any]:
        answer = site.get(f"/api/v1/runs/{run.pk}/wait/")
        assert answer.status_code == 200
        return answer.json()

    return read


def test_a_run_without_a_worker_names_the_time_of_its_wait(run: Run, wait: Any) -> None:
    assert wait() == {"for": "", "since": None, "text": ""}
    due = time.time() - 60
    Job.objects.update(due_at=due)
    clock = datetime.fromtimestamp(due, UTC).strftime("%H:%M:%S UTC")
    assert wait() == {
        "for": "worker",
        "since": due,
        "text": f"Waiting for a worker since {clock}. No worker is running.",
    }
    heartbeats.beat("a/b/1/2/3", runs=0, started_at=due)
    assert wait()["text"] == f"Waiting for a worker since {clock}."
    Job.objects.update(leased_until=time.time() + 60)
    assert wait()["for"] == ""


def test_a_model_that_does_not_answer_is_named_with_its_time(run: Run, wait: Any) -> None:
    Job.objects.update(leased_until=time.time() + 60)
    assert wait()["for"] == ""
    RunEvent.objects.filter(run=run).update(at=time.time() - 40)
    assert wait()["text"] == "The model's server has not answered for 40 s."
    RunEvent.objects.filter(run=run).update(at=time.time() - 400)
    assert wait()["text"] == "The model's server has not answered for 7 min."
    assert wait()["for"] == "model"


def test_a_question_names_the_person_that_it_waits_for(
    run: Run, wait: Any, bob: User, ada: User
) -> None:
    Job.objects.update(leased_until=time.time() + 60)
    question = Approval.objects.create(
        run=run, key="1", kind="approve", state="intake", asks={}, asked_at=datetime.now(UTC)
    )
    assert wait()["text"] == "Waiting for ada."
    question.passed_to = bob
    question.save()
    assert wait()["text"] == "Waiting for bob."
    assert wait()["for"] == "person"


def test_an_ended_run_waits_for_nothing(run: Run, wait: Any) -> None:
    Job.objects.update(due_at=time.time() - 60)
    runs.fail(run.pk, "Over.")
    assert wait() == {"for": "", "since": None, "text": ""}
