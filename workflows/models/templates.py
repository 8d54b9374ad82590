"""Role templates kept on this server, for every pack that has none of the name itself."""

from __future__ import annotations

from django.db import models

from workflows.core.prompts.role_templates.names import LONGEST


class RoleTemplate(models.Model):
    """A template file: it goes before what ships under its name, and behind a pack's own."""

    name = models.CharField(max_length=LONGEST, unique=True)
    content = models.TextField()
    """The whole file, header included."""
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.name
