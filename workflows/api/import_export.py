"""Import, export and git export of packs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from django.http import HttpResponse, QueryDict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.actions import packs as actions
from workflows.api import serializers as shapes
from workflows.api.packs import REVISION
from workflows.api.parsers import LimitedJSON
from workflows.api.request_params import checked, number_in
from workflows.repos.commits import CommitRequest, commit_files
from workflows.security.uploads import read_pasted, read_upload
from workflows.selectors import packs as read
from workflows.selectors.exports import export
from workflows.selectors.sources import opened, view


class Import(APIView):
    """Import every pack in files, a zip or a text; all of them or none."""

    parser_classes = [MultiPartParser, LimitedJSON]

    @extend_schema(
        operation_id="import",
        request={
            "multipart/form-data": shapes.ImportFiles,
            "application/json": shapes.ImportText,
        },
        responses={201: shapes.Imported, 413: shapes.Error, 422: shapes.Error},
    )
    def post(self, request: Request) -> Response:
        if request.FILES:
            paths = cast("QueryDict", request.data).getlist("paths")
            files = read_upload(request.FILES.getlist("files"), paths)
        else:
            asked = checked(shapes.ImportText, request)
            files = read_pasted(asked["text"], asked.get("name", ""))
        taken = actions.import_files(files, owner=request_user(request))
        findings = [item for pack in taken.packs for item in view(pack).findings_json]
        body: dict[str, Any] = {
            "packs": read.cards(taken.packs),
            "ignored": list(taken.ignored),
            "findings": findings,
        }
        return Response(body, status=201)


class Export(APIView):
    """The pack's own bytes, or another format that `exports/` lists."""

    @extend_schema(
        operation_id="packs_export",
        parameters=[
            OpenApiParameter("format", str, enum=["zip"], description="Force a zip."),
            OpenApiParameter("as", str, description="The name of another form."),
            REVISION,
        ],
        responses={
            (200, "application/octet-stream"): OpenApiTypes.BINARY,
            (422, "application/json"): shapes.Error,
        },
    )
    def get(self, request: Request, id: int) -> HttpResponse:
        name, data = export(
            read.pack_named(id),
            number=number_in(request, "revision"),
            as_zip=request.query_params.get("format") == "zip",
            form=request.query_params.get("as", ""),
        )
        answer = HttpResponse(data, content_type="application/octet-stream")
        answer["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name)}"
        answer["X-Content-Type-Options"] = "nosniff"
        return answer


class GitExport(APIView):
    """Commit the pack's files to a new branch of a working copy on the server."""

    @extend_schema(
        operation_id="packs_export_git",
        request=shapes.GitExport,
        responses={200: shapes.GitExported, 422: shapes.Error},
    )
    def post(self, request: Request, id: int) -> Response:
        asked = checked(shapes.GitExport, request)
        pack = read.pack_named(id)
        made = commit_files(
            CommitRequest(
                repository=Path(asked["repository"]),
                branch=asked["branch"],
                message=asked["message"],
                folder=asked["folder"],
                author_name=request_user(request).get_full_name()
                or request_user(request).get_username(),
                author_email=request_user(request).email,
            ),
            opened(pack).files,
        )
        return Response(
            {
                "commit": made.commit,
                "branch": made.branch,
                "paths": list(made.paths),
                "unchanged": made.unchanged,
            }
        )
