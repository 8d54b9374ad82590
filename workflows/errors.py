"""Errors of callers. `workflows.api.errors` maps each to a response body."""

from __future__ import annotations

from roles.errors import BadRequest, CallerError, ChangedMeanwhile, NotThere

__all__ = ["BadRequest", "CallerError", "ChangedMeanwhile", "NotThere"]


class NotAllowed(CallerError, code="not_allowed", status=403):
    """You may see this, but not change it."""


class StaffOnly(CallerError, code="staff_only", status=403):
    """Only staff may do this."""


class NothingRecognised(CallerError, code="nothing_recognised", status=422):
    """None of these files is a pack in a supported format."""


class CommandsRefused(CallerError, code="commands_refused", status=403):
    """This user may not run commands."""


class Unreadable(CallerError, code="unreadable", status=422):
    """This cannot be read."""


class QuotaReached(CallerError, code="quota_reached", status=403):
    """The quota of this user is reached."""


class TooManyStreams(CallerError, code="too_many_streams", status=429):
    """Too many of your event streams are open."""


class TooManyRequests(CallerError, code="too_many_requests", status=429):
    """Too many of your requests are being answered."""


class TookTooLong(CallerError, code="took_too_long", status=422):
    """This pack takes too long."""


class TooLarge(CallerError, code="too_large", status=413):
    """The import is too large."""


class Refused(CallerError, code="edit_refused", status=422):
    """The edit does not fit this pack."""


class Conflict(CallerError, code="conflict", status=409):
    """Another person changed the same place. Both versions are kept: yours in this answer, theirs
    in the pack.

    Extras: `head`, `yours` (edits), `theirs` (revisions), `places` (path, line, yours, theirs).
    """


class Needed(CallerError, code="needed", status=409):
    """Runs need this."""


class Stale(CallerError, code="stale", status=409):
    """The pack has changed since the revision that this proposal expects."""


class BuiltOn(CallerError, code="built_on", status=409):
    """Another person's edit builds on this change, so it cannot be undone alone."""


class NothingToUndo(CallerError, code="nothing_to_undo", status=409):
    """You have no change to undo."""


class SignalRefused(CallerError, code="signal_refused", status=409):
    """The run was not waiting for this signal, so nothing changed."""


class AnsweredMeanwhile(CallerError, code="answered_meanwhile", status=409):
    """Another person has already answered this."""


class CannotStart(CallerError, code="cannot_run", status=422):
    """This pack cannot run."""


class KeyTaken(CallerError, code="key_taken", status=422):
    """This key started a different run. Use another key."""


class TemplateRefused(CallerError, code="template_refused", status=409):
    """The template stays as it is."""


class TokenTooWeak(CallerError, code="forbidden", status=403):
    """This token cannot create such a token."""


class NotProven(CallerError, code="not_proven", status=401):
    """No webhook has this address and secret."""


class TriggerOff(CallerError, code="trigger_off", status=409):
    """This trigger starts nothing at the moment."""


class BadDelivery(CallerError, code="bad_delivery", status=422):
    """The request lacks a value that the trigger requires."""


class ExportRefused(CallerError, code="export_refused", status=422):
    """This pack cannot be exported in this format."""


class CannotBeConverted(CallerError, code="cannot_convert", status=422):
    """This pack cannot be converted."""


class RepositoryRefused(CallerError, code="repository_refused", status=422):
    """This repository cannot be written."""
