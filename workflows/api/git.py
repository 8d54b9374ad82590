"""Packs in git repositories on the server: import, export, commits in the opened folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.api import serializers as shapes
from workflows.api.import_export import imported_json
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.errors import BadRequest
from workflows.repos import exports
from workflows.repos.checkouts import Checkout, checkout_with
from workflows.repos.commits import Person, author_named
from workflows.repos.imports import ImportRequest, import_commit
from workflows.repos.repository import open_allowed
from workflows.selectors import packs as read
from workflows.selectors.sync_points import destinations


class GitImport(APIView):
    """Import the packs of a commit. One that was imported from this path before is updated."""

    @operation("import_git", shapes.Imported, 404, 409, 422, status=201, request=shapes.GitImport)
    def post(self, request: Request) -> Response:
        params = _only(shapes.GitImport, request)
        wanted = ImportRequest(
            repository=Path(params["repository"]),
            ref=params["ref"],
            path=params["path"],
            name=params["name"],
            separate=params["separate"],
        )
        return Response(imported_json(import_commit(wanted, request_user(request))), status=201)


class GitExport(APIView):
    """Commit the pack's files to a branch of a repository on the server."""

    @operation("packs_git_destinations", shapes.GitDestination(many=True))
    def get(self, request: Request, id: int) -> Response:
        """List the repositories and branches that the pack can be committed to."""
        return Response(destinations(read.pack_named(id)))

    @operation("packs_export_git", shapes.GitExported, 404, 409, 422, request=shapes.GitExport)
    def post(self, request: Request, id: int) -> Response:
        """Commit the pack's files to a branch of a repository on the server."""
        params = _only(shapes.GitExport, request)
        user = request_user(request)
        person = Person(name=user.get_full_name() or user.get_username(), email=user.email)
        author = params.get("author")
        how = exports.CommitRequest(
            message=params["message"],
            author=author_named(author) if author else person,
            committer=person,
            tree=params.get("tree", ""),
        )
        return Response(exports.commit(read.pack_named(id), _target(params), how))


class GitExportPlan(APIView):
    """The commit that an export would make, with the difference of each file. Writes nothing."""

    @operation("packs_export_git_plan", shapes.GitPlan, 404, 422, request=shapes.GitTarget)
    def post(self, request: Request, id: int) -> Response:
        params = _only(shapes.GitTarget, request, also=shapes.GitExport)
        return Response(exports.preview(read.pack_named(id), _target(params)))


class PackCommitPlan(APIView):
    """The commit of the pack in the opened folder. Writes nothing."""

    @operation("packs_commit_plan", shapes.CommitPlan, 404, 422, request=shapes.CommitTarget)
    def post(self, request: Request, id: int) -> Response:
        pack = read.pack_named(id)
        checkout = checkout_with(pack)
        plan = exports.preview(pack, _here(checkout, _only(shapes.CommitTarget, request)))
        return Response(
            {
                **plan,
                "checkout": checkout.current,
                "author": str(checkout.person(request_user(request))),
                "hooks": checkout.hooks,
                "signs": checkout.signs,
            }
        )


class PackCommit(APIView):
    """Commit the pack's files in the opened folder."""

    @operation("packs_commit", shapes.GitExported, 404, 409, 422, request=shapes.PackCommit)
    def post(self, request: Request, id: int) -> Response:
        pack = read.pack_named(id)
        checkout = checkout_with(pack)
        params = _only(shapes.PackCommit, request)
        person = checkout.person(request_user(request))
        how = exports.CommitRequest(
            message=params["message"], author=person, committer=person, tree=params.get("tree", "")
        )
        return Response(exports.commit(pack, _here(checkout, params), how))


def _here(checkout: Checkout, params: dict[str, Any]) -> exports.ExportRequest:
    return exports.ExportRequest(
        repository=checkout.repository,
        branch=params.get("branch", ""),
        folder=checkout.prefix,
        base=checkout.head,
        checkout=checkout,
    )


def _target(params: dict[str, Any]) -> exports.ExportRequest:
    return exports.ExportRequest(
        repository=open_allowed(Path(params["repository"])),
        branch=params["branch"],
        folder=params.get("folder"),
        base=params.get("base", ""),
        revision=params.get("revision"),
    )


def _only(
    shape: type[Serializer[Any]], request: Request, also: type[Serializer[Any]] | None = None
) -> dict[str, Any]:
    """The body in this shape. Raises BadRequest for a field that nothing would read; the fields of
    `also` are allowed."""
    params = checked(shape, request)
    fields = {**shape().fields, **(also().fields if also else {})}
    unknown = sorted(set(request.data) - set(fields))
    if unknown:
        raise BadRequest(
            f"{unknown[0]!r} is not a field of this request.",
            hint=f"Fields: {', '.join(fields)}.",
            where=str(unknown[0]),
        )
    return params
