"""Edits, undo and redo."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.actions import packs as actions
from workflows.actions.proposals import edits_of_files, proposed
from workflows.api import serializers as shapes
from workflows.api.compression import compressed
from workflows.api.request_params import checked
from workflows.core.pack.edits import EditRefused, edits_from_json
from workflows.errors import BadRequest
from workflows.selectors import packs as read

ANSWERS = {
    200: shapes.Change,
    400: shapes.Error,
    404: shapes.Error,
    409: shapes.ConflictError,
    422: shapes.Error,
}
PROPOSAL_ANSWERS = {
    200: shapes.Consequences,
    400: shapes.Error,
    404: shapes.Error,
    409: shapes.Error,
    422: shapes.Error,
}
UNDO_ANSWERS = {200: shapes.Change, 404: shapes.Error, 409: shapes.Error}


@compressed
class Edits(APIView):
    """Apply edits. Edits sent together are one revision and one undo step."""

    @extend_schema(operation_id="packs_edit", request=shapes.Edits, responses=ANSWERS)
    def post(self, request: Request, id: int) -> Response:
        edits = edits_from_json(request.data)
        params = checked(shapes.EditOptions, request)
        change = actions.edit(
            id,
            params["base"],
            edits,
            request_user(request),
            check_later=params["check_later"],
            leave_out_moves=params["leave_out_moves"],
        )
        return Response({**change.to_json(), **_form(id, params["element"])})


def _form(pack: int, element: str) -> dict[str, Any]:
    """The form of an element, as a part of the answer; {} if the pack has no such element."""
    try:
        return {"form": read.fields(read.pack_named(pack), element)} if element else {}
    except EditRefused:
        return {}


@compressed
class Proposals(APIView):
    """The consequences of edits, or of changed files. Nothing is written."""

    @extend_schema(
        operation_id="packs_preview_edits", request=shapes.ProposedEdits, responses=PROPOSAL_ANSWERS
    )
    def post(self, request: Request, id: int) -> Response:
        params = checked(shapes.ProposedEdits, request)
        if ("files" in params) == ("edits" in params):
            raise BadRequest("A proposal has either `edits` or `files`.", where="edits")
        files = params.get("files")
        edits = edits_from_json(request.data) if files is None else edits_of_files(files)
        user = request_user(request)
        found = proposed(id, params["base"], edits, user, rehearse=params["rehearse"])
        return Response({"base": params["base"], **found.to_json()})


@compressed
class Undo(APIView):
    """Undo the caller's newest change."""

    @extend_schema(operation_id="packs_undo", request=shapes.Base, responses=UNDO_ANSWERS)
    def post(self, request: Request, id: int) -> Response:
        base = checked(shapes.Base, request)["base"]
        return Response(actions.undo(id, base, request_user(request)).to_json())


@compressed
class Redo(APIView):
    """Redo an undone change."""

    @extend_schema(operation_id="packs_redo", request=shapes.Base, responses=UNDO_ANSWERS)
    def post(self, request: Request, id: int) -> Response:
        base = checked(shapes.Base, request)["base"]
        return Response(actions.redo(id, base, request_user(request)).to_json())
