"""Approvals survive kills of workers and of processes that answer: no answer is lost or doubled."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from tests.runner.conftest import Begin
from tests.runner.test_killed_worker import ROOT, same_database, to_the_end, worker
from tests.support.checks import quick_or_slow
from workflows.models import Approval, Run, RunEvent

pytestmark = [
    pytest.mark.sqlite,
    pytest.mark.skipif(sys.platform != "linux", reason="A dead process is found by /proc"),
]
QUESTIONS = 5
"""Questions of each run."""
TABLE = {
    "start": {"approve": ("m0", "m0")},
    **{f"m{n}": {"model": {"on": f"q{n + 1}"}} for n in range(QUESTIONS - 1)},
    **{f"q{n}": {"approve": (f"m{n}", f"m{n}")} for n in range(1, QUESTIONS)},
    f"m{QUESTIONS - 1}": {"end": "completed"},
}
SCRIPT = {"replies": [{"structured": {"go": "on"}}], "repeat_last": True}
MOST_STATEMENTS = 24
"""Answering takes fewer statements."""


class Answers:
    """A process that answers in forks of itself."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def __call__(self, approval: Approval, reason: str, statement: int = 0) -> str:
        """The outcome of one try, killed before this statement (0: not killed)."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([str(approval.pk), reason, statement]) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()


@contextmanager
def answering() -> Iterator[Answers]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.runner.answer_process"],
        cwd=ROOT,
        env={**os.environ, **same_database()},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Answers(process)
    finally:
        process.kill()
        process.communicate()


def kill_a_worker(commits: int) -> int:
    """Kill a worker after this number of commits. 0 if it had ended before."""
    with worker() as workers:
        for _ in range(commits):
            if workers.line() != "committed\n":
                return 0
        return 1


@pytest.mark.parametrize("kills", quick_or_slow(4, 200))
def test_no_answer_is_lost_or_doubled(begin: Begin, kills: int) -> None:
    chosen = random.Random(7)
    new_run = partial(begin, TABLE, driver="script", script=SCRIPT, delay_ms=1)
    rows = [new_run() for _ in range(max(1, kills // 10))]
    tries = 0
    killed = {"workers": 0, "answers": 0}
    accepted: dict[str, str] = {}
    with answering() as answer:
        while sum(killed.values()) < kills:
            killed["workers"] += kill_a_worker(chosen.randrange(3))
            approval = Approval.objects.filter(status="open").order_by("?").first()
            if approval is None:
                to_the_end()
                if not Approval.objects.filter(status="open").exists():
                    rows.append(new_run())
                continue
            tries += 1
            reason = f"Answer {tries}"
            outcome = answer(approval, reason, statement=1 + tries % MOST_STATEMENTS)
            assert outcome == "killed"
            killed["answers"] += 1
            approval.refresh_from_db()
            if approval.status == "open":
                assert RunEvent.objects.filter(run=approval.run, fields__text=reason).count() == 0
            else:
                accepted[str(approval.pk)] = reason
                assert (approval.status, approval.reason) == ("denied", reason)
                assert answer(approval, "Too late") == "refused"
        while True:
            to_the_end()
            left = list(Approval.objects.filter(status="open"))
            for approval in left:
                accepted[str(approval.pk)] = reason = f"Last answer {approval.pk}"
                assert answer(approval, reason) == "answered"
            if not left:
                break
    print(f"\nKilled {killed}; {len(accepted)} answers to {len(rows) * QUESTIONS} questions")
    assert {Run.objects.get(pk=row.pk).status for row in rows} == {"completed"}
    assert len(accepted) == len(rows) * QUESTIONS
    for row in rows:
        asked = RunEvent.objects.filter(run=row, type="approval.asked")
        given = RunEvent.objects.filter(run=row, type="approval.given")
        keys = sorted(event.fields["key"] for event in asked)
        assert len(set(keys)) == QUESTIONS == len(keys)
        assert sorted(event.fields["key"] for event in given) == keys
        texts = {str(one.pk): one.reason for one in row.approvals.all()}
        assert texts == {id: accepted[id] for id in texts}
        assert sorted(event.fields["text"] for event in given) == sorted(texts.values())
        assert set(row.approvals.values_list("status", flat=True)) == {"denied"}
