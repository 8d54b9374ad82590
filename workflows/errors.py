"""Errors of callers. `workflows.api.errors` maps each to a response body."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any, ClassVar


class CallerError(Exception):
    """The request cannot be carried out."""

    code: ClassVar[str] = "refused"
    status: ClassVar[int] = 400

    def __init__(self, message: str = "", *, hint: str = "", where: str = "", **extra: Any) -> None:
        self.message = message or cleandoc(type(self).__doc__ or "")
        self.hint = hint
        self.where = where
        self.extra = extra
        super().__init__(self.message)


class BadRequest(CallerError):
    """The request has the wrong shape."""

    code = "bad_request"


class NotThere(CallerError):
    """Nothing has this id."""

    code = "not_found"
    status = 404


class NotAllowed(CallerError):
    """You may see this, but not change it."""

    code = "not_allowed"
    status = 403


class StaffOnly(CallerError):
    """Only staff may do this."""

    code = "staff_only"
    status = 403


class NothingRecognised(CallerError):
    """None of these files is a pack in a supported format."""

    code = "nothing_recognised"
    status = 422


class CommandsRefused(CallerError):
    """This user may not run commands."""

    code = "commands_refused"
    status = 403


class Unreadable(CallerError):
    """This cannot be read."""

    code = "unreadable"
    status = 422


class TooManyStreams(CallerError):
    """Too many of your event streams are open."""

    code = "too_many_streams"
    status = 429


class TooManyRequests(CallerError):
    """Too many of your requests are being answered."""

    code = "too_many_requests"
    status = 429


class TookTooLong(CallerError):
    """This pack takes too long."""

    code = "took_too_long"
    status = 422


class TooLarge(CallerError):
    """The import is too large."""

    code = "too_large"
    status = 413


class Refused(CallerError):
    """The edit does not fit this pack."""

    code = "edit_refused"
    status = 422


class Conflict(CallerError):
    """Another person changed the same place. Both versions are kept: yours in this answer, theirs
    in the pack.

    Extras: `head`, `yours` (edits), `theirs` (revisions), `places` (path, line, yours, theirs).
    """

    code = "conflict"
    status = 409


class Stale(CallerError):
    """The pack has changed since the revision that this proposal expects."""

    code = "stale"
    status = 409


class BuiltOn(CallerError):
    """Another person's edit builds on this change, so it cannot be undone alone."""

    code = "built_on"
    status = 409


class NothingToUndo(CallerError):
    """You have no change to undo."""

    code = "nothing_to_undo"
    status = 409


class SignalRefused(CallerError):
    """The run was not waiting for this signal, so nothing changed."""

    code = "signal_refused"
    status = 409


class AnsweredMeanwhile(CallerError):
    """Another person has already answered this."""

    code = "answered_meanwhile"
    status = 409


class CannotStart(CallerError):
    """This pack cannot run."""

    code = "cannot_run"
    status = 422


class KeyTaken(CallerError):
    """This key started a different run. Use another key."""

    code = "key_taken"
    status = 422


class TemplateRefused(CallerError):
    """The template stays as it is."""

    code = "template_refused"
    status = 409


class TokenTooWeak(CallerError):
    """This token cannot create such a token."""

    code = "forbidden"
    status = 403


class NotProven(CallerError):
    """No webhook has this address and secret."""

    code = "not_proven"
    status = 401


class TriggerOff(CallerError):
    """This trigger starts nothing at the moment."""

    code = "trigger_off"
    status = 409


class BadDelivery(CallerError):
    """The request lacks a value that the trigger requires."""

    code = "bad_delivery"
    status = 422


class ExportRefused(CallerError):
    """This pack cannot be exported in this format."""

    code = "export_refused"
    status = 422


class CannotBeConverted(CallerError):
    """This pack cannot be converted."""

    code = "cannot_convert"
    status = 422


class RepositoryRefused(CallerError):
    """This repository cannot be written."""

    code = "repository_refused"
    status = 422
