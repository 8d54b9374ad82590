"""A user whose templates fill the template processes makes others wait for one turn at most."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from roles import rendering
from roles.core.templates import TemplateStopped
from roles.processes import pool as pools
from roles.processes.pool import Pool, Process
from roles.processes.worker import DONE
from roles.rendering import render_program
from roles.turns import current_caller, work_for
from workflows.actions import role_prompts, run_programs
from workflows.core.engine.effects import AskModel
from workflows.core.engine.run import Position, RunState
from workflows.core.prompts.layered_program import LayeredProgram
from workflows.models import Pack, Run

PATIENCE = 5.0
EVE_ASKS = 6
TEMPLATE = "{% if 1 %}x{% endif %}"


class Slow(Process):
    """A process that waits for permission to answer, and the users in the order of answers."""

    may_answer: threading.Semaphore
    order: list[str]

    def ask(self, request: bytes, seconds: float, _waiting: object) -> tuple[bytes, bytes]:
        assert Slow.may_answer.acquire(timeout=PATIENCE)
        Slow.order.append(current_caller())
        return DONE, b'{"text": "x", "unknown": []}'


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    monkeypatch.setattr(pools, "Process", Slow)
    Slow.may_answer, Slow.order = threading.Semaphore(0), []
    made = Pool("", size=1, patience=PATIENCE)
    monkeypatch.setattr(rendering, "POOL", made)
    yield made
    for _ in range(2 * EVE_ASKS):
        Slow.may_answer.release()


def ask(pool: Pool, user: str) -> threading.Thread:
    """A template of this user, in a thread of its own that waits."""

    def work() -> None:
        with work_for(user):
            render_program(TEMPLATE, {})

    waiting = len(pool._turns._waiting)
    was_free = pool._turns._free
    thread = threading.Thread(target=work)
    thread.start()
    until = time.monotonic() + PATIENCE
    while len(pool._turns._waiting) == waiting and pool._turns._free == was_free:
        assert time.monotonic() < until
        time.sleep(0.002)
    return thread


def test_the_template_of_another_user_is_next(pool: Pool) -> None:
    threads = [ask(pool, "eve") for _ in range(EVE_ASKS)]
    threads.append(ask(pool, "ann"))
    for _ in threads:
        Slow.may_answer.release()
    for thread in threads:
        thread.join()
    assert Slow.order[:2] == ["eve", "ann"]


def test_a_template_waits_for_some_time_only(pool: Pool) -> None:
    thread = ask(pool, "eve")
    pool._patience = 0.05
    with work_for("ann"), pytest.raises(TemplateStopped, match="Try again"):
        render_program(TEMPLATE, {})
    Slow.may_answer.release()
    thread.join()


def test_the_templates_of_a_run_count_for_its_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    callers: list[str] = []

    def blocks_of(*_: Any) -> Any:
        callers.append(current_caller())
        raise role_prompts.CannotCompose("stopped")

    monkeypatch.setattr(role_prompts, "blocks_of", blocks_of)
    taken = {"role": {"name": "Writer", "prompt_config": {}}}
    run = Run(pack=Pack(), owner_id=7, options={"roles": {"s": taken}})
    monkeypatch.setattr(run_programs, "opened", lambda *_: None)
    monkeypatch.setattr(run_programs, "_program", lambda *_: None)
    monkeypatch.setattr(run_programs, "in_context", lambda *_: None)
    program = run_programs.program_of(run)
    assert isinstance(program, LayeredProgram)
    question = AskModel(key="0", position="0", state="s", system="Work.")
    with work_for("ann"):
        with pytest.raises(role_prompts.CannotCompose):
            program._roles["s"](RunState(), Position(id="0", state="s"), question, None)
        assert current_caller() == "ann"
    assert callers == ["7"]
