"""MCP servers and their tools."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import values


class McpTool(s.Serializer[Any]):
    """`name`: the name in packs, `mcp__<server>__<tool>`; `tool`: the server's own name for it."""

    name = s.CharField()
    tool = s.CharField()
    description = s.CharField(allow_blank=True)
    parameters = values(help_text="JSON Schema of the arguments.")
    read_only = s.BooleanField(  # type: ignore[assignment]
        help_text="Whether the server declares that it changes nothing."
    )


class McpServerDescription(s.Serializer[Any]):
    """`problem`: why the newest listing failed, "" if it did not. The tools are those of the newest
    successful one."""

    id = s.IntegerField()
    name = s.CharField()
    settings = values()
    secret_names = s.ListField(child=s.CharField())
    tools = McpTool(many=True)
    problem = s.CharField(allow_blank=True)
    listed_at = s.DateTimeField(allow_null=True)
    changed_at = s.DateTimeField()


class NewMcpServer(s.Serializer[Any]):
    name = s.CharField(max_length=60)
    settings = values(help_text="`url` (streamable HTTP) or `command` (a list); `timeout`.")
    secrets = values(
        required=False,
        help_text="Headers of requests, or environment variables of the command. Never shown.",
    )


class McpServerChange(s.Serializer[Any]):
    settings = values()
    secrets = values(
        required=False, help_text="Name → value; stored ones that are left out are kept."
    )
