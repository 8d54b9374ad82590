"""Role templates of this server, for packs without a template of the same name."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workflows.core.prompts.role_templates.names import LONGEST


class RoleTemplate(models.Model):
    """A template file. It overrides a shipped template of its name, and a pack's own overrides
    it."""

    name = models.CharField(max_length=LONGEST, unique=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    """Null: all users share the template."""
    content = models.TextField()
    """The whole file, header included."""
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.name
