"""Repositories, the packs that follow them, pulls and proposals."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import Finding
from workflows.api.serializers.consequences import CaseChange, CoverageChange, DivergingRun
from workflows.api.serializers.history import GitFileDifference, GitPlan
from workflows.db.integers import MAX_INTEGER
from workflows.models import Repository as Row
from workflows.models import RepositoryTask as Task

STATUSES = ("in-step", "edited", "changed", "both", "gone")
TASK_STATUSES = ("running", "done", "failed")
CHANGE_STATUSES = ("open", "merged", "closed")
MOST_PACKS = 100
"""Packs that a proposal may have besides its first."""
SCANNED_STATUSES = ("new", "tracked", "moved", "gone")


class RepositoryBranch(s.Serializer[Any]):
    name = s.CharField()
    commit = s.CharField()


class RepositoryTask(s.Serializer[Any]):
    """Work on a repository that may outlast its request. `progress`: the newest progress line of
    git. `problem`: why it failed, or "". `result`: for its author, once it is done."""

    id = s.IntegerField()
    repository = s.IntegerField()
    kind = s.ChoiceField(choices=Task.Kind.values)
    title = s.CharField()
    status = s.ChoiceField(choices=TASK_STATUSES)
    progress = s.CharField(allow_blank=True)
    started_at = s.DateTimeField()
    finished_at = s.DateTimeField(allow_null=True)
    problem = s.CharField(allow_blank=True)
    result = s.JSONField(allow_null=True)


class RepositoryDescription(s.Serializer[Any]):
    """A repository without its credential. `problem`: why the last fetch failed, or ""."""

    id = s.IntegerField()
    name = s.CharField()
    url = s.CharField()
    default_branch = s.CharField(allow_blank=True)
    forge = s.ChoiceField(choices=Row.Forge.values, allow_blank=True)
    api_url = s.CharField(allow_blank=True)
    credential = s.ChoiceField(choices=Row.Credential.values)
    username = s.CharField(allow_blank=True)
    has_credential = s.BooleanField()
    app_id = s.CharField(allow_blank=True)
    installation_id = s.CharField(allow_blank=True)
    has_hook_secret = s.BooleanField()
    committer_name = s.CharField(allow_blank=True)
    committer_email = s.CharField(allow_blank=True)
    git_wins = s.BooleanField()
    poll_seconds = s.IntegerField()
    branches = RepositoryBranch(many=True)
    fetched_at = s.DateTimeField(allow_null=True)
    problem = s.CharField(allow_blank=True)
    packs = s.IntegerField()
    changes_open = s.IntegerField()
    states = s.DictField(
        child=s.IntegerField(), help_text="State → number of packs that you may see."
    )
    level = s.ChoiceField(choices=["read", "edit", "own"])
    task = RepositoryTask(allow_null=True, help_text="The last one that was begun.")


class RepositoryChange(s.Serializer[Any]):
    """Fields to change. A `secret` that is left out is kept, unless it would be sent elsewhere."""

    name = s.CharField(required=False, allow_blank=True, max_length=100)
    url = s.CharField(
        required=False,
        max_length=500,
        help_text="An https, http or ssh address, or a folder that the operator allows.",
    )
    forge = s.ChoiceField(
        required=False,
        allow_blank=True,
        choices=[value for value in Row.Forge.values if value],
        help_text="The server that opens pull requests; empty for plain git.",
    )
    api_url = s.CharField(required=False, allow_blank=True, max_length=500)
    credential = s.ChoiceField(required=False, choices=Row.Credential.values)
    username = s.CharField(required=False, allow_blank=True, max_length=100)
    secret = s.CharField(
        required=False,
        allow_blank=True,
        write_only=True,
        max_length=20_000,
        help_text="A token, or the private key of SSH or of a GitHub App. Never shown.",
    )
    app_id = s.CharField(required=False, allow_blank=True, max_length=40)
    installation_id = s.CharField(required=False, allow_blank=True, max_length=40)
    committer_name = s.CharField(required=False, allow_blank=True, max_length=100)
    committer_email = s.CharField(required=False, allow_blank=True, max_length=200)
    git_wins = s.BooleanField(
        required=False, help_text="Packs are not edited here; they follow their branch."
    )
    poll_seconds = s.IntegerField(required=False, min_value=0, max_value=31_536_000)


class NewRepository(RepositoryChange):
    url = s.CharField(
        max_length=500,
        help_text="An https, http or ssh address, or a folder that the operator allows.",
    )


class HookSecret(s.Serializer[Any]):
    secret = s.CharField(help_text="Shown once.")
    url = s.CharField(help_text="The address for the forge's webhook.")


class ScannedPack(s.Serializer[Any]):
    """A pack of a commit. `fixture`: it is in a folder of tests or examples. `pack`: the pack that
    follows it; null if there is none that the user may see."""

    main = s.CharField()
    dialect = s.CharField()
    name = s.CharField()
    status = s.ChoiceField(choices=SCANNED_STATUSES)
    fixture = s.BooleanField()
    pack = s.IntegerField(allow_null=True)
    moved_from = s.CharField(allow_null=True)


class RepositoryScan(s.Serializer[Any]):
    ref = s.CharField()
    commit = s.CharField()
    packs = ScannedPack(many=True)


class TrackRequest(s.Serializer[Any]):
    ref = s.CharField(
        required=False,
        allow_blank=True,
        max_length=250,
        help_text="A branch. Default: the main one.",
    )
    packs = s.ListField(
        child=s.CharField(max_length=4_000), min_length=1, max_length=1_000,
        help_text="Main files of new packs, as a scan lists them.",
    )  # fmt: skip


class ChangeCommit(s.Serializer[Any]):
    pack = s.IntegerField()
    pack_name = s.CharField()
    revision = s.IntegerField()
    commit = s.CharField()
    created_at = s.DateTimeField()


class ProposedChange(s.Serializer[Any]):
    """A branch with commits of packs. `number`: of its pull request, null without one."""

    id = s.IntegerField()
    branch = s.CharField()
    target = s.CharField()
    title = s.CharField()
    description = s.CharField(allow_blank=True)
    status = s.ChoiceField(choices=CHANGE_STATUSES)
    number = s.IntegerField(allow_null=True)
    url = s.CharField(allow_blank=True)
    problem = s.CharField(allow_blank=True)
    author = s.CharField(allow_blank=True)
    created_at = s.DateTimeField()
    commits = ChangeCommit(many=True)


class UpstreamRepository(s.Serializer[Any]):
    id = s.IntegerField()
    name = s.CharField()
    url = s.CharField()
    git_wins = s.BooleanField()
    forge = s.CharField(allow_blank=True)


class UpstreamState(s.Serializer[Any]):
    """The state of a pack against its repository, as of the last fetch."""

    repository = UpstreamRepository()
    branch = s.CharField()
    main = s.CharField()
    base_commit = s.CharField()
    upstream_commit = s.CharField()
    status = s.ChoiceField(choices=STATUSES)
    fetched_at = s.DateTimeField(allow_null=True)
    problem = s.CharField(allow_blank=True)
    change = ProposedChange(allow_null=True)


class FollowedBranch(s.Serializer[Any]):
    branch = s.CharField(max_length=250)


class PackOfPull(s.Serializer[Any]):
    """`problem`: why the pack was not pulled, or ""."""

    pack = s.IntegerField()
    name = s.CharField()
    problem = s.CharField(allow_blank=True)


class PulledTogether(s.Serializer[Any]):
    pulled = PackOfPull(many=True)
    left = PackOfPull(many=True)


class PulledCommit(s.Serializer[Any]):
    commit = s.CharField()
    author = s.CharField()
    date = s.CharField()
    subject = s.CharField(allow_blank=True)


class PullConflict(s.Serializer[Any]):
    """A value or a text that both sides changed differently. `element`: the state, transition or
    other element that has it. `value`: its JSON Pointer in the file, "" for lines of a text. `mine`
    and `theirs` are null where that side deleted it."""

    id = s.CharField()
    path = s.CharField()
    line = s.IntegerField()
    element = s.CharField(allow_blank=True)
    value = s.CharField(allow_blank=True)
    whole_file = s.BooleanField()
    can_take_both = s.BooleanField()
    base = s.CharField(allow_blank=True)
    mine = s.CharField(allow_blank=True, allow_null=True)
    theirs = s.CharField(allow_blank=True, allow_null=True)


class FolderConflict(s.Serializer[Any]):
    """A change in the opened folder that met an edit in the same place. `revision`: the newest one,
    with the folder's version."""

    id = s.IntegerField()
    revision = s.IntegerField()
    conflicts = PullConflict(many=True)


class UpstreamBody(s.Serializer[Any]):
    upstream = UpstreamState(allow_null=True)
    folder_conflict = FolderConflict(allow_null=True)


class PullPlan(s.Serializer[Any]):
    revision = s.IntegerField()
    status = s.ChoiceField(choices=STATUSES)
    base = s.CharField()
    tip = s.CharField()
    commits = PulledCommit(many=True)
    files = GitFileDifference(many=True)
    conflicts = PullConflict(many=True)
    findings_new = Finding(many=True)
    findings_fixed = Finding(many=True)


class PullChoice(s.Serializer[Any]):
    """`take`, or a `text` of one's own."""

    take = s.ChoiceField(required=False, choices=["mine", "theirs", "both"])
    text = s.CharField(required=False, allow_blank=True, trim_whitespace=False)


class PullRequestBody(s.Serializer[Any]):
    expected_commit = s.CharField(required=False, max_length=64, help_text="`tip` of the plan.")
    expected_revision = s.IntegerField(
        required=False, min_value=1, max_value=2**31 - 1, help_text="`revision` of the plan."
    )
    choices = s.DictField(
        child=PullChoice(), required=False, help_text="Conflict id → choice, one for each."
    )


class FolderDecision(s.Serializer[Any]):
    expected_revision = s.IntegerField(min_value=1, max_value=2**31 - 1)
    choices = s.DictField(child=PullChoice(), help_text="Conflict id → choice, one for each.")


class FolderDecided(s.Serializer[Any]):
    revision = s.IntegerField()


class Pulled(s.Serializer[Any]):
    revision = s.IntegerField()
    commit = s.CharField()
    status = s.ChoiceField(choices=STATUSES)
    findings_new = Finding(many=True)
    findings_fixed = Finding(many=True)


class OtherPacks(s.Serializer[Any]):
    others = s.ListField(
        child=s.IntegerField(min_value=0, max_value=MAX_INTEGER),
        required=False,
        max_length=MOST_PACKS,
        help_text="More packs of the same repository and branch, for the same commit.",
    )


class ProposePlanRequest(OtherPacks):
    branch = s.CharField(required=False, allow_blank=True, max_length=250)
    check = s.BooleanField(
        required=False, default=False, help_text="Also rehearse, and check recorded runs."
    )


class ProposalCandidate(s.Serializer[Any]):
    pack = s.IntegerField()
    name = s.CharField()
    main = s.CharField()


class PackPlan(ProposalCandidate):
    """The changes of one pack in a proposal."""

    status = s.ChoiceField(choices=STATUSES)
    svg = s.CharField(allow_blank=True, help_text="Both versions in one drawing.")
    findings_new = Finding(many=True)
    findings_fixed = Finding(many=True)
    coverage = CoverageChange(allow_null=True)
    diverging_runs = DivergingRun(many=True, allow_null=True)
    cases = CaseChange(many=True)


class ProposePlan(s.Serializer[Any]):
    branch = s.CharField()
    target = s.CharField()
    needs_pull = s.BooleanField()
    commit = GitPlan()
    title = s.CharField()
    message = s.CharField()
    commands = s.ListField(child=s.CharField())
    packs = PackPlan(many=True)
    candidates = ProposalCandidate(
        many=True, help_text="Edited packs of the branch that can be added as `others`."
    )


class ProposeRequest(OtherPacks):
    branch = s.CharField(max_length=250)
    title = s.CharField(max_length=300)
    message = s.CharField(max_length=20_000, trim_whitespace=False)
    description = s.CharField(required=False, allow_blank=True, max_length=60_000)
    author = s.CharField(
        required=False, allow_blank=True, max_length=300, help_text="`Name <address>`."
    )
    tree = s.CharField(
        required=False, allow_blank=True, max_length=64, help_text="`tree` of the plan's commit."
    )
    pull_request = s.BooleanField(required=False, default=True)


class Proposed(s.Serializer[Any]):
    change = ProposedChange()
    commit = s.CharField()
    pushed = s.BooleanField()
    problem = s.CharField(allow_blank=True, help_text="Why there is no pull request, or empty.")
    commands = s.ListField(child=s.CharField())
