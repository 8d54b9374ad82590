"""Packs in git repositories on the server: import, export, commits in the opened folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rest_framework.request import Request
from rest_framework.serializers import Serializer

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


@operation(shapes.Imported, 404, 409, 422, status=201, request=shapes.GitImport)
def import_git(request: Request) -> Any:
    """Import the packs of a commit. One that was imported from this path before is updated."""
    params = _only(shapes.GitImport, request)
    wanted = ImportRequest(
        repository=Path(params["repository"]),
        ref=params["ref"],
        path=params["path"],
        name=params["name"],
        separate=params["separate"],
    )
    return imported_json(import_commit(wanted, request_user(request)))


@operation(shapes.GitDestination(many=True))
def packs_git_destinations(request: Request, id: int) -> Any:
    """List the repositories and branches that the pack can be committed to."""
    return destinations(read.pack_named(id))


@operation(shapes.GitExported, 404, 409, 422, request=shapes.GitExport)
def packs_export_git(request: Request, id: int) -> Any:
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
    return exports.commit(read.pack_named(id), _target(params), how)


@operation(shapes.GitPlan, 404, 422, request=shapes.GitTarget)
def packs_export_git_plan(request: Request, id: int) -> Any:
    """The commit that an export would make, with the difference of each file. Writes nothing."""
    params = _only(shapes.GitTarget, request, also=shapes.GitExport)
    return exports.preview(read.pack_named(id), _target(params))


@operation(shapes.CommitPlan, 404, 422, request=shapes.CommitTarget)
def packs_commit_plan(request: Request, id: int) -> Any:
    """The commit of the pack in the opened folder. Writes nothing."""
    pack = read.pack_named(id)
    checkout = checkout_with(pack)
    plan = exports.preview(pack, _here(checkout, _only(shapes.CommitTarget, request)))
    return {
        **plan,
        "checkout": checkout.current,
        "author": str(checkout.person(request_user(request))),
        "hooks": checkout.hooks,
        "signs": checkout.signs,
    }


@operation(shapes.GitExported, 404, 409, 422, request=shapes.PackCommit)
def packs_commit(request: Request, id: int) -> Any:
    """Commit the pack's files in the opened folder."""
    pack = read.pack_named(id)
    checkout = checkout_with(pack)
    params = _only(shapes.PackCommit, request)
    person = checkout.person(request_user(request))
    how = exports.CommitRequest(
        message=params["message"], author=person, committer=person, tree=params.get("tree", "")
    )
    return exports.commit(pack, _here(checkout, params), how)


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
