"""What is stored of roles: who does the work, what they remember, which modes there are."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

PERSON = settings.AUTH_USER_MODEL


class Role(models.Model):
    """Who does the work. Three kinds (specification, section 1):

    a system role (`is_system`, with a `key`, owned by nobody) is read from a file of this app; a
    copy belongs to a person and names the system role in `source_role_id`; any other role of a
    person is their own. `revision` counts the saved
    prompt configs.
    """

    key = models.CharField(max_length=60, blank=True)
    """Name of the file of a system role; "" otherwise."""
    owner = models.ForeignKey(PERSON, on_delete=models.CASCADE, null=True, related_name="roles")
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    is_system = models.BooleanField(default=False)
    prompt_config = models.JSONField()
    color = models.CharField(max_length=7, default="#6b7280")
    platform_scopes = models.JSONField(default=list)
    source_role_id = models.BigIntegerField(null=True)
    """No foreign key: a copy outlives the system role, and then cannot be reset."""
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
    """That a person was given their copy of a system role, so that one they delete stays away
    until they sign in again."""

    person = models.ForeignKey(PERSON, on_delete=models.CASCADE)
    source_role_id = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "source_role_id"], name="one_copy_made")
        ]

    def __str__(self) -> str:
        return f"copy of {self.source_role_id} for {self.person_id}"


class Memory(models.Model):
    """A fact that a role keeps. `namespace` (specification, section 6.2) says who sees it; `role`
    and `project` are what it is made of. Shared facts belong to a project and to no role."""

    class Scope(models.TextChoices):
        CORE = "core"
        PROJECT = "project"
        SHARED = "shared"

    role = models.ForeignKey(Role, on_delete=models.CASCADE, null=True, related_name="memories")
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
    """A way of working that a person switches on for a while. `manifest` by `roles.core.modes`."""

    owner = models.ForeignKey(PERSON, on_delete=models.CASCADE, related_name="modes")
    name = models.CharField(max_length=100)
    manifest = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="one_mode_per_name")]

    def __str__(self) -> str:
        return self.name
