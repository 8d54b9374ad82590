"""The right to run commands, which also starts MCP servers.

Staff have it, because they give it to others, and so has a user who is alone on the server.
Other users need the Django permission `workflows.run_commands`.
"""

from __future__ import annotations

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from roles.rows import found
from workflows.core.engine.effects import CallTool, Effect, RunCommand
from workflows.errors import CommandsRefused, NotThere
from workflows.models import Run, RunEvent
from workflows.selectors.tool_bindings import bound

CODENAME = "run_commands"
PERMISSION = f"workflows.{CODENAME}"


def has_command_right(user: AbstractBaseUser | AnonymousUser | None) -> bool:
    """Return True if the user may run commands. None is the operator, on the command line."""
    if user is None:
        return True
    if not isinstance(user, User) or not user.is_active:
        return False
    return user.is_staff or user.has_perm(PERMISSION) or _is_alone(user)


def require_command_right(
    user: AbstractBaseUser | AnonymousUser | None, *, where: str = "commands"
) -> None:
    """Raise CommandsRefused for a user without the right."""
    if not has_command_right(user):
        raise CommandsRefused(
            "You have no right to run commands on this server.",
            hint="Ask a staff user for it: they give it under Settings, People.",
            where=where,
        )


@transaction.atomic
def set_command_right(user_id: int, allowed: bool) -> User:
    """Give a user the right, or take it away. Raises NotThere."""
    user = found(User.objects.filter(pk=user_id), NotThere("No user has this id."))
    right, _ = Permission.objects.get_or_create(
        content_type=ContentType.objects.get_for_model(Run),
        codename=CODENAME,
        defaults={"name": "May run commands and start MCP servers"},
    )
    if allowed:
        user.user_permissions.add(right)
    else:
        user.user_permissions.remove(right)
    return user


def require_right_to_allow(row: Run, effect: Effect, *, by: str) -> None:
    """Raise CommandsRefused if `by`, a user's name, allows an effect that starts a process and has
    no right to. "" is the operator, on the command line."""
    if _starts_process(row, effect) and not _named_has_right(by):
        require_command_right(AnonymousUser(), where="approve")


def allowed_by_right(row: Run, type: str, field: str, value: str) -> bool:
    """Return True if the last person who allowed this may run commands: the last event of this
    type, with this value in a field."""
    for event in RunEvent.objects.filter(run_id=row.pk, type=type).order_by("-n"):
        if event.fields.get(field) == value:
            return _named_has_right(event.fields.get("by", ""), event.at)
    return False


def _named_has_right(name: str, since: float | None = None) -> bool:
    """Return True if this user may run commands, and had the name then already (a timestamp). A
    deleted user may not; "" is the operator, on the command line."""
    if not name:
        return True
    user = User.objects.filter(username=name).first()
    if user is None or (since is not None and user.date_joined.timestamp() > since):
        return False
    return has_command_right(user)


def _starts_process(row: Run, effect: Effect) -> bool:
    if isinstance(effect, RunCommand):
        return True
    if not isinstance(effect, CallTool):
        return False
    binding = bound(row, effect.name)
    if binding is None:
        return False
    return binding.kind == "command" or (binding.kind == "mcp" and "command" in binding.settings)


def _is_alone(user: User) -> bool:
    return not User.objects.filter(is_active=True).exclude(pk=user.pk).exists()
