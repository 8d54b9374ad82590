"""Checks of the database and the logs after the chaos test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.chaos import pack
from tests.chaos.effect_server import EffectServer
from tests.chaos.workspace_checks import wrong_in_workspace

PAIRS = {
    "model.asked": "model.replied",
    "tool.asked": "tool.returned",
    "approval.asked": "approval.given",
    "run.waiting": "run.resumed",
}
"""Event type of a request → event type of its answer, with the same key."""

PROMISES = (
    "what was begun is there once",
    "every run ended",
    "events are numbered without gap",
    "what was shown stands",
    "row and log agree",
    "replayed, the log comes out the same",
    "each transition was taken once",
    "what was asked was answered once",
    "effects happened once",
    "files and commands: once, or repeated",
    "a repetition is an event",
    "no call failed",
    "approvals agree with the log",
    "no job is left",
)


@dataclass
class Verdict:
    counted: Counter[str] = field(default_factory=Counter)
    broken: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in PROMISES})

    def hold(self, promise: str, whom: object, kept: bool, why: object = "") -> None:
        if not kept:
            self.broken[promise].append(f"{whom}: {why}")


def check(effect_server: EffectServer, shown: Mapping[str, Sequence[Mapping[str, Any]]]) -> Verdict:
    """Check the whole database. `shown`: each started run → its events as a subscriber received
    them."""
    from workflows.models import Job, Run

    verdict, called = Verdict(), set[str]()
    there = {str(pk) for pk in Run.objects.values_list("pk", flat=True)}
    for run in there ^ set(shown):
        why = "nobody began it" if run in there else "it is gone"
        verdict.hold("what was begun is there once", run, False, why)
    for row in Run.objects.select_related("pack").order_by("created_at"):
        verdict.counted["runs"] += 1
        called |= _check_run(verdict, row, effect_server, shown.get(str(row.pk), ()))
    for job in Job.objects.all():
        verdict.hold("no job is left", job.run_id, False, "has one")
    for key in set(effect_server.receipts) - called:
        verdict.hold("effects happened once", key, False, "nobody called for it")
    return verdict


def _check_run(
    verdict: Verdict, row: Any, effect_server: EffectServer, shown: Sequence[Mapping[str, Any]]
) -> set[str]:
    """The keys of the effects that this run called for."""
    from workflows.actions.run_programs import program_of
    from workflows.core.engine.fold import fold_all
    from workflows.core.engine.replay.verify import verify
    from workflows.selectors.runs import event_of

    log = [event_of(stored) for stored in row.events.order_by("n")]
    run, id = fold_all(log), row.pk
    verdict.hold("every run ended", id, row.finished_at is not None, row.status)
    verdict.hold("every run ended", id, row.status == "completed", row.reason)
    numbers = [event.n for event in log]
    verdict.hold(
        "events are numbered without gap", id, numbers == list(range(1, len(log) + 1)), numbers
    )
    stands = [event.to_json() for event in log[: len(shown)]]
    verdict.hold("what was shown stands", id, stands == list(shown), len(shown))
    agree = (row.last, row.status) == (len(log), run.status)
    verdict.hold("row and log agree", id, agree, (row.last, row.status))
    replayed = verify(program_of(row), log)
    verdict.hold(
        "replayed, the log comes out the same",
        id,
        replayed.holds and not replayed.reworded,
        replayed.divergence and replayed.divergence.message,
    )
    verdict.hold("each transition was taken once", id, run.taken == pack.PATH, run.taken)
    _check_keys(verdict, id, log)
    _check_approvals(verdict, id, log)
    verdict.counted["events"] += len(log)
    verdict.counted["transitions"] += run.transitions
    return _check_effects(verdict, id, log, effect_server)


def _check_keys(verdict: Verdict, id: object, log: Sequence[Any]) -> None:
    for asks, answers in PAIRS.items():
        asked = Counter(e.fields["key"] for e in log if e.type == asks and "effect" in e.fields)
        told = Counter(e.fields["key"] for e in log if e.type == answers and "key" in e.fields)
        once = asked == told and set(asked.values()) <= {1}
        verdict.hold("what was asked was answered once", id, once, (asks, asked - told))
        verdict.counted[answers] += len(told)


def _check_approvals(verdict: Verdict, id: object, log: Sequence[Any]) -> None:
    from workflows.models import Approval

    given = {e.fields["key"]: e.fields["approve"] for e in log if e.type == "approval.given"}
    rows = {row.key: row.status != "denied" for row in Approval.objects.filter(run_id=id)}
    verdict.hold("approvals agree with the log", id, rows == given, rows)


def _check_effects(
    verdict: Verdict, id: object, log: Sequence[Any], effect_server: EffectServer
) -> set[str]:
    calls = {f"{id}:{e.fields['key']}": e.fields["name"] for e in log if e.type == "tool.asked"}
    repeated = Counter(f"{id}:{e.fields['key']}" for e in log if e.type == "effect.repeated")
    _check_workspace(verdict, id, calls, repeated)
    outside = {key for key, tool in calls.items() if tool not in ("edit", pack.COMMAND)}
    for key in outside:
        times = effect_server.asked[key]
        again = f"requested {times} times, repeated {repeated[key]} times"
        verdict.hold("a repetition is an event", key, times <= 1 + repeated[key], again)
    for event in log:
        if event.type == "tool.returned":
            key = f"{id}:{event.fields['key']}"
            failed = event.fields.get("error", "")
            verdict.hold("no call failed", key, not failed, failed)
            if key not in outside:
                continue
            told, did = (
                event.fields.get("result", ""),
                effect_server.receipts.get(key, "never done"),
            )
            verdict.hold("effects happened once", key, did in told, f"{told} is not {did}")
    return outside


def _check_workspace(
    verdict: Verdict, id: object, calls: Mapping[str, str], repeated: Counter[str]
) -> None:
    from django.conf import settings

    folder = settings.DATA / "workspaces" / str(id)
    for sentence in wrong_in_workspace(folder, calls, repeated):
        verdict.hold("files and commands: once, or repeated", id, False, sentence)
    tools = Counter(calls.values())
    commands = [key for key, tool in calls.items() if tool == pack.COMMAND]
    verdict.counted["edits"] += tools["edit"]
    verdict.counted["commands"] += len(commands)
    verdict.counted["commands again"] += sum(repeated[key] for key in commands)
    verdict.counted["effect.repeated"] += repeated.total()
