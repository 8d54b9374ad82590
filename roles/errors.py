"""Errors of callers. The API's exception handler maps each to a response."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import cleandoc
from typing import Any, ClassVar

from roles.core.problems import Problem


class CallerError(Exception):
    """The request cannot be carried out. The docstring of a class is its default message."""

    code: ClassVar[str] = "refused"
    status: ClassVar[int] = 400

    def __init_subclass__(cls, code: str = "", status: int = 0) -> None:
        cls.code = code or cls.code
        cls.status = status or cls.status

    def __init__(self, message: str = "", *, hint: str = "", where: str = "", **extra: Any) -> None:
        self.message = message or cleandoc(type(self).__doc__ or "")
        self.hint = hint
        self.where = where
        self.extra = extra
        super().__init__(self.message)

    @property
    def sentence(self) -> str:
        """The message and the hint."""
        return f"{self.message} {self.hint}".strip()


class NotThere(CallerError, code="not_found", status=404):
    """Nothing has this id."""


class SystemRole(CallerError, code="system_role_read_only", status=403):
    """A system role is shared by all users and cannot be changed. Change your copy of it."""


class NotResettable(CallerError, code="not_resettable", status=409):
    """This role is not a copy of a system role, so it cannot be reset."""


class TemplateMissing(CallerError, code="template_missing", status=409):
    """The system role of this copy no longer exists."""


class ChangedMeanwhile(CallerError, code="changed_meanwhile", status=412):
    """Another person has changed this since you read it, so nothing was saved. Read it again."""


class NameTaken(CallerError, code="name_taken", status=409):
    """The name is already taken."""


class BadRequest(CallerError, code="bad_request"):
    """The server cannot read this request."""


class CannotRender(CallerError, code="cannot_render", status=422):
    """A text of this role cannot be rendered. `where`: its JSON pointer."""


class MemoryRefused(CallerError, code="memory_refused", status=422):
    """This cannot be remembered, recalled or forgotten."""


class Invalid(CallerError, code="validation_error", status=422):
    """This is not valid, so nothing was saved. Extra: `details`, every error with its pointer."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        details = [one.to_json() for one in problems]
        first = details[0]
        more = len(details) - 1
        message = f"{first['path'] or 'The body'}: {first['message']}"
        if more:
            message += f" And {more} more." if more > 1 else " And one more."
        super().__init__(message, where=first["path"], details=details)
