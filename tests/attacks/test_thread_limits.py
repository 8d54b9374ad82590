"""Work in the server's own threads ends at its limit, and nothing is interrupted after it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.function_calls import calls
from workflows.actions import packs
from workflows.core.dialects import dialects
from workflows.core.pack.edits import RenameState
from workflows.core.pack.files import BadFiles, Files
from workflows.errors import Refused
from workflows.isolation import Stopped, thread_limits
from workflows.isolation.thread_limits import within
from workflows.models import Pack, Revision
from workflows.selectors.sources import SHELF

SHORT = 0.05


def _endless() -> None:
    while True:
        try:
            for _ in range(1000):
                pass
        except Exception:
            pass


def _limited(work: Callable[[], object], seconds: float = SHORT) -> bool:
    """True if the work was stopped."""
    try:
        within(seconds, work)
    except Stopped:
        return True
    return False


def test_endless_work_is_stopped() -> None:
    assert _limited(_endless)


def test_short_work_is_not_stopped() -> None:
    assert not _limited(lambda: None)


def test_time_of_other_threads_does_not_count() -> None:
    waiting = threading.Event()
    with ThreadPoolExecutor(4) as threads:
        others = [threads.submit(_limited, _endless, 0.3) for _ in range(3)]
        assert not _limited(lambda: waiting.wait(0.3))
        assert [other.result() for other in others] == [True] * 3


def test_work_that_ends_at_its_limit_interrupts_nothing_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The exception may be sent in the moment in which the work ends."""
    monkeypatch.setattr(thread_limits, "LOOK_EVERY", 0.000_1)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(0.000_1)  # The watching thread has to run while the work does.
    try:
        outcomes = [_outcome(number % 30) for number in range(300)]
    finally:
        sys.setswitchinterval(interval)
    assert set(outcomes) == {True, False}
    _is_as_fast_as_before()


def _outcome(number: int) -> bool:
    """True if work of up to 9 ms was stopped by a limit of 3 ms."""
    until = time.thread_time() + number * 0.000_3
    stopped = _limited(lambda: _work_until(until), 0.003)
    _work_until(time.thread_time() + 0.000_3)  # Not limited.
    return stopped


def _is_as_fast_as_before() -> None:
    """With an exception that never arrives, the interpreter would not leave a traced call."""
    assert calls(_call_ten_times) >= 10


def _call_ten_times() -> None:
    for _ in range(10):
        _nothing()


def _nothing() -> None:
    pass


def _work_until(until: float) -> None:
    while time.thread_time() < until:
        pass


def test_a_limit_around_another_one_is_reported_as_its_own() -> None:
    with pytest.raises(Stopped) as stopped:
        within(SHORT, lambda: within(60, _endless))
    assert stopped.value.limits.seconds == round(SHORT)


@pytest.mark.django_db
def test_an_edit_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = User.objects.create_user("author")
    pack = packs.create_from_sample("promptpack/customer-support", owner=owner)
    monkeypatch.setattr(thread_limits, "SECONDS", SHORT)
    monkeypatch.setattr(type(dialects()["promptpack"]), "apply", lambda *_: _endless())
    with pytest.raises(Refused, match="took longer than"):
        packs.edit(pack.pk, 1, [RenameState(id="intake", new_id="first")], owner)
    assert Revision.objects.filter(pack=pack).count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("part", ["read", "graph"])
def test_a_pack_that_takes_too_long_to_read_is_not_imported(
    monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    files = dialects()["promptpack"].samples()["code-review"]
    monkeypatch.setattr(thread_limits, "SECONDS", SHORT)
    monkeypatch.setattr(type(dialects()["promptpack"]), part, lambda *_: _endless())
    with pytest.raises(BadFiles, match="took longer than"):
        packs.import_files(Files.of(dict(files)), owner=None)
    assert not Pack.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("part", ["read", "graph", "outline", "copy"])
def test_a_request_that_takes_too_long_has_a_message(
    monkeypatch: pytest.MonkeyPatch, client: Client, part: str
) -> None:
    owner = User.objects.create_user("author")
    client.force_login(owner)
    pack = packs.create_from_sample("promptpack/customer-support", owner=owner)
    SHELF.clear()
    monkeypatch.setattr(thread_limits, "SECONDS", SHORT)
    monkeypatch.setattr(type(dialects()["promptpack"]), part, lambda *_: _endless())
    if part == "copy":
        body = {"states": ["intake"]}
        answer = client.post(f"/api/v1/packs/{pack.pk}/copy/", body, "application/json")
    else:
        answer = client.get(f"/api/v1/packs/{pack.pk}/graph/")
    assert (answer.status_code, answer.json()["code"]) == (422, "took_too_long")
    assert "was stopped" in answer.json()["message"]
