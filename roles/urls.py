"""Addresses of the role pages."""

from __future__ import annotations

from django.urls import path

from roles.views import memory, modes, roles

urlpatterns = [
    path("roles/", roles.roles, name="roles"),
    path("roles/change/", roles.change_roles, name="change-roles"),
    path("roles/memory/", memory.memories, name="memories"),
    path("roles/memory/change/", memory.change_memories, name="change-memories"),
    path("roles/modes/", modes.modes, name="modes"),
    path("roles/modes/change/", modes.change_modes, name="change-modes"),
    path("roles/modes/<number:mode>/", modes.mode, name="mode"),
    path("roles/<number:role>/", roles.role, name="role"),
]
