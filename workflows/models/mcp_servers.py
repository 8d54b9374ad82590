"""MCP servers that this server's packs may use."""

from __future__ import annotations

from django.conf import settings as django_settings
from django.db import models


class McpServer(models.Model):
    """An MCP server, connected once for all packs. Its tools are `mcp__<name>__<tool>`.

    `settings`: `url` (streamable HTTP), or `command` (stdio). `sealed_secrets`: an encrypted JSON
    object, name → value, write-only: headers, or environment variables. `tools`: those of the
    newest successful listing, `{"tool", "name", "description", "parameters", "read_only"}`, where
    `name` is the full one. `problem`: why the newest listing failed, "" if it did not.
    """

    name = models.CharField(max_length=60, unique=True)
    owner = models.ForeignKey(django_settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    settings = models.JSONField(default=dict)
    sealed_secrets = models.TextField(blank=True)
    tools = models.JSONField(default=list)
    problem = models.TextField(blank=True)
    listed_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.name
