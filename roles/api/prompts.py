"""Prompt configs: read, replace, merge, reset and preview; and their revisions."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

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


class Prompt(APIView):
    """The prompt config of a role."""

    parser_classes = [JSON, MergePatch]

    @operation("agent_roles_prompt", serializers.Prompt, 404, parameters=[ETAG])
    def get(self, request: Request, id: int) -> Response:
        return prompt(read.readable_role(id, request_user(request)))

    @operation(
        "agent_roles_set_prompt",
        serializers.Prompt,
        403,
        404,
        412,
        also={422: serializers.InvalidRole},
        parameters=[IF_MATCH, ETAG],
        request={"application/json": serializers.NewPrompt, MERGE_PATCH: serializers.PromptPatch},
    )
    def patch(self, request: Request, id: int) -> Response:
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


class Reset(APIView):
    """Reset a copy to its system role."""

    @operation(
        "agent_roles_reset",
        serializers.Prompt,
        404,
        409,
        412,
        parameters=[IF_MATCH, ETAG],
        request=None,
    )
    def post(self, request: Request, id: int) -> Response:
        """Reset a copy's prompt config to that of its system role. Name, colour and scopes are
        kept, and the old config stays a revision. 409 if the role has no system role."""
        return prompt(actions.reset(id, request_user(request), matching(request, read.prompt_etag)))


class Preview(APIView):
    """Preview of the messages."""

    @operation(
        "agent_roles_preview",
        serializers.Preview,
        404,
        also={422: serializers.InvalidRole},
        request=serializers.PreviewRequest,
    )
    def post(self, request: Request, id: int) -> Response:
        """Assemble the messages of a step in a sample context, from the saved config or one in the
        body. Stores nothing."""
        row = read.readable_role(id, request_user(request))
        return Response(preview(row, request.data, request_user(request)))


class Variables(APIView):
    """Every variable that prompts may name, the places where it has a value, and an example."""

    @operation("agent_roles_variables", serializers.PromptVariable(many=True))
    def get(self, request: Request) -> Response:
        return Response(
            [
                {
                    "name": one.name,
                    "section": one.section,
                    "about": one.about,
                    "places": list(one.places),
                    "example": one.example,
                }
                for one in VARIABLES.values()
            ]
        )


class Revisions(APIView):
    """Every saved prompt config, newest first."""

    @operation("agent_roles_revisions", serializers.RoleRevisionPage, 404, parameters=PAGE)
    def get(self, request: Request, id: int) -> Response:
        rows = read.revisions(read.readable_role(id, request_user(request))).select_related("role")
        return paged(self, request, rows, read.revision_json)


class Revision(APIView):
    """One saved prompt config."""

    @operation("agent_roles_revision", serializers.RoleRevisionWhole, 404)
    def get(self, request: Request, id: int, number: int) -> Response:
        one = read.revision_numbered(read.readable_role(id, request_user(request)), number)
        return Response({**read.revision_json(one), "prompt_config": one.prompt_config})


class Restore(APIView):
    """Restore a revision, as a new one."""

    @operation(
        "agent_roles_restore",
        serializers.Prompt,
        403,
        404,
        also={422: serializers.InvalidRole},
        parameters=[ETAG],
        request=None,
    )
    def post(self, request: Request, id: int, number: int) -> Response:
        """Restore a revision of a role's prompt as its newest revision."""
        return prompt(actions.restore(id, number, request_user(request)))


class Difference(APIView):
    """Differences between two revisions, by place, with texts compared line by line."""

    @operation(
        "agent_roles_diff",
        serializers.PromptDifferences,
        400,
        404,
        parameters=[
            OpenApiParameter("from", int, description="Default: the revision before `to`."),
            OpenApiParameter("to", int, description="The newest if absent."),
        ],
    )
    def get(self, request: Request, id: int) -> Response:
        row = read.readable_role(id, request_user(request))
        end = number_in(request, "to")
        end = row.revision if end is None else end
        start = number_in(request, "from")
        return Response(read.difference(row, max(end - 1, 1) if start is None else start, end))


def prompt(row: Role) -> Response:
    """A prompt config with its ETag."""
    return Response(read.prompt_json(row), headers={"ETag": read.prompt_etag(row)})
