"""Edits, undo and redo."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from roles.request_user import request_user
from workflows.actions import packs as actions
from workflows.actions.proposals import edits_of_files, proposed
from workflows.api import serializers as shapes
from workflows.api.compression import COMPRESSED
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.core.pack.edits import EditRefused, edits_from_json
from workflows.errors import BadRequest
from workflows.selectors import packs as read


@operation(
    shapes.Change,
    400,
    404,
    422,
    also={409: shapes.ConflictError},
    request=shapes.Edits,
    view=COMPRESSED,
)
def packs_edit(request: Request, id: int) -> Any:
    """Apply edits. Edits sent together are one revision and one undo step."""
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
    return {**change.to_json(), **_form(id, params["element"])}


def _form(pack: int, element: str) -> dict[str, Any]:
    """The form of an element, as a part of the answer; {} if the pack has no such element."""
    try:
        return {"form": read.fields(read.pack_named(pack), element)} if element else {}
    except EditRefused:
        return {}


@operation(shapes.Consequences, 400, 404, 409, 422, request=shapes.ProposedEdits, view=COMPRESSED)
def packs_preview_edits(request: Request, id: int) -> Any:
    """The consequences of edits, or of changed files. Nothing is written."""
    params = checked(shapes.ProposedEdits, request)
    if ("files" in params) == ("edits" in params):
        raise BadRequest("A proposal has either `edits` or `files`.", where="edits")
    files = params.get("files")
    edits = edits_from_json(request.data) if files is None else edits_of_files(files)
    user = request_user(request)
    found = proposed(id, params["base"], edits, user, rehearse=params["rehearse"])
    return {"base": params["base"], **found.to_json()}


@operation(shapes.Change, 404, 409, request=shapes.Base, view=COMPRESSED)
def packs_undo(request: Request, id: int) -> Any:
    """Undo the caller's newest change."""
    base = checked(shapes.Base, request)["base"]
    return actions.undo(id, base, request_user(request)).to_json()


@operation(shapes.Change, 404, 409, request=shapes.Base, view=COMPRESSED)
def packs_redo(request: Request, id: int) -> Any:
    """Redo an undone change."""
    base = checked(shapes.Base, request)["base"]
    return actions.redo(id, base, request_user(request)).to_json()
