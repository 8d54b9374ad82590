"""Packs, their revisions, and the projection of the newest one."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workflows.models.fields import WrittenJSON


class Blob(models.Model):
    """One file's bytes, stored once per content hash (sha256, hex)."""

    hash = models.CharField(max_length=64, primary_key=True)
    data = models.BinaryField()
    """zlib-compressed."""
    size = models.PositiveBigIntegerField()


class Pack(models.Model):
    """One workflow as its author wrote it."""

    name = models.CharField(max_length=200)
    dialect = models.CharField(max_length=40)
    profile = models.CharField(max_length=40)
    main = models.CharField(max_length=400)
    """Path of the file that names the pack."""
    origin = models.CharField(max_length=400, blank=True)
    """Origin, for people to read: "sample", "upload", a folder."""
    folder = models.CharField(max_length=200, blank=True, default="")
    """The folder in the gallery, chosen by people. It has no meaning for the files."""
    sample = models.CharField(max_length=80, blank=True, db_index=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    head = models.PositiveIntegerField(default=0)
    """Number of the newest revision."""
    deleted = models.BooleanField(default=False)
    """True while the newest revision has no files: they were deleted in an opened folder."""
    written = models.PositiveIntegerField(null=True)
    """Number of the revision that an opened folder has; null before its first write, and for packs
    without a folder."""
    unwritten = models.CharField(max_length=400, blank=True, default="")
    """The reason why the folder has an older revision, "" while it needs no attention."""
    approval_limit = WrittenJSON(null=True)
    """The time limit of questions to people in runs of the pack: hours (0: none) and outcome (deny,
    approve, end). Null: that of the server."""
    proposed = models.PositiveIntegerField(default=0, db_default=0)
    """Number of changes of its proposals, from which open pages see that they changed."""
    errors = models.PositiveIntegerField(default=0)
    warnings = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True, db_index=True)

    def __str__(self) -> str:
        return self.name


class Favourite(models.Model):
    """A pack that a user wants at the top of the gallery."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="favourites")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "pack"], name="one_favourite")]


class Revision(models.Model):
    """A saved version of a pack's files, numbered, never changed.

    `changes`: path → list of [start, end, replacement] against the previous revision (byte offsets;
    replacement as UTF-8 text, or {"b64": …}), or {"add": hash} / {"remove": hash} for whole files.
    `manifest`: path → blob hash if this revision is a snapshot, else null. `layout` holds the
    positions that this revision changed, before and after, so that undo restores them too.
    """

    class Kind(models.TextChoices):
        IMPORT = "import"
        EDIT = "edit"
        UNDO = "undo"
        REDO = "redo"
        RESTORE = "restore"
        PULL = "pull"

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    edits = WrittenJSON(default=list)
    summary = models.CharField(max_length=300, blank=True)
    changes = WrittenJSON(default=dict)
    layout = WrittenJSON(default=dict)
    manifest = WrittenJSON(null=True)
    undoes = models.PositiveIntegerField(null=True)
    """For undo and redo: the number of the revision that is reverted."""
    group = models.CharField(max_length=64, blank=True, default="")
    """Consecutive edits of one group, such as one stretch of typing, are one undo step."""
    name = models.CharField(max_length=200, blank=True)
    commit = models.CharField(max_length=64, blank=True, default="")
    """For pull: the commit that it brought."""
    commit_author = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pack", "number"], name="one_revision_per_number")
        ]
        ordering = ["pack", "number"]


class SyncPoint(models.Model):
    """A revision and the commit that has its files: one for each import and export.

    `files`: path → blob hash of the pack's files then. `uncommitted`: the paths among them whose
    bytes were in the work tree only.
    """

    class Kind(models.TextChoices):
        IMPORT = "import"
        EXPORT = "export"

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="sync_points")
    revision = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    repository = models.TextField()
    """The repository's own folder, absolute: `.git`, or the bare repository."""
    folder = models.TextField(blank=True)
    """The pack's folder in the repository; "" is the top."""
    main = models.TextField()
    branch = models.TextField(blank=True)
    commit = models.CharField(max_length=64, db_index=True)
    files = WrittenJSON(default=dict)
    uncommitted = WrittenJSON(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pack", "pk"]


class FolderConflict(models.Model):
    """A change in an opened folder that met an edit in the same place. The newest revision has the
    folder's version until a user decides.

    `base` and `mine`: path → blob hash of the common and of the edited version of each conflicting
    file. `revision` has the edit.
    """

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="folder_conflicts")
    revision = models.PositiveIntegerField()
    base = WrittenJSON(default=dict)
    mine = WrittenJSON(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]


class State(models.Model):
    """A state of the newest revision, with its layout, note and role."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="states")
    key = models.TextField()
    kind = models.CharField(max_length=40)
    name = models.CharField(max_length=300, blank=True)
    terminal = models.BooleanField(default=False)
    entry = models.BooleanField(default=False)
    level = models.TextField(blank=True, default="")
    role = models.CharField(max_length=300, blank=True)
    x = models.FloatField(null=True)
    y = models.FloatField(null=True)
    width = models.FloatField(null=True)
    height = models.FloatField(null=True)
    routes = WrittenJSON(null=True)
    """The drawn lines of the transitions that leave this state and of its entries, by id: points,
    label, and the cards (source, target) for which they were drawn."""
    note = models.TextField(blank=True)
    bound = WrittenJSON(null=True)
    """The bound role: role (its id), name, color, override, mode. Null: none."""
    approval_limit = WrittenJSON(null=True)
    """The time limit of questions to people in this state, as `Pack.approval_limit`."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pack", "key"], name="one_state_per_key")]


class Transition(models.Model):
    """A transition of the newest revision."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="transitions")
    key = models.TextField()
    source = models.TextField(db_index=True)
    target = models.TextField(db_index=True)
    label = models.TextField()
    kind = models.CharField(max_length=20)
    level = models.TextField(blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pack", "key"], name="one_transition_per_key")
        ]


class Agent(models.Model):
    """An agent that a pack publishes."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="agents")
    key = models.TextField()
    description = models.TextField(blank=True)
    card = WrittenJSON(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pack", "key"], name="one_agent_per_key")]
