"""A role's prompt config: read, replaced or merged, reset, previewed; and its revisions."""

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
        return prompt(read.role_seen(id, request_user(request)))

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
        """Replace the whole prompt config; what is left out is gone. Sent as a merge patch
        (`application/merge-patch+json`), the body is merged into it instead (RFC 7396)."""
        row = actions.set_prompt(
            id,
            request.data,
            request_user(request),
            merge=is_merge_patch(request),
            matches=matching(request, read.prompt_etag),
        )
        return prompt(row)


class Reset(APIView):
    """Go back to the system role that a copy was made from."""

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
        """Give a copy the present prompt config of its system role. Name, colour and scopes stay,
        and what it had is a revision. 409 where there is nothing to go back to."""
        return prompt(actions.reset(id, request_user(request), matching(request, read.prompt_etag)))


class Preview(APIView):
    """What would be sent."""

    @extend_schema(
        operation_id="agent_roles_preview",
        request=serializers.PreviewRequest,
        responses={200: serializers.Preview, 404: serializers.ERROR, 422: serializers.InvalidRole},
    )
    def post(self, request: Request, id: int) -> Response:
        """Assemble the messages of a kind of work in a sample context, of the saved config or of
        one in the body. Stores nothing."""
        row = read.role_seen(id, request_user(request))
        return Response(preview(row, request.data, request_user(request)))


class Variables(APIView):
    """Every variable that prompts may name, where it has a value, and an example."""

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
    """Every saved prompt config, the newest first."""

    @extend_schema(
        operation_id="agent_roles_revisions",
        parameters=PAGE,
        responses={200: serializers.RoleRevisionPage, 404: serializers.ERROR},
    )
    def get(self, request: Request, id: int) -> Response:
        rows = read.revisions(read.role_seen(id, request_user(request))).select_related("role")
        return paged(self, request, rows, read.revision_json)


class Revision(APIView):
    """One saved prompt config."""

    @extend_schema(
        operation_id="agent_roles_revision",
        responses={200: serializers.RoleRevisionWhole, 404: serializers.ERROR},
    )
    def get(self, request: Request, id: int, number: int) -> Response:
        one = read.revision_numbered(read.role_seen(id, request_user(request)), number)
        return Response({**read.revision_json(one), "prompt_config": one.prompt_config})


class Restore(APIView):
    """Bring a revision back, as a new one."""

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
        return prompt(actions.restore(id, number, request_user(request)))


class Difference(APIView):
    """What differs between two revisions, by place, texts line by line."""

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
        row = read.role_seen(id, request_user(request))
        end = number_in(request, "to")
        end = row.revision if end is None else end
        start = number_in(request, "from")
        return Response(read.difference(row, max(end - 1, 1) if start is None else start, end))


def prompt(row: Role) -> Response:
    """A prompt config with its ETag."""
    return Response(read.prompt_json(row), headers={"ETag": read.prompt_etag(row)})
