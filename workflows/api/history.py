"""Files, revisions and their differences."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer
from rest_framework.request import Request

from roles.request_user import request_user
from workflows.actions import packs as actions
from workflows.api import serializers as shapes
from workflows.api.compression import COMPRESSED
from workflows.api.operation import operation
from workflows.api.packs import REVISION
from workflows.api.request_params import PAGE, checked, number_in, paged
from workflows.opened_packs.bodies import file_list, file_text
from workflows.selectors import revisions as read
from workflows.selectors.packs import pack_named
from workflows.selectors.sources import opened

_FILES = PolymorphicProxySerializer(
    component_name="FilesOrText",
    serializers=[shapes.PackFile(many=True), shapes.FileText],
    resource_type_field_name=None,
    many=False,
)


@operation(_FILES, parameters=[OpenApiParameter("path", str), REVISION], view=COMPRESSED)
def packs_files(request: Request, id: int) -> Any:
    """The pack's files, or with `path` the text of one."""
    pack = pack_named(id)
    number = number_in(request, "revision")
    path = request.query_params.get("path")
    files = opened(pack, number).files
    if not path:
        return file_list(files, pack.main)
    return {"path": path, "revision": number or pack.head, **file_text(files, path)}


@operation(shapes.RevisionPage, parameters=PAGE)
def packs_revisions(request: Request, id: int) -> Any:
    """Every revision, newest first."""
    rows = read.revisions(pack_named(id))
    return paged(request, rows, lambda page: map(read.revision_json, page))


@operation(shapes.Change, request=None)
def packs_restore(request: Request, id: int, number: int) -> Any:
    """Restore a revision of a pack as its newest revision."""
    return actions.restore(id, number, request_user(request)).to_json()


@operation(shapes.RevisionDescription, request=shapes.RevisionName)
def packs_name_revision(request: Request, id: int, number: int) -> Any:
    """Name a revision."""
    name = checked(shapes.RevisionName, request)["name"]
    return read.revision_json(actions.name_revision(id, number, name))


@operation(
    shapes.Difference,
    parameters=[
        OpenApiParameter("from", int, description="Default: the revision before `to`."),
        OpenApiParameter("to", int, description="The newest if absent."),
    ],
    view=COMPRESSED,
)
def packs_diff(request: Request, id: int) -> Any:
    """Differences between two revisions: texts, states and transitions."""
    pack = pack_named(id)
    end = number_in(request, "to") or pack.head
    start = number_in(request, "from") or max(end - 1, 1)
    return read.diff(pack, start, end)
