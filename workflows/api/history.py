"""Files, revisions and their differences."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.actions import packs as actions
from workflows.api import serializers as shapes
from workflows.api.compression import compressed
from workflows.api.operation import operation
from workflows.api.packs import REVISION
from workflows.api.paging import PAGE, Pages
from workflows.api.request_params import checked, number_in
from workflows.selectors import revisions as read
from workflows.selectors.packs import pack_named

_FILES = PolymorphicProxySerializer(
    component_name="FilesOrText",
    serializers=[shapes.PackFile(many=True), shapes.FileText],
    resource_type_field_name=None,
    many=False,
)


@compressed
class Files(APIView):
    """The pack's files, or with `path` the text of one."""

    @extend_schema(
        operation_id="packs_files",
        parameters=[OpenApiParameter("path", str), REVISION],
        responses=_FILES,
    )
    def get(self, request: Request, id: int) -> Response:
        pack = pack_named(id)
        number = number_in(request, "revision")
        path = request.query_params.get("path")
        if path:
            return Response(read.file_text(pack, path, number))
        return Response(read.file_list(pack, number))


class Revisions(APIView):
    """Every revision, newest first."""

    @operation("packs_revisions", shapes.RevisionPage, parameters=PAGE)
    def get(self, request: Request, id: int) -> Response:
        pages = Pages()
        rows = read.revisions(pack_named(id))
        page = pages.paginate_queryset(rows, request, view=self) or []
        return pages.get_paginated_response([read.revision_json(one) for one in page])


class Restore(APIView):
    """Restore a revision, as a new one."""

    @operation("packs_restore", shapes.Change, request=None)
    def post(self, request: Request, id: int, number: int) -> Response:
        """Restore a revision of a pack as its newest revision."""
        return Response(actions.restore(id, number, request_user(request)).to_json())


class RevisionName(APIView):
    """Name a revision."""

    @operation("packs_name_revision", shapes.RevisionDescription, request=shapes.RevisionName)
    def post(self, request: Request, id: int, number: int) -> Response:
        name = checked(shapes.RevisionName, request)["name"]
        return Response(read.revision_json(actions.name_revision(id, number, name)))


@compressed
class Diff(APIView):
    """Differences between two revisions: texts, states and transitions."""

    @operation(
        "packs_diff",
        shapes.Difference,
        parameters=[
            OpenApiParameter("from", int, description="Default: the revision before `to`."),
            OpenApiParameter("to", int, description="The newest if absent."),
        ],
    )
    def get(self, request: Request, id: int) -> Response:
        pack = pack_named(id)
        end = number_in(request, "to") or pack.head
        start = number_in(request, "from") or max(end - 1, 1)
        return Response(read.diff(pack, start, end))
