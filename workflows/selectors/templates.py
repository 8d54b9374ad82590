"""Role templates for runs, pages and the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User

from roles.rights import visible
from workflows.core.prompts.role_templates.header import Header, read
from workflows.core.prompts.role_templates.names import RULE, is_name
from workflows.core.prompts.role_templates.permissions import badges_of
from workflows.core.prompts.role_templates.resolve import Resolved, resolve, resolve_all
from workflows.errors import BadRequest, NotThere
from workflows.models import Pack, RoleTemplate
from workflows.selectors.sources import opened


def stored(person: User | None) -> dict[str, str]:
    """The server's own templates that a user may use, by name."""
    rows = visible(RoleTemplate.objects.order_by("name"), person)
    return dict(rows.values_list("name", "content"))


def taken_along(pack: Pack, revision: int, person: User | None) -> dict[str, str]:
    """The server's templates that a run of this revision may need, copied at its start: without
    those that the pack has itself, and none for a dialect without templates."""
    source = opened(pack, revision).source
    own = source.template_bytes
    if own is None or not source.readable:
        return {}
    return {name: text for name, text in stored(person).items() if name not in own}


def templates(person: User | None, pack: Pack | None = None) -> list[dict[str, Any]]:
    """Every template that can be used, in a pack or outside of packs."""
    return [_described(entry) for entry in resolve_all(_own(pack), stored(person))]


def template(name: str, person: User | None, pack: Pack | None = None) -> dict[str, Any]:
    """The template of this name, with its text. Raises BadRequest for an invalid name, and
    NotThere."""
    if not is_name(name):
        raise BadRequest("This cannot be the name of a template.", hint=RULE, where="name")
    entry = resolve(name, _own(pack), stored(person))
    if entry is None:
        raise NotThere(f"There is no template {name!r} here.")
    return {**_described(entry), "content": entry.template.text}


def checked(name: str, content: str) -> dict[str, Any]:
    """Check a text that is not stored: its header, and its problems."""
    entry = Resolved(template=read(name, content), source="server")
    return {**_described(entry), "content": content}


def _own(pack: Pack | None) -> Mapping[str, bytes]:
    """The templates among a pack's files, if its dialect has any."""
    if pack is None:
        return {}
    return opened(pack).source.template_bytes or {}


def _described(entry: Resolved) -> dict[str, Any]:
    template = entry.template
    header = template.header or Header()
    return {
        "name": template.name,
        "source": entry.source,
        "hides": list(entry.hides),
        "has_header": template.header is not None,
        "version": header.version,
        "badges": [badge.to_json() for badge in badges_of(template.header)],
        "problems": [
            {"code": one.code, "level": one.level, "message": one.message, "line": one.line}
            for one in template.diagnostics
        ],
    }
