"""Role templates of this server, for packs without a template of the same name."""

from __future__ import annotations

from django.db import models

from workflows.core.prompts.role_templates.names import LONGEST


class RoleTemplate(models.Model):
    """A template file. It overrides a shipped template of its name, and a pack's own overrides
    it."""

    name = models.CharField(max_length=LONGEST, unique=True)
    content = models.TextField()
    """The whole file, header included."""
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.name
