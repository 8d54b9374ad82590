"""A pack and its repository: state, pull, proposal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from rest_framework.request import Request
from rest_framework.response import Response

from roles.request_user import request_user
from roles.rights import Level, level_of
from workflows.api.operation import operation
from workflows.api.repositories import running
from workflows.api.request_params import checked
from workflows.api.serializers import repositories as shapes
from workflows.errors import NotAllowed
from workflows.folder import conflicts
from workflows.models import Pack
from workflows.repos import fetches, proposals, pulls
from workflows.repos.commits import author_named
from workflows.repos.proposal_plans import propose_plan
from workflows.rights.gate import require
from workflows.runner import repository_tasks as tasks
from workflows.selectors import packs as read
from workflows.selectors.repositories import tracked_here, upstream_json


@operation(shapes.UpstreamBody)
def packs_upstream(request: Request, id: int) -> Any:
    """The place of the pack in its repository, and a conflict with its opened folder; null if
    there is none."""
    pack = read.pack_named(id)
    conflict = conflicts.open_conflict(pack)
    return {"upstream": upstream_json(pack), "folder_conflict": conflict}


@operation(shapes.UpstreamBody, 404, 409, 422, request=shapes.FollowedBranch)
def packs_follow_branch(request: Request, id: int) -> Any:
    """Let the pack follow another branch of its repository. Its history and runs stay."""
    fetches.follow_branch(read.pack_named(id), checked(shapes.FollowedBranch, request)["branch"])
    return packs_upstream(request, id)


@operation(shapes.FolderDecided, 404, 409, 422, request=shapes.FolderDecision)
def packs_folder_conflict(request: Request, id: int, conflict: int) -> Any:
    """Save the chosen texts as one revision, which is written to the folder."""
    params = checked(shapes.FolderDecision, request)
    revision = conflicts.decide(
        read.pack_named(id),
        conflict,
        request_user(request),
        expected_revision=params["expected_revision"],
        choices=params["choices"],
    )
    return {"revision": revision}


@operation(shapes.PullPlan, 404, 422)
def packs_pull_plan(request: Request, id: int) -> Any:
    """Newer commits of the pack's branch."""
    return pulls.pull_plan(read.pack_named(id))


@operation(shapes.Pulled, 404, 409, 422, request=shapes.PullRequestBody)
def packs_pull(request: Request, id: int) -> Any:
    """Merge the branch into the pack, as one revision."""
    params = checked(shapes.PullRequestBody, request)
    return pulls.pull(
        read.pack_named(id),
        request_user(request),
        expected_commit=params.get("expected_commit", ""),
        expected_revision=params.get("expected_revision"),
        choices=params.get("choices"),
    )


@operation(shapes.ProposePlan, 404, 422, request=shapes.ProposePlanRequest)
def packs_propose_plan(request: Request, id: int) -> Any:
    """Preview of a proposal. Commits nothing."""
    params = checked(shapes.ProposePlanRequest, request)
    user = request_user(request)
    return propose_plan(
        read.pack_named(id),
        user,
        others=_others(params, user, Level.READ),
        branch=params.get("branch", ""),
        check=params["check"],
    )


@operation(
    shapes.Proposed,
    403,
    404,
    409,
    422,
    also={202: shapes.RepositoryTask},
    request=shapes.ProposeRequest,
)
def packs_propose(request: Request, id: int) -> Any:
    """A proposal that takes longer than a few seconds continues: the answer is 202."""
    params = checked(shapes.ProposeRequest, request)
    pack, user = read.pack_named(id), request_user(request)
    packs = [pack, *_others(params, user, Level.EDIT)]
    repository = tracked_here(pack).repository
    if level_of(user, repository) is Level.NONE:
        raise NotAllowed(
            "This pack's repository is not shared with you, so you cannot push to it.",
            hint=f"Ask its owner to share the repository {repository.name!r} with you.",
        )
    author = params.get("author")
    proposal = proposals.Proposal(
        branch=params["branch"],
        title=params["title"],
        message=params["message"],
        description=params.get("description", ""),
        tree=params.get("tree", ""),
        author=author_named(author) if author else None,
        pull_request=params["pull_request"],
    )
    chosen = {"packs": [one.pk for one in packs], **proposal.to_json()}
    outcome = tasks.start(repository, tasks.Kind.PROPOSE, chosen, user)
    return running(outcome, request) if outcome.is_running else Response(outcome.result())


def _others(params: Mapping[str, Any], user: User, level: Level) -> list[Pack]:
    """More packs of a proposal. Raises NotThere and NotAllowed for one on which the user has less
    than this level."""
    packs = [read.pack_named(id) for id in params.get("others", ())]
    for pack in packs:
        require(user, pack, level)
    return packs
