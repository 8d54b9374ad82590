"""Models of roles, their memory, and modes."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

PERSON = settings.AUTH_USER_MODEL


class Role(models.Model):
    """A role. Three kinds (specification, section 1):

    a system role (`is_system`, with a `key`, without an owner) is read from a file of this app; a
    copy belongs to a user and names the system role in `source_role_id`; any other role belongs to
    the user who created it. `revision` counts the saved prompt configs.
    """

    key = models.CharField(max_length=60, blank=True)
    """File name of a system role; "" otherwise."""
    owner = models.ForeignKey(PERSON, on_delete=models.CASCADE, null=True, related_name="roles")
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    is_system = models.BooleanField(default=False)
    prompt_config = models.JSONField()
    color = models.CharField(max_length=7, default="#6b7280")
    platform_scopes = models.JSONField(default=list)
    source_role_id = models.BigIntegerField(null=True)
    """No foreign key: a copy outlives the system role, and can then not be reset."""
    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "name"], condition=Q(is_system=False), name="one_role_per_name"
            ),
            models.UniqueConstraint(
                fields=["key"], condition=Q(is_system=True), name="one_system_role_per_key"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class RoleRevision(models.Model):
    """A saved prompt config of a role, numbered from 1. `reason`: created, edited, reset…"""

    role = models.ForeignKey(Role, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    prompt_config = models.JSONField()
    reason = models.CharField(max_length=60)
    made_by = models.ForeignKey(PERSON, on_delete=models.SET_NULL, null=True)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["role", "number"], name="one_role_revision_per_number")
        ]

    def __str__(self) -> str:
        return f"revision {self.number} of role {self.role_id}"


class CopyMade(models.Model):
    """Record that a user was given a copy of a system role, so that a deleted copy stays deleted
    until the next sign-in."""

    person = models.ForeignKey(PERSON, on_delete=models.CASCADE)
    source_role_id = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "source_role_id"], name="one_copy_made")
        ]

    def __str__(self) -> str:
        return f"copy of {self.source_role_id} for {self.person_id}"


class Memory(models.Model):
    """A fact in a role's memory. `namespace` (specification, section 6.2) decides who can read it
    and is built from `role` and `project`. Shared facts belong to a project and to no role."""

    class Scope(models.TextChoices):
        CORE = "core"
        PROJECT = "project"
        SHARED = "shared"

    role = models.ForeignKey(Role, on_delete=models.CASCADE, null=True, related_name="memories")
    owner = models.ForeignKey(PERSON, on_delete=models.SET_NULL, null=True, related_name="+")
    """The user who wrote a shared fact. Null for facts of roles, and for those that runs wrote."""
    project = models.CharField(max_length=100, blank=True)
    scope = models.CharField(max_length=10, choices=Scope.choices)
    namespace = models.CharField(max_length=200, db_index=True)
    fact = models.TextField()
    category = models.CharField(max_length=100)
    confidence = models.FloatField(default=0.9)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.namespace}: {self.category}"


class Mode(models.Model):
    """A way of working that a user activates for some turns. `manifest` by `roles.core.modes`."""

    owner = models.ForeignKey(PERSON, on_delete=models.CASCADE, related_name="modes")
    name = models.CharField(max_length=100)
    manifest = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="one_mode_per_name")]

    def __str__(self) -> str:
        return self.name
