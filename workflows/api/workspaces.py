"""Workspaces of runs: the choices at the start, and a run's changes as a branch."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from roles.request_user import request_user
from workflows.actions.run_programs import program_of
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.api.serializers.runs import KeptBranch, NewBranch, WorkspaceChoices
from workflows.core.engine.program import CannotRun
from workflows.errors import CallerError
from workflows.models import Pack, Run
from workflows.repos.authors import Author
from workflows.repos.local_repositories import folders_for_runs, local_repositories
from workflows.runner.workspace_closing import keep_branch
from workflows.selectors import packs as packs_read
from workflows.selectors import runs as read


@operation(WorkspaceChoices)
def packs_workspaces(request: Request, id: int) -> Any:
    """The workspaces that a run of this pack can be started in."""
    pack = packs_read.pack_named(id)
    return {
        "worktree": _wants_worktree(pack),
        "folders": folders_for_runs(),
        "repositories": local_repositories(),
    }


@operation(KeptBranch, 422, status=201, request=NewBranch)
def runs_branch(request: Request, id: str) -> Any:
    """Keep what an ended run changed in a repository as a new branch with one commit. No existing
    branch is moved."""
    params = checked(NewBranch, request)
    user = request_user(request)
    name = user.get_full_name() or user.get_username()
    commit = keep_branch(
        read.run_named(id),
        params["branch"],
        message=params["message"],
        author=Author(name=name, email=user.email or f"{user.get_username()}@localhost"),
        by=user.get_username(),
    )
    return {"branch": params["branch"], "commit": commit}


def _wants_worktree(pack: Pack) -> bool:
    try:
        return program_of(Run(pack=pack, revision=pack.head, profile=pack.profile)).wants_worktree
    except (CannotRun, CallerError):
        return False
