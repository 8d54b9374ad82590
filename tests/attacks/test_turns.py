"""A user who fills the processes for costly work makes others wait for one turn at most."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.contrib.auth.models import User
from django.test import Client

from roles.processes import pool as pools
from roles.processes.pool import Ended, Pool, Process
from roles.processes.worker import DONE
from roles.turns import Turns, current_caller, set_caller
from workflows.actions import packs
from workflows.isolation.pack_processes import LONG_WORK

PATIENCE = 10.0


class Crowd:
    """Users who ask for turns, each in a thread of its own, and the order in which they began."""

    def __init__(self, count: int) -> None:
        self.turns = Turns(count)
        self.order: list[str] = []
        self.asked = 0
        self._threads: list[threading.Thread] = []
        self._ends: dict[str, list[threading.Event]] = {}

    def ask(self, caller: str) -> None:
        end = threading.Event()
        self._ends.setdefault(caller, []).append(end)

        def work() -> None:
            with self.turns.turn(caller, PATIENCE):
                self.order.append(caller)
                end.wait(PATIENCE)

        thread = threading.Thread(target=work)
        thread.start()
        self._threads.append(thread)
        self.asked += 1
        _until(lambda: len(self.order) + len(self.turns._waiting) == self.asked)

    def end(self, caller: str) -> None:
        """One turn of this user ends."""
        began = len(self.order)
        waiting = len(self.turns._waiting)
        self._ends[caller].pop(0).set()
        _until(lambda: len(self.order) > began or not waiting)

    def close(self) -> None:
        for ends in self._ends.values():
            for end in ends:
                end.set()
        for thread in self._threads:
            thread.join()


def _until(condition: object) -> None:
    assert callable(condition)
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)


@pytest.fixture
def crowd() -> Iterator[Crowd]:
    crowd = Crowd(2)
    yield crowd
    crowd.close()


def test_a_user_alone_has_all_turns(crowd: Crowd) -> None:
    for _ in range(3):
        crowd.ask("ann")
    assert crowd.order == ["ann", "ann"]
    crowd.end("ann")
    assert crowd.order == ["ann", "ann", "ann"]


def test_a_user_without_a_turn_is_next(crowd: Crowd) -> None:
    for _ in range(8):
        crowd.ask("eve")
    crowd.ask("ann")
    crowd.end("eve")
    assert crowd.order == ["eve", "eve", "ann"]


def test_two_users_who_ask_for_much_leave_turns_to_a_third(crowd: Crowd) -> None:
    for _ in range(5):
        crowd.ask("eve")
        crowd.ask("mallory")
    assert sorted(crowd.order) == ["eve", "eve"] or sorted(crowd.order) == ["eve", "mallory"]
    crowd.ask("ann")
    crowd.end(crowd.order[0])
    crowd.end(crowd.order[1])
    assert "ann" in crowd.order[2:4]


def test_a_wait_ends_after_some_time(crowd: Crowd) -> None:
    crowd.ask("eve")
    crowd.ask("eve")
    with pytest.raises(TimeoutError), crowd.turns.turn("ann", 0.05):
        pass
    crowd.ask("bob")
    crowd.end("eve")
    assert crowd.order[-1] == "bob"


class Slow(Process):
    """A process whose work ends with an event."""

    may_end = threading.Event()

    def ask(self, request: bytes, seconds: float, _waiting: object) -> tuple[bytes, bytes]:
        self.may_end.wait(PATIENCE)
        return DONE, current_caller().encode()


@contextmanager
def caller(name: str) -> Iterator[None]:
    set_caller(name)
    try:
        yield
    finally:
        set_caller(None)


def test_work_of_a_pool_counts_for_its_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "Process", Slow)
    Slow.may_end.clear()
    pool = Pool("", size=1, patience=0.05)
    results: list[bytes] = []

    def work() -> None:
        with caller("eve"):
            results.append(pool.ask(lambda _: b"", 1))

    thread = threading.Thread(target=work)
    thread.start()
    _until(lambda: pool._turns._free == 0)
    with caller("ann"), pytest.raises(Ended) as ended:
        pool.ask(lambda _: b"", 1)
    assert ended.value.why == "busy"
    Slow.may_end.set()
    thread.join()
    assert results == [b"eve"]


@pytest.mark.django_db
def test_a_request_counts_for_the_user_who_is_signed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    ann = User.objects.create_user("ann")
    pack = packs.create("promptpack", name="A", owner=ann)
    browser = Client(HTTP_HOST="127.0.0.1")
    browser.force_login(ann)
    callers: list[str] = []
    ask = LONG_WORK.ask
    monkeypatch.setattr(
        LONG_WORK, "ask", lambda *work: (callers.append(current_caller()), ask(*work))[1]
    )
    path = f"/api/v1/packs/{pack.pk}/rehearse/"
    answer = browser.post(path, {"runs": 1}, "application/json")
    assert answer.status_code == 200
    assert callers == [str(ann.pk)]
    set_caller(None)
