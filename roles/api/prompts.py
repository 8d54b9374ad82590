"""Prompt configs: read, replace, merge, reset and preview; and their revisions."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from roles.actions import roles as actions
from roles.api import serializers
from roles.api.operation import operation
from roles.api.request_params import (
    ETAG,
    IF_MATCH,
    JSON,
    MERGE_PATCH,
    PAGE,
    MergePatch,
    is_merge_patch,
    matching,
    number_in,
    paged,
)
from roles.core.variables import VARIABLES
from roles.models import Role
from roles.request_user import request_user
from roles.selectors import roles as read
from roles.step_preview import preview


@operation(serializers.Prompt, 404, parameters=[ETAG], view={"parser_classes": [JSON, MergePatch]})
def agent_roles_prompt(request: Request, id: int) -> Any:
    """The prompt config of a role."""
    return prompt(read.readable_role(id, request_user(request)))


@operation(
    serializers.Prompt,
    403,
    404,
    412,
    also={422: serializers.InvalidRole},
    parameters=[IF_MATCH, ETAG],
    request={"application/json": serializers.NewPrompt, MERGE_PATCH: serializers.PromptPatch},
    view={"parser_classes": [JSON, MergePatch]},
)
def agent_roles_set_prompt(request: Request, id: int) -> Any:
    """Replace the whole prompt config; keys that are left out are removed. As a merge patch
    (`application/merge-patch+json`), the body is merged instead (RFC 7396)."""
    row = actions.set_prompt(
        id,
        request.data,
        request_user(request),
        merge=is_merge_patch(request),
        matches=matching(request, read.prompt_etag),
    )
    return prompt(row)


@operation(serializers.Prompt, 404, 409, 412, parameters=[IF_MATCH, ETAG], request=None)
def agent_roles_reset(request: Request, id: int) -> Any:
    """Reset a copy's prompt config to that of its system role. Name, colour and scopes are
    kept, and the old config stays a revision. 409 if the role has no system role."""
    return prompt(actions.reset(id, request_user(request), matching(request, read.prompt_etag)))


@operation(
    serializers.Preview,
    404,
    also={422: serializers.InvalidRole},
    request=serializers.PreviewRequest,
)
def agent_roles_preview(request: Request, id: int) -> Any:
    """Assemble the messages of a step in a sample context, from the saved config or one in the
    body. Stores nothing."""
    row = read.readable_role(id, request_user(request))
    return preview(row, request.data, request_user(request))


@operation(serializers.PromptVariable(many=True))
def agent_roles_variables(request: Request) -> Any:
    """Every variable that prompts may name, the places where it has a value, and an example."""
    return [
        {
            "name": one.name,
            "section": one.section,
            "about": one.about,
            "places": list(one.places),
            "example": one.example,
        }
        for one in VARIABLES.values()
    ]


@operation(serializers.RoleRevisionPage, 404, parameters=PAGE)
def agent_roles_revisions(request: Request, id: int) -> Any:
    """Every saved prompt config, newest first."""
    rows = read.revisions(read.readable_role(id, request_user(request))).select_related("role")
    return paged(request, rows, lambda page: map(read.revision_json, page))


@operation(serializers.RoleRevisionWhole, 404)
def agent_roles_revision(request: Request, id: int, number: int) -> Any:
    """One saved prompt config."""
    one = read.revision_numbered(read.readable_role(id, request_user(request)), number)
    return {**read.revision_json(one), "prompt_config": one.prompt_config}


@operation(
    serializers.Prompt,
    403,
    404,
    also={422: serializers.InvalidRole},
    parameters=[ETAG],
    request=None,
)
def agent_roles_restore(request: Request, id: int, number: int) -> Any:
    """Restore a revision of a role's prompt as its newest revision."""
    return prompt(actions.restore(id, number, request_user(request)))


@operation(
    serializers.PromptDifferences,
    400,
    404,
    parameters=[
        OpenApiParameter("from", int, description="Default: the revision before `to`."),
        OpenApiParameter("to", int, description="The newest if absent."),
    ],
)
def agent_roles_diff(request: Request, id: int) -> Any:
    """Differences between two revisions, by place, with texts compared line by line."""
    row = read.readable_role(id, request_user(request))
    end = number_in(request, "to")
    end = row.revision if end is None else end
    start = number_in(request, "from")
    return read.difference(row, max(end - 1, 1) if start is None else start, end)


def prompt(row: Role) -> Response:
    """A prompt config with its ETag."""
    return Response(read.prompt_json(row), headers={"ETag": read.prompt_etag(row)})
