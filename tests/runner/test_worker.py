"""The worker: concurrent runs, waiting, failures and shutdown."""

from __future__ import annotations

import asyncio
import time
import weakref
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError
from django.db.models import F

from tests.runner.conftest import MakeWorker
from tests.support.state_machine import EVERYTHING, Machine
from tests.support.workers import until_idle
from workflows.actions import run_log, runs
from workflows.actions.run_log import Log
from workflows.core.engine.effects import AskModel, Effect
from workflows.core.engine.fold import fold_all
from workflows.core.engine.signals import Approve, Control, Reply, Signal
from workflows.errors import SignalRefused
from workflows.models import Job, Run, RunEvent
from workflows.notifications import bus
from workflows.providers.endpoint import Endpoint
from workflows.runner import effects
from workflows.runner.drivers.base import ModelUnavailable
from workflows.runner.drivers.manual import Manual
from workflows.runner.drivers.models import RealModel
from workflows.runner.executor import RunExecutor
from workflows.runner.models import clients
from workflows.runner.queue.lease_holder import GIVE_UP_AFTER
from workflows.selectors.runs import event_of

pytestmark = pytest.mark.django_db(transaction=True)

DAY = 86_400.0
LOOP = {"start": {"model": {"stay": "start", "on": "done"}}, "done": {"end": "completed"}}
A_PERSON = {"start": {"human": {"on": "done"}}, "done": {"end": "completed"}}
A_COMMAND = {
    "start": {"command": ("done", "lost")},
    "done": {"end": "completed"},
    "lost": {"end": "failed"},
}
A_WAIT = {"start": {"wait": "done"}, "done": {"end": "completed"}}
BRANCHES = {
    "start": {"fork": (("left", "right"), "done")},
    "left": {"model": {"go": "leave"}},
    "right": {"human": {"go": "leave"}},
    "leave": {"join": None},
    "done": {"end": "completed"},
}


class Endless:
    """Work that ends only by a cancellation, and records it."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.dropped = asyncio.Event()

    async def __call__(self, log: Log, effect: Effect) -> Signal | None:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.dropped.set()
        return None


async def signal(run: Run, what: Signal) -> Any:
    return await sync_to_async(runs.signal)(run.pk, what)


async def types(run: Run) -> list[str]:
    return [kind async for kind in run.events.order_by("n").values_list("type", flat=True)]


async def status(run: Run) -> str:
    return (await Run.objects.aget(pk=run.pk)).status


async def test_a_run_without_other_writers_is_read_once(
    start: Any, make_worker: MakeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    work_of = runs.work_of

    def counting(run_id: Any, held: Log | None = None) -> Log:
        log = work_of(run_id, held)
        if log is not held:
            reads.append(str(run_id))
        return log

    async def perform(log: Log, effect: Effect) -> Signal | None:
        go = "on" if log.run.transitions == 9 else "stay"
        return Reply(at=time.time(), key=effect.key, structured={"go": go})

    monkeypatch.setattr(runs, "work_of", counting)
    run = await start(LOOP)
    await until_idle(await make_worker(perform=perform, poll_interval=60.0))
    assert (await status(run), reads) == ("completed", [str(run.pk)])


async def test_a_waiting_run_releases_its_log(
    start: Any, make_worker: MakeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, put_down, said = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
    work_of = runs.work_of

    def released() -> None:
        if not loop.is_closed():  # The last log may be collected after this test.
            loop.call_soon_threadsafe(put_down.set)

    def watched(run_id: Any, held: Log | None = None) -> Log:
        log = work_of(run_id, held)
        weakref.finalize(log, released)
        return log

    async def answer(self: RealModel, effect: AskModel, run: Any, *_: Any) -> Reply:
        del run, _
        await said.wait()
        return Reply(at=0.0, key=effect.key, structured={"go": "on"})

    monkeypatch.setattr(runs, "work_of", watched)
    monkeypatch.setattr(RealModel, "answer", answer)
    run = await start(LOOP, driver="model")
    worker = await make_worker(poll_interval=0.01)
    async with asyncio.timeout(120):
        await put_down.wait()
    said.set()
    await until_idle(worker)
    assert await status(run) == "completed"


async def test_a_rehearsal_runs_through_every_kind_of_state(
    start: Any, make_worker: MakeWorker
) -> None:
    table = {**EVERYTHING, "rest": {"tool": "start"}}
    run = await start(table, driver="rehearsal", seed=3)
    await until_idle(await make_worker())
    assert await status(run) == "completed"
    events = [event_of(row) async for row in RunEvent.objects.filter(run=run).order_by("n")]
    assert [event.n for event in events] == list(range(1, len(events) + 1))
    assert fold_all(events) == (await sync_to_async(runs.work_of)(run.pk)).run
    assert not await Job.objects.aexists()


async def test_many_runs_advance_concurrently(start: Any, make_worker: MakeWorker) -> None:
    begun = [await start(LOOP, driver="rehearsal", delay_ms=200) for _ in range(30)]
    await until_idle(await make_worker())
    assert [await status(run) for run in begun] == ["completed"] * 30
    replies = RunEvent.objects.filter(type="model.replied").order_by("at", "n")
    one_after_another = groupby([reply.run_id async for reply in replies])
    assert len(list(one_after_another)) > 30


async def test_concurrent_runs_are_limited(start: Any, make_worker: MakeWorker) -> None:
    under_way, most = set[Any](), 0

    async def perform(log: Log, effect: Effect) -> Signal | None:
        nonlocal most
        under_way.add(log.row.pk)
        most = max(most, len(under_way))
        await asyncio.sleep(0)
        under_way.remove(log.row.pk)
        return Reply(at=time.time(), key=effect.key, structured={"go": "on"})

    begun = [await start(LOOP, driver="rehearsal") for _ in range(9)]
    await until_idle(await make_worker(perform=perform, max_runs=2, poll_interval=0.01))
    assert [await status(run) for run in begun] == ["completed"] * 9
    assert most <= 2


async def test_a_new_job_is_claimed_on_a_notification(start: Any, make_worker: MakeWorker) -> None:
    worker = await make_worker(poll_interval=60)
    await until_idle(worker)
    finished = asyncio.Event()
    loop = asyncio.get_running_loop()
    stop = bus.subscribe(
        lambda ring: (
            Run.objects.filter(status="completed").exists()
            and loop.call_soon_threadsafe(finished.set)
        )
    )
    run = await start({"start": {"tool": "done"}, "done": {"end": "completed"}}, driver="script")
    await asyncio.wait_for(finished.wait(), 120)
    stop()
    assert await status(run) == "completed"


async def test_a_change_whose_notification_was_lost_is_noticed(
    start: Any, make_worker: MakeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = Endless()
    worker = await make_worker(perform=endless, poll_interval=0.01, renew_interval=60.0)
    monkeypatch.setattr(worker, "_wake_run", lambda run: None)
    run = await start(LOOP)
    async with asyncio.timeout(120):
        await endless.asked.wait()
        await signal(run, Control(at=time.time(), what="cancel"))
        await endless.dropped.wait()


@pytest.mark.parametrize("ended", ["stopped", "killed"])
async def test_a_call_that_is_made_again_is_an_event(
    start: Any, make_worker: MakeWorker, monkeypatch: pytest.MonkeyPatch, ended: str
) -> None:
    endless = Endless()
    first = await make_worker(perform=endless)
    run = await start(LOOP, driver="model")
    async with asyncio.timeout(120):
        await endless.asked.wait()
    await first.stop()
    if ended == "killed":
        await Job.objects.aupdate(worker="host:1:gone", leased_until=time.time() - 1)
    await Job.objects.aupdate(leased_until=F("leased_until") - DAY)
    await RunEvent.objects.aupdate(at=F("at") - DAY)
    monkeypatch.setattr(run_log, "FOLDS", run_log.Folds())

    async def answer(log: Log, effect: Effect) -> Signal | None:
        return Reply(at=time.time(), key=effect.key, structured={"go": "on"})

    await until_idle(await make_worker(perform=answer))
    assert await status(run) == "completed"
    seen = await types(run)
    asked = seen.index("model.asked")
    assert seen[asked : asked + 3] == ["model.asked", "effect.repeated", "model.replied"]
    repeated = await RunEvent.objects.aget(run=run, type="effect.repeated")
    assert repeated.fields["estimated_input_tokens"] > 0
    log = [event_of(event) async for event in run.events.order_by("n")]
    assert fold_all(log).model_calls == 2
    assert fold_all(log).active_seconds < DAY / 2, "the day without a worker is not counted"


async def test_a_run_that_waits_for_people_has_no_job(start: Any, make_worker: MakeWorker) -> None:
    worker = await make_worker()
    for table in (A_PERSON, LOOP, A_COMMAND):
        run = await start(table, driver="manual")
        await until_idle(worker)
        assert await status(run) == "waiting"
        assert (await types(run)).count("run.waiting") == 1
    assert not await Job.objects.aexists()
    await signal(run, Approve(at=time.time(), structured={"exit": 0}))
    assert await status(run) == "completed"


async def test_a_branch_continues_while_another_waits_for_a_person(
    start: Any, make_worker: MakeWorker
) -> None:
    run = await start(BRANCHES, driver="script", script={"replies": [{"event": "go"}]})
    worker = await make_worker()
    await until_idle(worker)
    assert (await status(run), "model.replied" in await types(run)) == ("waiting", True)
    await signal(run, Approve(at=time.time(), event="go"))
    assert await status(run) == "completed"


async def test_a_script_answers_for_people_and_commands(
    start: Any, make_worker: MakeWorker
) -> None:
    script = {"answers": [{"event": "on"}], "commands": [{"exit": 3, "stderr": "no"}]}
    person = await start(A_PERSON, driver="script", script=script)
    command = await start(A_COMMAND, driver="script", script=script)
    await until_idle(await make_worker())
    assert (await status(person), await status(command)) == ("completed", "failed")


async def test_an_exhausted_script_fails_the_run(start: Any, make_worker: MakeWorker) -> None:
    run = await start(LOOP, driver="script", script={"replies": [{"event": "stay"}]})
    await until_idle(await make_worker())
    ended = await Run.objects.aget(pk=run.pk)
    assert ended.status == "failed"
    assert ended.reason.startswith("The script has no reply left for 'start'")


@pytest.mark.parametrize(
    ("operator", "starter", "runs_it"),
    [(True, True, True), (True, False, False), (False, True, False)],
)
async def test_a_command_runs_only_where_operator_and_starter_allow_it(
    start: Any,
    make_worker: MakeWorker,
    settings: Any,
    tmp_path: Path,
    operator: bool,
    starter: bool,
    runs_it: bool,
) -> None:
    settings.SIGNALBOX_COMMANDS = operator
    settings.DATA = tmp_path
    run = await start(A_COMMAND, driver="manual", commands=starter)
    await until_idle(await make_worker())
    assert await status(run) == ("completed" if runs_it else "waiting")
    assert (tmp_path / "workspaces").exists() is runs_it
    asked = await RunEvent.objects.aget(run=run, type="command.asked")
    assert asked.fields["command"] == ["true"]


async def test_a_wait_is_a_delayed_job(start: Any, make_worker: MakeWorker) -> None:
    run = await start(A_WAIT, driver="manual")
    worker = await make_worker()
    await until_idle(worker)
    job = await Job.objects.aget(run=run)
    asked = await RunEvent.objects.aget(run=run, type="run.waiting")
    assert (job.due_at, job.worker) == (asked.at + 1.0, "")
    await RunEvent.objects.filter(pk=asked.pk).aupdate(at=asked.at - 10)
    await Job.objects.aupdate(due_at=asked.at - 9)
    await until_idle(worker)
    assert await status(run) == "completed"


async def test_pause_completes_current_effects_and_starts_none(
    start: Any, make_worker: MakeWorker
) -> None:
    asked, answer = asyncio.Event(), asyncio.Event()

    async def slow(log: Log, effect: Effect) -> Signal | None:
        asked.set()
        await answer.wait()
        return Reply(at=time.time(), key=effect.key, structured={"go": "stay"})

    run = await start(LOOP, driver="rehearsal")
    worker = await make_worker(perform=slow)
    await asked.wait()
    await signal(run, Control(at=time.time(), what="pause"))
    answer.set()
    await until_idle(worker)
    assert await status(run) == "paused"
    seen = await types(run)
    assert (seen.count("model.asked"), seen.count("model.replied")) == (1, 1)
    with pytest.raises(SignalRefused):
        await signal(run, Control(at=time.time(), what="pause"))
    await signal(run, Control(at=time.time(), what="step"))
    await until_idle(worker)
    assert (await types(run)).count("model.replied") == 2
    assert await status(run) == "paused"


async def test_the_answer_of_a_cancelled_run_is_dropped(
    start: Any, make_worker: MakeWorker
) -> None:
    endless = Endless()
    run = await start(LOOP, driver="rehearsal")
    worker = await make_worker(perform=endless)
    await endless.asked.wait()
    await signal(run, Control(at=time.time(), what="cancel", reason="Enough."))
    await asyncio.wait_for(endless.dropped.wait(), 120)
    await until_idle(worker)
    assert (await status(run), (await types(run))[-1]) == ("cancelled", "run.finished")


async def test_effects_of_a_cancelled_branch_are_cancelled(
    start: Any, make_worker: MakeWorker
) -> None:
    table = {
        "start": {"fork": (("left", "right"), "done")},
        "left": {"model": {"flee": "bolt"}},
        "right": {"model": {"go": "leave"}},
        "bolt": {"flee": None},
        "leave": {"join": None},
        "done": {"end": "completed"},
    }
    endless = Endless()

    async def one_flees(log: Log, effect: Effect) -> Signal | None:
        if effect.state == "right":
            return await endless(log, effect)
        await endless.asked.wait()
        return Reply(at=time.time(), key=effect.key, structured={"go": "flee"})

    run = await start(table, driver="rehearsal")
    await until_idle(await make_worker(perform=one_flees))
    assert endless.dropped.is_set()
    assert await status(run) == "completed"
    late = Reply(at=time.time(), key="0.2:2", structured={"go": "go"})
    log = await sync_to_async(runs.deliver)(run.pk, late)
    assert log.run.status == "completed"
    with pytest.raises(SignalRefused):
        await signal(run, late)
    assert not await Job.objects.aexists()


async def test_a_driver_without_a_required_capability_fails_the_run(
    start: Any, make_worker: MakeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Machine, "requires", {"toolCalling": "hard"}, raising=False)
    monkeypatch.setattr(Manual, "claims", {"toolCalling": "absent"})
    run = await start(LOOP, driver="manual")
    await until_idle(await make_worker())
    ended = await Run.objects.aget(pk=run.pk)
    assert ended.status == "failed"
    assert "call tools in a structured form, and manual cannot" in ended.reason


async def test_a_failing_driver_is_an_answer_with_an_error(
    start: Any, make_worker: MakeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*given: Any) -> Any:
        raise OSError("no route to anywhere")

    monkeypatch.setattr("workflows.runner.drivers.rehearsal.Rehearsal.answer", broken)
    run = await start(LOOP, driver="rehearsal")
    await until_idle(await make_worker())
    replied = await RunEvent.objects.aget(run=run, type="model.replied")
    assert replied.fields["error"] == "OSError: no route to anywhere"
    assert await status(run) == "failed"


async def test_a_program_with_a_bug_fails_its_run_and_no_other(
    start: Any,
    make_worker: MakeWorker,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    good = await start(LOOP, driver="rehearsal")
    bad = await start({"start": {"model": {"on": "nowhere"}}}, driver="rehearsal")
    await until_idle(await make_worker())
    assert await status(good) == "completed"
    ended = await Run.objects.aget(pk=bad.pk)
    assert ended.status == "failed"
    assert "stopped the computation of the next step (KeyError" in ended.reason
    assert "Traceback" in caplog.text


async def test_a_missing_driver_fails_the_run(start: Any, make_worker: MakeWorker) -> None:
    run = await start(LOOP, driver="crystal ball")
    await until_idle(await make_worker())
    ended = await Run.objects.aget(pk=run.pk)
    assert (ended.status, "no driver 'crystal ball'" in ended.reason) == ("failed", True)


async def test_a_run_without_progress_is_given_up_until_resumed(
    start: Any, make_worker: MakeWorker
) -> None:
    run = await start(BRANCHES | {"right": {"model": {"go": "leave"}}}, driver="rehearsal")
    await Job.objects.aupdate(attempts=GIVE_UP_AFTER)
    worker = await make_worker()
    await until_idle(worker)
    put_aside = await Run.objects.aget(pk=run.pk)
    assert put_aside.status == "paused"
    asked = await types(run)
    assert (asked.count("model.asked"), "model.replied" in asked) == (2, False)
    told = await RunEvent.objects.filter(run=run, type="run.paused").afirst()
    assert told is not None
    assert f"failed {GIVE_UP_AFTER} times without progress" in told.fields["reason"]
    assert not await Job.objects.aexists()
    await signal(run, Control(at=time.time(), what="resume"))
    await until_idle(worker)
    assert await status(run) == "completed"


async def test_an_unavailable_database_counts_no_attempt(
    start: Any, make_worker: MakeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    troubles = [RuntimeError("no idea"), OperationalError("locked"), RuntimeError("no idea")]
    attempts: list[int] = []
    look = RunExecutor.work

    async def troubled(stint: RunExecutor) -> None:
        attempts.append(await Job.objects.values_list("attempts", flat=True).aget())
        if troubles:
            raise troubles.pop()
        await look(stint)

    monkeypatch.setattr(RunExecutor, "work", troubled)
    run = await start(LOOP, driver="rehearsal")
    await until_idle(await make_worker(poll_interval=0.01, renew_interval=0.01))
    assert (attempts, await status(run)) == ([1, 2, 2, 3], "completed")


async def test_an_unavailable_database_is_not_an_answer(
    start: Any, make_worker: MakeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, away = effects.options_at, [OperationalError("gone"), InterfaceError("closed")]

    def troubled(run: Run, state: str) -> Any:
        if away:
            raise away.pop()
        return look(run, state)

    async def answer(self: RealModel, effect: AskModel, *_: Any) -> Reply:
        return Reply(at=0.0, key=effect.key, structured={"go": "on"})

    monkeypatch.setattr(effects, "options_at", troubled)
    monkeypatch.setattr(RealModel, "answer", answer)
    run = await start(LOOP, driver="model")
    await until_idle(await make_worker(poll_interval=0.01, renew_interval=0.01))
    assert (away, await status(run)) == ([], "completed")


async def test_a_stopped_worker_releases_its_runs(start: Any, make_worker: MakeWorker) -> None:
    asked = asyncio.Event()

    async def endless(log: Log, effect: Effect) -> Signal | None:
        asked.set()
        await asyncio.Event().wait()
        return None

    run = await start(LOOP, driver="rehearsal")
    first = await make_worker(perform=endless)
    await asked.wait()
    await first.stop()
    job = await Job.objects.aget(run=run)
    assert (job.worker, job.attempts) == ("interrupted", 0)
    await until_idle(await make_worker())
    assert await status(run) == "completed"
    assert (await types(run)).count("model.asked") == (await types(run)).count("model.replied")


async def test_an_unanswered_request_is_not_repeated_before_resuming(
    start: Any, make_worker: MakeWorker
) -> None:
    table = {**BRANCHES, "right": {"model": {"go": "leave"}}}
    asked: list[tuple[str, str]] = []
    busy = asyncio.Event()

    def work(worker: str) -> Any:
        async def perform(log: Log, effect: Effect) -> Signal | None:
            asked.append((worker, effect.state))
            if effect.state == "left" and worker != "third":
                raise ModelUnavailable("The line is dead.")
            if worker != "third":
                busy.set()
                await asyncio.Event().wait()
            return Reply(at=time.time(), key=effect.key, structured={"go": "go"})

        return perform

    run = await start(table, driver="rehearsal")
    first = await make_worker(perform=work("first"))
    while await status(run) != "paused":
        await asyncio.sleep(0)
    await busy.wait()
    await first.stop()
    busy.clear()
    second = await make_worker(perform=work("second"))
    await busy.wait()
    await second.stop()
    assert sorted(asked) == [("first", "left"), ("first", "right"), ("second", "right")]
    await signal(run, Control(at=time.time(), what="resume"))
    await until_idle(await make_worker(perform=work("third")))
    assert await status(run) == "completed"
    assert sorted(asked[3:]) == [("third", "left"), ("third", "right")]
    assert (await types(run)).count("run.paused") == 1


async def test_a_stopped_worker_closes_its_model_connections(
    make_worker: MakeWorker,
) -> None:
    worker = await make_worker()
    reach = Endpoint(name="one", kind="compatible", key="", base_url="https://models.example/v1")
    model = await clients.model_at(reach, "small")
    await worker.stop()
    assert model.client._client.is_closed
    again = await clients.model_at(reach, "small")
    assert not again.client._client.is_closed
    await clients.close_clients()


async def test_a_lost_lease_cancels_the_run(start: Any, make_worker: MakeWorker) -> None:
    endless = Endless()
    run = await start(LOOP, driver="rehearsal")
    await make_worker(perform=endless, renew_interval=0.01)
    await endless.asked.wait()
    await Job.objects.aupdate(worker="another", leased_until=time.time() + 60)
    await asyncio.wait_for(endless.dropped.wait(), 120)
    assert (await Job.objects.aget(run=run)).worker == "another"


async def test_a_run_with_deny_waits_for_no_approval(start: Any, make_worker: MakeWorker) -> None:
    table = {"start": {"approve": ("lost", "done")}, **{k: A_COMMAND[k] for k in ("done", "lost")}}
    waiting = await start(table, driver="manual")
    denied = await start(table, driver="manual", deny=True)
    await until_idle(await make_worker())
    assert [await status(run) for run in (waiting, denied)] == ["waiting", "completed"]
