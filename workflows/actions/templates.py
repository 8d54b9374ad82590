"""Role templates of this server: add, replace and remove. Templates of packs are edited as
files."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from roles.rows import unless_taken
from workflows.core.prompts.role_templates.header import read
from workflows.core.prompts.role_templates.names import RULE, is_name
from workflows.core.prompts.role_templates.resolve import shipped
from workflows.db.text import is_storable
from workflows.errors import BadRequest, NotThere, TemplateRefused
from workflows.models import RoleTemplate

MAX_CONTENT = 200_000
"""Maximum length of one template, in characters."""


def create(name: str, content: str, *, owner: User | None = None) -> RoleTemplate:
    """Add a template to this server; it hides a shipped one of the same name. Raises BadRequest for
    an invalid name or text, and TemplateRefused if the server has one of that name."""
    _check(name, content)
    taken = TemplateRefused(
        f"This server already has a template {name!r}.",
        hint="Replace it with PUT, or choose another name.",
        where="name",
    )
    with unless_taken(taken):
        return RoleTemplate.objects.create(name=name, content=content, owner=owner)


@transaction.atomic
def put(name: str, content: str, *, owner: User | None = None) -> RoleTemplate:
    """Replace or add the server's template of this name. `owner`: of an added one. Raises
    BadRequest."""
    _check(name, content)
    row, _ = RoleTemplate.objects.update_or_create(
        name=name,
        defaults={"content": content},
        create_defaults={"content": content, "owner": owner},
    )
    return row


@transaction.atomic
def delete(name: str) -> None:
    """Remove the server's template, so that a shipped one of the name is used again. Raises
    NotThere, and TemplateRefused for a template that is only shipped."""
    check_name(name)
    removed, _ = RoleTemplate.objects.filter(name=name).delete()
    if removed:
        return
    if name in shipped():
        raise TemplateRefused(
            f"The template {name!r} ships with Signalbox and cannot be removed.",
            hint="PUT a template of this name to use yours instead.",
        )
    raise NotThere(f"There is no template {name!r} here.")


def check_name(name: str) -> None:
    """Raise BadRequest for an invalid template name."""
    if not is_name(name):
        raise BadRequest("This cannot be the name of a template.", hint=RULE, where="name")


def _check(name: str, content: str) -> None:
    check_name(name)
    if len(content) > MAX_CONTENT:
        raise BadRequest(f"A template has at most {MAX_CONTENT:,} characters.", where="content")
    if not is_storable(content):
        raise BadRequest("The text has a character that cannot be stored.", where="content")
    for finding in read(name, content).diagnostics:
        if finding.level == "error":
            raise BadRequest(
                finding.message,
                hint="The header is TOML from [template] to the first empty line.",
                where="content",
            )
