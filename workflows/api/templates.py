"""Role templates: the server's own are created, replaced and deleted; a pack's are listed."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.actions import templates as actions
from workflows.api import serializers as shapes
from workflows.api.request_params import checked
from workflows.selectors import templates as read
from workflows.selectors.packs import pack_named


class Templates(APIView):
    """Every template by name: the server's, and shipped ones that it does not override."""

    @extend_schema(operation_id="templates_list", responses=shapes.TemplateDescription(many=True))
    def get(self, request: Request) -> Response:
        """List the role templates by name: the server's, and shipped ones that none overrides."""
        return Response(read.templates(request_user(request)))

    @extend_schema(
        operation_id="templates_create",
        request=shapes.NewTemplate,
        responses={201: shapes.Template, 400: shapes.Error, 409: shapes.Error},
    )
    def post(self, request: Request) -> Response:
        """Store a new role template on the server."""
        row = actions.create(**checked(shapes.NewTemplate, request), owner=request_user(request))
        return Response(read.template(row.name, request_user(request)), status=201)


class Template(APIView):
    """One template. Shipped ones never change: a PUT stores one that overrides it, and a DELETE
    removes that again."""

    @extend_schema(
        operation_id="templates_read",
        responses={200: shapes.Template, 400: shapes.Error, 404: shapes.Error},
    )
    def get(self, request: Request, name: str) -> Response:
        """Read a role template with its text."""
        return Response(read.template(name, request_user(request)))

    @extend_schema(
        operation_id="templates_put",
        request=shapes.TemplateContent,
        responses={200: shapes.Template, 400: shapes.Error},
    )
    def put(self, request: Request, name: str) -> Response:
        """Store a role template under this name. A shipped template is overridden, not changed."""
        row = actions.put(
            name, **checked(shapes.TemplateContent, request), owner=request_user(request)
        )
        return Response(read.template(row.name, request_user(request)))

    @extend_schema(
        operation_id="templates_delete",
        responses={204: None, 400: shapes.Error, 404: shapes.Error, 409: shapes.Error},
    )
    def delete(self, request: Request, name: str) -> Response:
        """Delete a role template of the server. A shipped one of that name applies again."""
        actions.delete(name)
        return Response(status=204)


class PackTemplates(APIView):
    """The templates that a pack can use: its own, the server's, and shipped ones."""

    @extend_schema(operation_id="packs_templates", responses=shapes.TemplateDescription(many=True))
    def get(self, request: Request, id: int) -> Response:
        return Response(read.templates(request_user(request), pack_named(id)))


class PackTemplate(APIView):
    """The template of one role of a pack."""

    @extend_schema(
        operation_id="packs_template",
        responses={200: shapes.Template, 400: shapes.Error, 404: shapes.Error},
    )
    def get(self, request: Request, id: int, name: str) -> Response:
        return Response(read.template(name, request_user(request), pack_named(id)))
