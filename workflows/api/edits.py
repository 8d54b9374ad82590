"""Edits, undo and redo."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from roles.api.request_params import choice_in
from roles.request_user import request_user
from workflows.actions import packs as actions
from workflows.actions import proposals
from workflows.api import serializers as shapes
from workflows.api.compression import COMPRESSED
from workflows.api.operation import operation
from workflows.api.request_params import PAGE, checked, paged
from workflows.core.pack.edits import EditRefused, edits_from_json
from workflows.errors import BadRequest
from workflows.models import Proposal
from workflows.selectors import packs as read
from workflows.selectors import proposals as rows


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
    """The consequences of edits, or of changed files. The pack stays as it is; with `keep`, the
    proposal is stored for those who may edit the pack."""
    params = checked(shapes.ProposedEdits, request)
    if ("files" in params) == ("edits" in params):
        raise BadRequest("A proposal has either `edits` or `files`.", where="edits")
    files = params.get("files")
    edits = edits_from_json(request.data) if files is None else proposals.edits_of_files(files)
    user = request_user(request)
    base = params["base"]
    found = proposals.proposed(id, base, edits, user, rehearse=params["rehearse"])
    kept = None
    if params["keep"]:
        kept = proposals.keep(id, base, edits, found.parts, user, params["note"]).pk
        request._request.audit_changed = True  # type: ignore[attr-defined]
    return {"base": base, "proposal": kept, **found.to_json()}


@operation(
    shapes.ProposalPage,
    parameters=[*PAGE, OpenApiParameter("status", enum=Proposal.Status.values)],
)
def packs_proposals(request: Request, id: int) -> Any:
    """Proposals for a pack, newest first."""
    status = choice_in(request, "status", Proposal.Status.values)
    found = rows.proposals(read.pack_named(id), status)
    return paged(request, found, lambda page: map(rows.proposal_json, page))


@operation(
    shapes.ReviewedProposal,
    400,
    404,
    422,
    parameters=[
        OpenApiParameter(
            "part", int, many=True, description="Numbers of parts, from 0; all that are pending."
        ),
        OpenApiParameter(
            "quick", bool, description="Without coverage and recorded runs, which take seconds."
        ),
    ],
    view=COMPRESSED,
)
def packs_proposal(request: Request, id: int, proposal: int) -> Any:
    """A proposal, and the consequences of its pending parts for the newest revision."""
    numbers = request.query_params.getlist("part")
    if any(not (one.isascii() and one.isdecimal() and len(one) < 9) for one in numbers):
        raise BadRequest("`part` is the number of a part, from 0.", where="part")
    chosen = {int(one) for one in numbers} or None
    quick = choice_in(request, "quick", ("true", "false")) == "true"
    return proposals.review(id, proposal, request_user(request), chosen, quick=quick).to_json()


@operation(
    shapes.Change,
    400,
    404,
    422,
    also={409: shapes.ConflictError},
    request=shapes.ProposalParts,
    view=COMPRESSED,
)
def packs_accept_proposal(request: Request, id: int, proposal: int) -> Any:
    """Apply parts of a proposal as one revision and one undo step of the caller. The others stay
    pending."""
    parts = checked(shapes.ProposalParts, request)["parts"]
    return proposals.accept(id, proposal, parts, request_user(request)).to_json()


@operation(shapes.StoredProposal, 400, 404, 422, request=shapes.ProposalRejection)
def packs_reject_proposal(request: Request, id: int, proposal: int) -> Any:
    """Reject parts of a proposal, with a reason that it keeps."""
    params = checked(shapes.ProposalRejection, request)
    user = request_user(request)
    return rows.proposal_json(
        proposals.reject(id, proposal, params["parts"], user, params["reason"])
    )


@operation(shapes.StoredProposal, 404, 422)
def packs_withdraw_proposal(request: Request, id: int, proposal: int) -> Any:
    """Withdraw the pending parts of a proposal. Only its author can."""
    return rows.proposal_json(proposals.withdraw(id, proposal, request_user(request)))


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
