"""Role templates: the server's own are created, replaced and deleted; a pack's are listed."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from roles.request_user import request_user
from workflows.actions import templates as actions
from workflows.api import serializers as shapes
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.selectors import templates as read
from workflows.selectors.packs import pack_named


@operation(shapes.TemplateDescription(many=True))
def templates_list(request: Request) -> Any:
    """List the role templates by name: the server's, and shipped ones that none overrides."""
    return read.templates(request_user(request))


@operation(shapes.Template, 400, 409, status=201, request=shapes.NewTemplate)
def templates_create(request: Request) -> Any:
    """Store a new role template on the server."""
    row = actions.create(**checked(shapes.NewTemplate, request), owner=request_user(request))
    return read.template(row.name, request_user(request))


@operation(shapes.Template, 400, 404)
def templates_read(request: Request, name: str) -> Any:
    """Read a role template with its text."""
    return read.template(name, request_user(request))


@operation(shapes.Template, 400, request=shapes.TemplateContent)
def templates_put(request: Request, name: str) -> Any:
    """Store a role template under this name. A shipped template is overridden, not changed."""
    row = actions.put(name, **checked(shapes.TemplateContent, request), owner=request_user(request))
    return read.template(row.name, request_user(request))


@operation(None, 400, 404, 409, status=204)
def templates_delete(request: Request, name: str) -> None:
    """Delete a role template of the server. A shipped one of that name applies again."""
    actions.delete(name)


@operation(shapes.TemplateDescription(many=True))
def packs_templates(request: Request, id: int) -> Any:
    """The templates that a pack can use: its own, the server's, and shipped ones."""
    return read.templates(request_user(request), pack_named(id))


@operation(shapes.Template, 400, 404)
def packs_template(request: Request, id: int, name: str) -> Any:
    """The template of one role of a pack."""
    return read.template(name, request_user(request), pack_named(id))
