"""Processes for untrusted work: what goes over a limit ends alone, and what was read is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from roles.processes import worker
from roles.processes.pool import Ended, Pool

SHORT = 0.2
"""Processor time of work that does not end by itself, in seconds."""


@pytest.fixture
def pool() -> Iterator[Pool]:
    pool = Pool("tests.support.worker_process", size=1, patience=20.0)
    yield pool
    pool.end()


def asked(pool: Pool, what: str, seconds: float = 20.0) -> str:
    return pool.ask(lambda _: what.encode(), seconds).decode()


def worker_of(pool: Pool) -> int:
    return int(asked(pool, "pid"))


def test_a_worker_answers_many_requests(pool: Pool) -> None:
    assert worker_of(pool) == worker_of(pool)


@pytest.mark.parametrize(
    ("what", "why"), [("endless", "time"), ("endless in C", "time"), ("large", "memory")]
)
def test_work_over_a_limit_ends_and_the_next_is_answered(pool: Pool, what: str, why: str) -> None:
    first = worker_of(pool)
    with pytest.raises(Ended) as ended:
        asked(pool, what, SHORT if why == "time" else 20.0)
    assert ended.value.why == why
    assert worker_of(pool) != first
    assert process_of(pool).poll() is None, "The process that forks is the same."


def process_of(pool: Pool) -> subprocess.Popen[bytes]:
    (process,) = pool._processes
    assert process._process is not None
    return process._process


def test_waiting_is_no_work(pool: Pool) -> None:
    assert asked(pool, "wait 0.5", SHORT) == "waited"


def test_a_caller_that_is_gone_ends_the_work(pool: Pool) -> None:
    worker_of(pool)
    first = process_of(pool)

    def gone() -> None:
        raise KeyError

    with pytest.raises(KeyError):
        pool.ask(lambda _: b"wait 60", 20.0, waiting=gone)
    assert first.poll() is not None
    assert worker_of(pool)


def test_a_worker_whose_memory_has_grown_is_replaced_after_its_answer(pool: Pool) -> None:
    first = worker_of(pool)
    assert asked(pool, "grow") == "grown"
    assert worker_of(pool) != first


def test_a_worker_that_was_killed_between_requests_is_replaced(pool: Pool) -> None:
    first = worker_of(pool)
    os.kill(first, signal.SIGKILL)
    assert worker_of(pool) != first


def test_a_process_that_was_killed_is_replaced_with_its_worker(pool: Pool) -> None:
    first = worker_of(pool)
    process_of(pool).kill()
    process_of(pool).wait()
    assert worker_of(pool) != first
    stat = Path(f"/proc/{first}/stat")
    assert not stat.exists() or stat.read_text().split()[2] == "Z"


def test_the_work_of_a_process_that_is_killed_is_done_by_another(pool: Pool) -> None:
    worker_of(pool)
    first = process_of(pool)
    killer = threading.Timer(0.3, os.killpg, (first.pid, signal.SIGKILL))
    killer.start()
    assert asked(pool, "wait 1") == "waited"
    assert first.wait() == -signal.SIGKILL
    assert process_of(pool) is not first


def test_a_worker_that_keeps_what_was_sent_is_not_sent_it_again(pool: Pool) -> None:
    sent: list[bool] = []

    def keep(is_known: bool) -> bytes:
        sent.append(is_known)
        return b"kept" if is_known else b"keep"

    for _ in range(3):
        assert pool.ask(keep, 20.0, "a") == b"a"
    assert sent == [False, True, True]
    with pytest.raises(Ended):
        asked(pool, "endless", SHORT)
    assert pool.ask(keep, 20.0, "a") == b"a"
    assert sent == [False, True, True, True, False], "The new worker had forgotten it."


def test_a_request_goes_to_the_process_that_had_its_key() -> None:
    pool = Pool("tests.support.worker_process", size=2, patience=20.0)
    try:
        one, other = pool.ask(lambda _: b"pid", 20.0, "a"), overlapping(pool)
        assert one != other
        pool.follow("a", "b")
        assert {pool.ask(lambda _: b"pid", 20.0, key) for key in "abab"} == {one}
    finally:
        pool.end()


def overlapping(pool: Pool) -> bytes:
    """The answer to a request of another key, while the process of `a` has work."""
    began = threading.Event()

    def first(_: bool) -> bytes:
        began.set()
        return b"wait 1"

    thread = threading.Thread(target=lambda: pool.ask(first, 20.0, "a"))
    thread.start()
    began.wait(20)
    answer = pool.ask(lambda _: b"pid", 20.0, "c")
    thread.join()
    return answer


def test_a_process_has_no_access_to_the_server(pool: Pool) -> None:
    worker_of(pool)
    here = Path(f"/proc/{process_of(pool).pid}")
    assert (here / "environ").read_bytes() == b""
    assert {one.name for one in (here / "fd").iterdir()} == {"0", "1", "2"}


def test_an_answer_too_large_to_be_read_is_refused(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Ended) as ended:
        asked(pool, f"long {worker.LARGEST + 1}")
    assert ended.value.why == "size"
    assert asked(pool, "long 3") == "xxx"
