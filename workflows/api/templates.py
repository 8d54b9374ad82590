"""Role templates: the server's own are created, replaced and deleted; a pack's are listed."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.actions import templates as actions
from workflows.api import serializers as shapes
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.selectors import templates as read
from workflows.selectors.packs import pack_named


class Templates(APIView):
    """Every template by name: the server's, and shipped ones that it does not override."""

    @operation("templates_list", shapes.TemplateDescription(many=True))
    def get(self, request: Request) -> Response:
        """List the role templates by name: the server's, and shipped ones that none overrides."""
        return Response(read.templates(request_user(request)))

    @operation(
        "templates_create", shapes.Template, 400, 409, status=201, request=shapes.NewTemplate
    )
    def post(self, request: Request) -> Response:
        """Store a new role template on the server."""
        row = actions.create(**checked(shapes.NewTemplate, request), owner=request_user(request))
        return Response(read.template(row.name, request_user(request)), status=201)


class Template(APIView):
    """One template. Shipped ones never change: a PUT stores one that overrides it, and a DELETE
    removes that again."""

    @operation("templates_read", shapes.Template, 400, 404)
    def get(self, request: Request, name: str) -> Response:
        """Read a role template with its text."""
        return Response(read.template(name, request_user(request)))

    @operation("templates_put", shapes.Template, 400, request=shapes.TemplateContent)
    def put(self, request: Request, name: str) -> Response:
        """Store a role template under this name. A shipped template is overridden, not changed."""
        row = actions.put(
            name, **checked(shapes.TemplateContent, request), owner=request_user(request)
        )
        return Response(read.template(row.name, request_user(request)))

    @operation("templates_delete", None, 400, 404, 409, status=204)
    def delete(self, request: Request, name: str) -> Response:
        """Delete a role template of the server. A shipped one of that name applies again."""
        actions.delete(name)
        return Response(status=204)


class PackTemplates(APIView):
    """The templates that a pack can use: its own, the server's, and shipped ones."""

    @operation("packs_templates", shapes.TemplateDescription(many=True))
    def get(self, request: Request, id: int) -> Response:
        return Response(read.templates(request_user(request), pack_named(id)))


class PackTemplate(APIView):
    """The template of one role of a pack."""

    @operation("packs_template", shapes.Template, 400, 404)
    def get(self, request: Request, id: int, name: str) -> Response:
        return Response(read.template(name, request_user(request), pack_named(id)))
