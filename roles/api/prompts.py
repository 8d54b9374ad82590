"""Prompt configs: read, replace, merge, reset and preview; and their revisions."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.actions import roles as actions
from roles.api import serializers
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

    @extend_schema(
        operation_id="agent_roles_prompt",
        parameters=[ETAG],
        responses={200: serializers.Prompt, 404: serializers.ERROR},
    )
    def get(self, request: Request, id: int) -> Response:
        return prompt(read.readable_role(id, request_user(request)))

    @extend_schema(
        operation_id="agent_roles_set_prompt",
        parameters=[IF_MATCH, ETAG],
        request={"application/json": serializers.NewPrompt, MERGE_PATCH: serializers.PromptPatch},
        responses={
            200: serializers.Prompt,
            403: serializers.ERROR,
            404: serializers.ERROR,
            412: serializers.ERROR,
            422: serializers.InvalidRole,
        },
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

    @extend_schema(
        operation_id="agent_roles_reset",
        parameters=[IF_MATCH, ETAG],
        request=None,
        responses={
            200: serializers.Prompt,
            404: serializers.ERROR,
            409: serializers.ERROR,
            412: serializers.ERROR,
        },
    )
    def post(self, request: Request, id: int) -> Response:
        """Reset a copy's prompt config to that of its system role. Name, colour and scopes are
        kept, and the old config stays a revision. 409 if the role has no system role."""
        return prompt(actions.reset(id, request_user(request), matching(request, read.prompt_etag)))


class Preview(APIView):
    """Preview of the messages."""

    @extend_schema(
        operation_id="agent_roles_preview",
        request=serializers.PreviewRequest,
        responses={200: serializers.Preview, 404: serializers.ERROR, 422: serializers.InvalidRole},
    )
    def post(self, request: Request, id: int) -> Response:
        """Assemble the messages of a step in a sample context, from the saved config or one in the
        body. Stores nothing."""
        row = read.readable_role(id, request_user(request))
        return Response(preview(row, request.data, request_user(request)))


class Variables(APIView):
    """Every variable that prompts may name, the places where it has a value, and an example."""

    @extend_schema(
        operation_id="agent_roles_variables", responses=serializers.PromptVariable(many=True)
    )
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

    @extend_schema(
        operation_id="agent_roles_revisions",
        parameters=PAGE,
        responses={200: serializers.RoleRevisionPage, 404: serializers.ERROR},
    )
    def get(self, request: Request, id: int) -> Response:
        rows = read.revisions(read.readable_role(id, request_user(request))).select_related("role")
        return paged(self, request, rows, read.revision_json)


class Revision(APIView):
    """One saved prompt config."""

    @extend_schema(
        operation_id="agent_roles_revision",
        responses={200: serializers.RoleRevisionWhole, 404: serializers.ERROR},
    )
    def get(self, request: Request, id: int, number: int) -> Response:
        one = read.revision_numbered(read.readable_role(id, request_user(request)), number)
        return Response({**read.revision_json(one), "prompt_config": one.prompt_config})


class Restore(APIView):
    """Restore a revision, as a new one."""

    @extend_schema(
        operation_id="agent_roles_restore",
        parameters=[ETAG],
        request=None,
        responses={
            200: serializers.Prompt,
            403: serializers.ERROR,
            404: serializers.ERROR,
            422: serializers.InvalidRole,
        },
    )
    def post(self, request: Request, id: int, number: int) -> Response:
        """Restore a revision of a role's prompt as its newest revision."""
        return prompt(actions.restore(id, number, request_user(request)))


class Difference(APIView):
    """Differences between two revisions, by place, with texts compared line by line."""

    @extend_schema(
        operation_id="agent_roles_diff",
        parameters=[
            OpenApiParameter("from", int, description="Default: the revision before `to`."),
            OpenApiParameter("to", int, description="The newest if absent."),
        ],
        responses={
            200: serializers.PromptDifferences,
            400: serializers.ERROR,
            404: serializers.ERROR,
        },
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
