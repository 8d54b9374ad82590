"""Role templates of this server: added, replaced, removed. Packs' own are edited as their files."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from workflows.core.prompts.role_templates.header import read
from workflows.core.prompts.role_templates.names import RULE, is_name
from workflows.core.prompts.role_templates.resolve import shipped
from workflows.db.text import is_storable
from workflows.errors import BadRequest, NotThere, TemplateRefused
from workflows.models import RoleTemplate

MAX_CONTENT = 200_000
"""Characters of one template."""


def create(name: str, content: str) -> RoleTemplate:
    """A new template of this server; one that ships under the name is hidden by it. Raises
    BadRequest for a name or text that will not do, TemplateRefused where the server has one."""
    _check(name, content)
    try:
        with transaction.atomic():
            return RoleTemplate.objects.create(name=name, content=content)
    except IntegrityError:
        raise TemplateRefused(
            f"There is a template {name!r} on this server already.",
            hint="Replace it with PUT, or choose another name.",
            where="name",
        ) from None


@transaction.atomic
def put(name: str, content: str) -> RoleTemplate:
    """The server's template of this name, replaced or made. Raises BadRequest."""
    _check(name, content)
    row, _ = RoleTemplate.objects.update_or_create(name=name, defaults={"content": content})
    return row


@transaction.atomic
def delete(name: str) -> None:
    """Remove the server's template; what ships under the name is used again. Raises NotThere, and
    TemplateRefused for one that only ships."""
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
    """Raises BadRequest for what cannot be the name of a template."""
    if not is_name(name):
        raise BadRequest("This cannot be the name of a template.", hint=RULE, where="name")


def _check(name: str, content: str) -> None:
    check_name(name)
    if len(content) > MAX_CONTENT:
        raise BadRequest(f"A template has at most {MAX_CONTENT:,} characters.", where="content")
    if not is_storable(content):
        raise BadRequest("The text has a character in it that cannot be kept.", where="content")
    for found in read(name, content).diagnostics:
        if found.level == "error":
            raise BadRequest(
                found.message,
                hint="The header is TOML from [template] to the first empty line.",
                where="content",
            )
