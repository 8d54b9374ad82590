"""Errors of callers. The API's exception handler maps each to a response."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import cleandoc
from typing import Any, ClassVar

from roles.core.problems import Problem


class RoleError(Exception):
    """The request cannot be carried out."""

    code: ClassVar[str] = "refused"
    status: ClassVar[int] = 400

    def __init__(self, message: str = "", *, hint: str = "", where: str = "", **extra: Any) -> None:
        self.message = message or cleandoc(type(self).__doc__ or "")
        self.hint = hint
        self.where = where
        self.extra = extra
        super().__init__(self.message)


class NotThere(RoleError):
    """Nothing has this id."""

    code = "not_found"
    status = 404


class SystemRole(RoleError):
    """A system role is shared by all users and cannot be changed. Change your copy of it."""

    code = "system_role_read_only"
    status = 403


class NotResettable(RoleError):
    """This role is not a copy of a system role, so it cannot be reset."""

    code = "not_resettable"
    status = 409


class TemplateMissing(RoleError):
    """The system role of this copy no longer exists."""

    code = "template_missing"
    status = 409


class ChangedMeanwhile(RoleError):
    """Another person has changed this since you read it, so nothing was saved. Read it again."""

    code = "changed_meanwhile"
    status = 412


class NameTaken(RoleError):
    """The name is already taken."""

    code = "name_taken"
    status = 409


class BadRequest(RoleError):
    """The server cannot read this request."""

    code = "bad_request"


class CannotRender(RoleError):
    """A text of this role cannot be rendered. `where`: its JSON pointer."""

    code = "cannot_render"
    status = 422


class MemoryRefused(RoleError):
    """This cannot be remembered, recalled or forgotten."""

    code = "memory_refused"
    status = 422


class Invalid(RoleError):
    """This is not valid, so nothing was saved. Extra: `details`, every error with its pointer."""

    code = "validation_error"
    status = 422

    def __init__(self, problems: Iterable[Problem]) -> None:
        details = [one.to_json() for one in problems]
        first = details[0]
        more = len(details) - 1
        message = f"{first['path'] or 'The body'}: {first['message']}"
        if more:
            message += f" And {more} more." if more > 1 else " And one more."
        super().__init__(message, where=first["path"], details=details)
