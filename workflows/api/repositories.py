"""Repositories: add, fetch, scan, follow. Credentials are never returned."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

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


@operation(shapes.RepositoryDescription(many=True))
def repositories_list(request: Request) -> Any:
    """The repositories that the user may see, by name."""
    return read.repositories(request_user(request))


@operation(shapes.RepositoryDescription, 400, 422, status=201, request=shapes.NewRepository)
def repositories_create(request: Request) -> Any:
    """Add a repository and fetch it. With a wrong credential it is not stored; one that cannot
    be fetched for another reason is stored with its `problem`. `task` has the state of a fetch
    that lasts."""
    user = request_user(request)
    row = tasks.add(user, checked(shapes.NewRepository, request))
    return read.repository_json(row, user)


@operation(shapes.RepositoryDescription)
def repositories_read(request: Request, id: int) -> Any:
    """One repository."""
    return read.repository_json(read.repository_numbered(id), request_user(request))


@operation(shapes.RepositoryDescription, 400, 422, request=shapes.RepositoryChange)
def repositories_change(request: Request, id: int) -> Any:
    """Change the given fields of a repository."""
    row = registration.change(id, checked(shapes.RepositoryChange, request))
    return read.repository_json(row, request_user(request))


@operation(None, status=204)
def repositories_delete(request: Request, id: int) -> None:
    """Delete a repository here. Its packs stay, and the remote repository does not change."""
    registration.delete(id)


@operation(shapes.RepositoryDescription, 409, also={202: shapes.RepositoryTask}, request=None)
def repositories_fetch(request: Request, id: int) -> Any:
    """A fetch that takes longer than a few seconds continues: the answer is 202."""
    row, user = read.repository_numbered(id), request_user(request)
    outcome = tasks.start(row, Kind.FETCH, {}, user)
    if outcome.is_running:
        return running(outcome, request)
    row.refresh_from_db()
    return read.repository_json(row, user)


@operation(shapes.PulledTogether, 422, request=None)
def repositories_pull(request: Request, id: int) -> Any:
    """Pull every pack that you may edit and that merges without a decision, each as one
    revision. The others are left as they are."""
    return pulls.pull_clean(read.repository_numbered(id), request_user(request))


@operation(shapes.RepositoryTask, 404)
def repositories_task(request: Request, id: int, task: int) -> Any:
    """The state of a task that outlasted its request."""
    return task_json(task_numbered(id, task), request_user(request))


@operation(None, 404, 409, status=204)
def repositories_end_task(request: Request, id: int, task: int) -> None:
    """End a task that is running."""
    tasks.end(task_numbered(id, task), request_user(request))


@operation(shapes.HookSecret, request=None)
def repositories_secret(request: Request, id: int) -> Any:
    """Replace the secret of the webhook."""
    secret = actions.new_hook_secret(id)
    url = request.build_absolute_uri(f"{settings.ROOT_PATH}api/v1/repositories/{id}/hook/")
    return {"secret": secret, "url": url}


@operation(
    shapes.RepositoryScan,
    404,
    409,
    422,
    also={202: shapes.RepositoryTask},
    parameters=[OpenApiParameter("ref", str, description="Default: the main branch.")],
)
def repositories_scan(request: Request, id: int) -> Any:
    """A scan that takes longer than a few seconds continues: the answer is 202. Ask again when
    its task is done."""
    row, user = read.repository_numbered(id), request_user(request)
    outcome = tasks.scan(row, request.query_params.get("ref", ""), user)
    if outcome.is_running:
        return running(outcome, request)
    return scans.compared(row, outcome.result(), user)


@operation(
    common.Imported,
    404,
    409,
    422,
    status=201,
    also={202: shapes.RepositoryTask},
    request=shapes.TrackRequest,
)
def repositories_track(request: Request, id: int) -> Any:
    """Import packs of a branch. They follow it."""
    params = checked(shapes.TrackRequest, request)
    chosen = {"ref": params.get("ref", ""), "packs": params["packs"]}
    row = read.repository_numbered(id)
    outcome = tasks.start(row, Kind.FOLLOW, chosen, request_user(request))
    if outcome.is_running:
        return running(outcome, request)
    made = tuple(pack_named(one) for one in outcome.result()["packs"])
    return imported_json(Imported(packs=made, ignored=()))


@operation(shapes.ProposedChange(many=True))
def repositories_changes(request: Request, id: int) -> Any:
    """Proposed changes, newest first."""
    return read.changes_of(read.repository_numbered(id), request_user(request))


@operation(
    None,
    401,
    status=202,
    request=OpenApiTypes.OBJECT,
    auth=[],
    view={"authentication_classes": (), "permission_classes": ()},
)
def repositories_hook(request: Request, id: int) -> None:
    """Webhook of the forge: a worker fetches soon. Its secret is proved as the forge does it:
    `X-Hub-Signature-256`, `X-Gitea-Signature` or `X-Gitlab-Token`."""
    headers = {name.lower(): value for name, value in request.headers.items()}
    received(id, headers, request._request.body)
