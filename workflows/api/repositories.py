"""Repositories: add, fetch, scan, follow. Credentials are never returned."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.actions import repositories as actions
from workflows.actions.packs import Imported
from workflows.api import serializers as common
from workflows.api.import_export import imported_json
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.api.serializers import repositories as shapes
from workflows.repos import pulls, registration, scans
from workflows.repos.hooks import received
from workflows.runner import repository_tasks as tasks
from workflows.runner.repository_tasks import Kind, Outcome
from workflows.selectors import repositories as read
from workflows.selectors.packs import pack_named
from workflows.selectors.repository_tasks import task_json, task_numbered


def running(outcome: Outcome, request: Request) -> Response:
    """The answer of a request whose task continues."""
    return Response(task_json(outcome.task, request_user(request)), status=202)


class Repositories(APIView):
    """The repositories that the user may see, by name."""

    @operation("repositories_list", shapes.RepositoryDescription(many=True))
    def get(self, request: Request) -> Response:
        return Response(read.repositories(request_user(request)))

    @operation(
        "repositories_create",
        shapes.RepositoryDescription,
        400,
        422,
        status=201,
        request=shapes.NewRepository,
    )
    def post(self, request: Request) -> Response:
        """Add a repository and fetch it. With a wrong credential it is not stored; one that cannot
        be fetched for another reason is stored with its `problem`. `task` has the state of a fetch
        that lasts."""
        user = request_user(request)
        row = tasks.add(user, checked(shapes.NewRepository, request))
        return Response(read.repository_json(row, user), status=201)


class Repository(APIView):
    """One repository."""

    @operation("repositories_read", shapes.RepositoryDescription)
    def get(self, request: Request, id: int) -> Response:
        return Response(read.repository_json(read.repository_numbered(id), request_user(request)))

    @operation(
        "repositories_change",
        shapes.RepositoryDescription,
        400,
        422,
        request=shapes.RepositoryChange,
    )
    def patch(self, request: Request, id: int) -> Response:
        """Change the given fields of a repository."""
        row = registration.change(id, checked(shapes.RepositoryChange, request))
        return Response(read.repository_json(row, request_user(request)))

    @operation("repositories_delete", None, status=204)
    def delete(self, request: Request, id: int) -> Response:
        """Delete a repository here. Its packs stay, and the remote repository does not change."""
        registration.delete(id)
        return Response(status=204)


class RepositoryFetch(APIView):
    """Bring the mirror up to date and compare the packs."""

    @operation(
        "repositories_fetch",
        shapes.RepositoryDescription,
        409,
        also={202: shapes.RepositoryTask},
        request=None,
    )
    def post(self, request: Request, id: int) -> Response:
        """A fetch that takes longer than a few seconds continues: the answer is 202."""
        row, user = read.repository_numbered(id), request_user(request)
        outcome = tasks.start(row, Kind.FETCH, {}, user)
        if outcome.is_running:
            return running(outcome, request)
        row.refresh_from_db()
        return Response(read.repository_json(row, user))


class RepositoryPull(APIView):
    """Newer commits of all packs of the repository."""

    @operation("repositories_pull", shapes.PulledTogether, 422, request=None)
    def post(self, request: Request, id: int) -> Response:
        """Pull every pack that you may edit and that merges without a decision, each as one
        revision. The others are left as they are."""
        return Response(pulls.pull_clean(read.repository_numbered(id), request_user(request)))


class RepositoryTask(APIView):
    """The state of a task that outlasted its request."""

    @operation("repositories_task", shapes.RepositoryTask, 404)
    def get(self, request: Request, id: int, task: int) -> Response:
        return Response(task_json(task_numbered(id, task), request_user(request)))

    @operation("repositories_end_task", None, 404, 409, status=204)
    def delete(self, request: Request, id: int, task: int) -> Response:
        """End a task that is running."""
        tasks.end(task_numbered(id, task), request_user(request))
        return Response(status=204)


class RepositorySecret(APIView):
    """Replace the secret of the webhook."""

    @operation("repositories_secret", shapes.HookSecret, request=None)
    def post(self, request: Request, id: int) -> Response:
        secret = actions.new_hook_secret(id)
        url = request.build_absolute_uri(f"/api/v1/repositories/{id}/hook/")
        return Response({"secret": secret, "url": url})


class RepositoryScan(APIView):
    """The packs of a branch or commit, compared with those that follow the repository."""

    @operation(
        "repositories_scan",
        shapes.RepositoryScan,
        404,
        409,
        422,
        also={202: shapes.RepositoryTask},
        parameters=[OpenApiParameter("ref", str, description="Default: the main branch.")],
    )
    def get(self, request: Request, id: int) -> Response:
        """A scan that takes longer than a few seconds continues: the answer is 202. Ask again when
        its task is done."""
        row, user = read.repository_numbered(id), request_user(request)
        outcome = tasks.scan(row, request.query_params.get("ref", ""), user)
        if outcome.is_running:
            return running(outcome, request)
        return Response(scans.compared(row, outcome.result(), user))


class RepositoryTrack(APIView):
    """Import packs of a branch. They follow it."""

    @operation(
        "repositories_track",
        common.Imported,
        404,
        409,
        422,
        status=201,
        also={202: shapes.RepositoryTask},
        request=shapes.TrackRequest,
    )
    def post(self, request: Request, id: int) -> Response:
        params = checked(shapes.TrackRequest, request)
        chosen = {"ref": params.get("ref", ""), "packs": params["packs"]}
        row = read.repository_numbered(id)
        outcome = tasks.start(row, Kind.FOLLOW, chosen, request_user(request))
        if outcome.is_running:
            return running(outcome, request)
        made = tuple(pack_named(one) for one in outcome.result()["packs"])
        return Response(imported_json(Imported(packs=made, ignored=())), status=201)


class RepositoryChanges(APIView):
    """Proposed changes, newest first."""

    @operation("repositories_changes", shapes.ProposedChange(many=True))
    def get(self, request: Request, id: int) -> Response:
        return Response(read.changes_of(read.repository_numbered(id), request_user(request)))


class RepositoryHook(APIView):
    """Webhook of the forge: a worker fetches soon. Its secret is proved as the forge does it:
    `X-Hub-Signature-256`, `X-Gitea-Signature` or `X-Gitlab-Token`."""

    authentication_classes = ()
    permission_classes = ()

    @operation("repositories_hook", None, 401, status=202, request=OpenApiTypes.OBJECT, auth=[])
    def post(self, request: Request, id: int) -> Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        received(id, headers, request._request.body)
        return Response(status=202)
