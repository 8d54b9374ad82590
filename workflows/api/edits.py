"""Edits, undo and redo."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.actions import packs as actions
from workflows.api import serializers as shapes
from workflows.api.request_params import checked
from workflows.core.pack.edits import edits_from_json

ANSWERS = {
    200: shapes.Change,
    400: shapes.Error,
    404: shapes.Error,
    409: shapes.ConflictError,
    422: shapes.Error,
}
UNDO_ANSWERS = {200: shapes.Change, 404: shapes.Error, 409: shapes.Error}


class Edits(APIView):
    """Apply edits. Edits sent together are one revision and one undo step."""

    @extend_schema(operation_id="packs_edit", request=shapes.Edits, responses=ANSWERS)
    def post(self, request: Request, id: int) -> Response:
        edits = edits_from_json(request.data)
        base = checked(shapes.Base, request)["base"]
        return Response(actions.edit(id, base, edits, request_user(request)).to_json())


class Undo(APIView):
    """Undo the caller's newest change."""

    @extend_schema(operation_id="packs_undo", request=shapes.Base, responses=UNDO_ANSWERS)
    def post(self, request: Request, id: int) -> Response:
        base = checked(shapes.Base, request)["base"]
        return Response(actions.undo(id, base, request_user(request)).to_json())


class Redo(APIView):
    """Redo an undone change."""

    @extend_schema(operation_id="packs_redo", request=shapes.Base, responses=UNDO_ANSWERS)
    def post(self, request: Request, id: int) -> Response:
        base = checked(shapes.Base, request)["base"]
        return Response(actions.redo(id, base, request_user(request)).to_json())
