"""Addresses below /api/v1/. The trailing slash is optional."""

from __future__ import annotations

from django.urls import path

from roles.api import memories, modes, prompts, roles

urlpatterns = [
    path("agent-roles/", roles.AgentRoles.as_view()),
    path("agent-roles/variables/", prompts.Variables.as_view()),
    path("agent-roles/<number:id>/", roles.AgentRole.as_view()),
    path("agent-roles/<number:id>/platform-scopes/", roles.Scopes.as_view()),
    path("agent-roles/<number:id>/prompt/", prompts.Prompt.as_view()),
    path("agent-roles/<number:id>/reset/", prompts.Reset.as_view()),
    path("agent-roles/<number:id>/preview/", prompts.Preview.as_view()),
    path("agent-roles/<number:id>/diff/", prompts.Difference.as_view()),
    path("agent-roles/<number:id>/revisions/", prompts.Revisions.as_view()),
    path("agent-roles/<number:id>/revisions/<number:number>/", prompts.Revision.as_view()),
    path("agent-roles/<number:id>/revisions/<number:number>/restore/", prompts.Restore.as_view()),
    path("memories/", memories.Memories.as_view()),
    path("memories/<number:id>/", memories.Memory.as_view()),
    path("modes/", modes.Modes.as_view()),
    path("modes/<number:id>/", modes.Mode.as_view()),
]
