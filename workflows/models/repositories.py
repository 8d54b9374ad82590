"""Git repositories that the server knows: their packs, and proposals for changes in them."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workflows.models.fields import WrittenJSON
from workflows.models.packs import Pack


class Repository(models.Model):
    """A git repository elsewhere, with a mirror in the data folder. The credential and the secret
    of the webhook are encrypted and write-only."""

    class Forge(models.TextChoices):
        NONE = ""
        GITHUB = "github"
        GITLAB = "gitlab"
        GITEA = "gitea"

    class Credential(models.TextChoices):
        NONE = "none"
        TOKEN = "token"
        SSH_KEY = "ssh-key"
        GITHUB_APP = "github-app"

    name = models.CharField(max_length=100)
    url = models.CharField(max_length=500)
    """An https, http or ssh address, or a folder that the operator allows."""
    default_branch = models.CharField(max_length=250, blank=True)
    """As of the last fetch; empty before the first."""
    forge = models.CharField(max_length=10, choices=Forge.choices, blank=True)
    """The server that opens pull requests; empty for plain git."""
    api_url = models.CharField(max_length=500, blank=True)
    """Address of the forge's API; empty for the one that belongs to `url`."""
    credential = models.CharField(max_length=12, choices=Credential.choices, default="none")
    username = models.CharField(max_length=100, blank=True)
    """Name that is sent with a token; empty for the forge's own."""
    sealed_credential = models.TextField(blank=True)
    """A token, or the private key of SSH or of a GitHub App."""
    app_id = models.CharField(max_length=40, blank=True)
    installation_id = models.CharField(max_length=40, blank=True)
    committer_name = models.CharField(max_length=100, blank=True)
    committer_email = models.CharField(max_length=200, blank=True)
    """Committer of proposals; empty for the user who proposes."""
    git_wins = models.BooleanField(default=False)
    """Packs of this repository are not edited here; they follow their branch."""
    poll_seconds = models.PositiveIntegerField(default=0)
    """Seconds between fetches; 0 for none."""
    sealed_hook_secret = models.TextField(blank=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    """Null: all users share the repository."""
    branches = WrittenJSON(default=dict)
    """Branch → its commit at the last fetch."""
    fetched_at = models.DateTimeField(null=True)
    fetch_wanted = models.BooleanField(default=False)
    """A webhook asked for a fetch."""
    problem = models.TextField(blank=True)
    """The reason why the last fetch failed; empty if it did not."""
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class RepositoryTask(models.Model):
    """Work on a repository that may outlast its request. One at a time for each repository."""

    class Kind(models.TextChoices):
        FETCH = "fetch"
        SCAN = "scan"
        FOLLOW = "follow"
        PROPOSE = "propose"

    class Status(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="tasks")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    params = WrittenJSON(default=dict)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    """Null: the clock or a webhook."""
    status = models.CharField(max_length=8, choices=Status.choices, default="running")
    progress = models.CharField(max_length=200, blank=True)
    """The newest progress line of git."""
    attempts = models.PositiveIntegerField(default=1)
    """Processes that have worked on it. The newest one has the right to write."""
    beat_at = models.DateTimeField()
    """The last sign of life of that process."""
    result = WrittenJSON(null=True)
    refusal = WrittenJSON(null=True)
    """The error body of a failed task, and its `status` of HTTP."""
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["repository"],
                condition=models.Q(status="running"),
                name="one_task_per_repository",
            )
        ]


class TrackedPack(models.Model):
    """The place of a pack in a repository, and the commit that its changes are based on."""

    class Upstream(models.TextChoices):
        SAME = "same"
        CHANGED = "changed"
        GONE = "gone"

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="packs")
    pack = models.OneToOneField(Pack, on_delete=models.CASCADE, related_name="tracked")
    branch = models.CharField(max_length=250)
    main = models.TextField()
    """Path of the main file from the top of the repository, as the pack has it."""
    base_commit = models.CharField(max_length=64)
    base_revision = models.PositiveIntegerField()
    """The newest revision when the base commit was set."""
    base_edited = models.BooleanField(default=False)
    """True if that revision had changes that the base commit lacks."""
    upstream_commit = models.CharField(max_length=64)
    """The newest commit of the branch that was compared with the base."""
    upstream = models.CharField(max_length=8, choices=Upstream.choices, default="same")
    """The pack's files at `upstream_commit`, compared with the base commit."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["repository", "branch", "main"], name="one_pack_per_place"
            )
        ]


class Change(models.Model):
    """A branch with commits of packs, proposed for another branch."""

    class Status(models.TextChoices):
        OPEN = "open"
        MERGED = "merged"
        CLOSED = "closed"

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="changes")
    branch = models.CharField(max_length=250)
    target = models.CharField(max_length=250)
    title = models.CharField(max_length=300)
    description = models.TextField(blank=True)
    status = models.CharField(max_length=8, choices=Status.choices, default="open", db_index=True)
    number = models.PositiveIntegerField(null=True)
    """Number of the pull request; null if there is none."""
    url = models.CharField(max_length=500, blank=True)
    problem = models.TextField(blank=True)
    """The reason why the forge refused the pull request or the last look at it; empty if not."""
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "branch"], name="one_change_per_branch")
        ]


class ChangeCommit(models.Model):
    """A commit of a change: one revision of one pack."""

    change = models.ForeignKey(Change, on_delete=models.CASCADE, related_name="commits")
    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="change_commits")
    revision = models.PositiveIntegerField()
    commit = models.CharField(max_length=64)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
