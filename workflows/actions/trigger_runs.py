"""Runs started by triggers: once per key, with several workers."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone

from roles.rights import Level, level_of
from workflows.actions import runs
from workflows.actions.triggers import next_due
from workflows.core.engine.signals import Control
from workflows.errors import CallerError, SignalRefused, TriggerOff
from workflows.models import Firing, Run, Trigger
from workflows.selectors.triggers import revision_of, trigger_numbered

LATE = timedelta(minutes=2)
"""Seconds after which an overdue schedule counts as missed."""
REPLACED = "The schedule started its next run."
BROKE = "An internal error prevented the start of the run. See the server's log."


@dataclass(frozen=True, kw_only=True)
class Fired:
    """Result of a firing. `repeated`: this key had started the run before. `run`: None if it was
    deleted."""

    run: UUID | None
    repeated: bool = False


def fire(
    trigger: Trigger,
    *,
    inputs: Mapping[str, str],
    key: str = "",
    due_at: datetime | None = None,
    tried: bool = False,
) -> Fired:
    """Start a run of the trigger's revision, unless this key has started one. A refusal is recorded
    among the firings and raised: TriggerOff, NotThere, CannotStart."""
    try:
        return _fire(trigger, inputs, key=key or _no_key(), due_at=due_at, tried=tried)
    except CallerError as refused:
        note_refused(trigger, refused.message, due_at=due_at, tried=tried)
        raise


def fire_due(trigger_id: int, now: datetime) -> Fired | None:
    """Start a due schedule's run, and set its next time. None if there is nothing to start: another
    worker was first, the schedule was switched off, or missed runs are skipped."""
    try:
        return _fire_due(trigger_id, now)
    except CallerError as refused:
        refusal = refused.message
    except runs.ProgramBroke:
        refusal = BROKE
    pass_over(trigger_id, now, refusal)
    return None


@transaction.atomic
def pass_over(trigger_id: int, now: datetime, reason: str) -> None:
    """Record that a schedule could not start its run, and set its next time."""
    row = Trigger.objects.select_for_update().filter(pk=trigger_id, next_at__lte=now).first()
    if row is None or row.next_at is None:
        return
    due, row.next_at = row.next_at, next_due(row, now)
    row.save(update_fields=["next_at"])
    _note(row, Firing.Outcome.REFUSED, reason, key=_key_of(due), due_at=due)


def note_refused(
    trigger: Trigger, reason: str, *, due_at: datetime | None = None, tried: bool = False
) -> None:
    """Record a refused start with its reason."""
    _note(trigger, Firing.Outcome.REFUSED, reason, due_at=due_at, tried=tried)


def _fire(
    trigger: Trigger,
    inputs: Mapping[str, str],
    *,
    key: str,
    due_at: datetime | None,
    tried: bool = False,
) -> Fired:
    _check_may_start(trigger, tried=tried)
    with transaction.atomic():
        firing, fresh = Firing.objects.get_or_create(
            trigger=trigger,
            key=key,
            defaults={
                "at": timezone.now(),
                "due_at": due_at,
                "outcome": Firing.Outcome.STARTED,
                "tried": tried,
                "callback_due": timezone.now() if trigger.callback else None,
            },
        )
        if not fresh:
            return Fired(run=firing.run_id, repeated=True)
        firing.run = _start(trigger, inputs)
        firing.save(update_fields=["run"])
        return Fired(run=firing.run_id)


def _start(trigger: Trigger, inputs: Mapping[str, str]) -> Run:
    return runs.start(
        trigger.pack,
        revision=revision_of(trigger),
        driver=trigger.driver,
        options={**trigger.options, "inputs": dict(inputs)},
        owner=trigger.owner,
        source=trigger.kind,
        trigger=trigger,
    )


@transaction.atomic
def _fire_due(trigger_id: int, now: datetime) -> Fired | None:
    row = trigger_numbered(trigger_id, lock=True)
    if row.next_at is None or row.next_at > now:
        return None
    due, row.next_at = row.next_at, next_due(row, now)
    row.save(update_fields=["next_at"])
    if row.missed == "skip" and now - due > LATE:
        _note(row, Firing.Outcome.SKIPPED, "No worker was running.", key=_key_of(due), due_at=due)
        return None
    running = Run.objects.filter(trigger=row, finished_at=None)
    earlier = [] if row.overlap == "allow" else list(running)
    if earlier and row.overlap == "skip":
        reason = f"The run {str(earlier[0].pk)[:8]} has not ended."
        _note(row, Firing.Outcome.SKIPPED, reason, key=_key_of(due), due_at=due)
        return None
    for one in earlier:
        with suppress(SignalRefused):  # It ended meanwhile.
            runs.signal(one.pk, Control(at=now.timestamp(), what="cancel", reason=REPLACED))
    return _fire(row, row.options.get("inputs") or {}, key=_key_of(due), due_at=due)


def _check_may_start(trigger: Trigger, *, tried: bool) -> None:
    """Raise TriggerOff if the trigger may not start runs."""
    if not trigger.enabled and not tried:
        raise TriggerOff("This trigger is switched off.")
    if trigger.owner is None or not trigger.owner.is_active:
        raise TriggerOff("The owner of this trigger is deactivated.")
    if level_of(trigger.owner, trigger.pack) < Level.READ:
        raise TriggerOff("The pack is no longer shared with the owner of this trigger.")


def _note(
    trigger: Trigger,
    outcome: str,
    reason: str,
    *,
    key: str = "",
    due_at: datetime | None = None,
    tried: bool = False,
) -> None:
    Firing.objects.get_or_create(
        trigger=trigger,
        key=key or _no_key(),
        defaults={
            "at": timezone.now(),
            "due_at": due_at,
            "outcome": outcome,
            "reason": reason,
            "tried": tried,
        },
    )


def _key_of(due: datetime) -> str:
    return f"due:{due.isoformat()}"


def _no_key() -> str:
    return f"none:{uuid4()}"
