"""Import and export of packs."""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import quote

from django.http import HttpResponse, QueryDict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from roles.request_user import request_user
from workflows.actions import packs as actions
from workflows.api import serializers as shapes
from workflows.api.operation import operation
from workflows.api.packs import REVISION
from workflows.api.parsers import LimitedJSON
from workflows.api.request_params import checked, number_in
from workflows.security.uploads import read_pasted, read_upload
from workflows.selectors import packs as read
from workflows.selectors.exports import export
from workflows.selectors.known_tools import findings


@operation(
    shapes.Imported,
    413,
    422,
    status=201,
    request={
        "multipart/form-data": shapes.ImportFiles,
        "application/json": shapes.ImportText,
    },
    view={"parser_classes": [MultiPartParser, LimitedJSON]},
)
def import_(request: Request) -> Any:
    """Import every pack in files, a zip or a text; all of them or none."""
    if request.FILES:
        paths = cast("QueryDict", request.data).getlist("paths")
        files = read_upload(request.FILES.getlist("files"), paths)
    else:
        params = checked(shapes.ImportText, request)
        files = read_pasted(params["text"], params.get("name", ""))
    taken = actions.import_files(files, owner=request_user(request))
    return imported_json(taken)


def imported_json(imported: actions.Imported) -> dict[str, Any]:
    """The result of an import."""
    return {
        "packs": read.cards(imported.packs),
        "ignored": list(imported.ignored),
        "findings": [item for pack in imported.packs for item in findings(pack)],
        "updated": list(imported.updated),
    }


@operation(
    OpenApiTypes.BINARY,
    status=(200, "application/octet-stream"),
    also={(422, "application/json"): shapes.Error},
    parameters=[
        OpenApiParameter("format", str, enum=["zip"], description="Force a zip."),
        OpenApiParameter("as", str, description="The name of another form."),
        REVISION,
    ],
)
def packs_export(request: Request, id: int) -> HttpResponse:
    """The pack's own bytes, or another format that `exports/` lists."""
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
