"""What callers did wrong. `workflows.api.errors` turns each into one answer, in one place."""

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
    """There is nothing with this number here."""

    code = "not_found"
    status = 404


class NothingRecognised(CallerError):
    """None of these files is a pack we know."""

    code = "nothing_recognised"
    status = 422


class Unreadable(CallerError):
    """This cannot be read."""

    code = "unreadable"
    status = 422


class TooLarge(CallerError):
    """This is more than one import may hold."""

    code = "too_large"
    status = 413


class Refused(CallerError):
    """The edit does not fit this pack."""

    code = "edit_refused"
    status = 422


class Conflict(CallerError):
    """Someone changed the same place meanwhile. Both versions are kept: yours here, theirs saved.

    Extras: `head`, `yours` (edits), `theirs` (revisions), `places` (path, line, yours, theirs).
    """

    code = "conflict"
    status = 409


class BuiltOn(CallerError):
    """Someone built on this change, so it cannot be taken back by itself."""

    code = "built_on"
    status = 409


class NothingToUndo(CallerError):
    """There is no change of yours to take back."""

    code = "nothing_to_undo"
    status = 409


class SignalRefused(CallerError):
    """The run was not waiting for this, so nothing changed."""

    code = "signal_refused"
    status = 409


class AnsweredMeanwhile(CallerError):
    """Somebody else has answered this meanwhile."""

    code = "answered_meanwhile"
    status = 409


class CannotStart(CallerError):
    """This pack cannot run."""

    code = "cannot_run"
    status = 422


class KeyTaken(CallerError):
    """This key has begun a run of something else; another start needs another key."""

    code = "key_taken"
    status = 422


class TemplateRefused(CallerError):
    """The template stays as it is."""

    code = "template_refused"
    status = 409


class NotProven(CallerError):
    """There is no webhook with this address and secret."""

    code = "not_proven"
    status = 401


class TriggerOff(CallerError):
    """This trigger starts nothing at the moment."""

    code = "trigger_off"
    status = 409


class BadDelivery(CallerError):
    """This request does not bring what the trigger takes out of it."""

    code = "bad_delivery"
    status = 422


class ExportRefused(CallerError):
    """This pack cannot be handed out in this form."""

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
