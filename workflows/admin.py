"""Django's admin for staff, read-only: the stored things as rows.

The table of rights refuses everything but GET below its address. Keys, secrets and tokens are in
models that are not registered.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest
from django.urls import path
from django.views.generic import RedirectView

from workflows.models import Agent, Artifact, Pack, Revision, Run, RunEvent, State, Transition

LISTED: dict[type[Any], tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    Pack: (("name", "dialect", "owner", "head", "changed_at"), ("dialect",), ("name", "main")),
    Revision: (("pack", "number", "kind", "author", "created_at"), ("kind",), ("pack__name",)),
    State: (
        ("key", "pack", "kind", "role", "entry", "terminal"),
        ("kind", "entry", "terminal"),
        ("key", "name", "role", "pack__name"),
    ),
    Transition: (
        ("label", "source", "target", "kind", "pack"),
        ("kind",),
        ("label", "source", "target", "pack__name"),
    ),
    Artifact: (("name", "type", "pack", "run"), ("type",), ("name", "pack__name")),
    Agent: (("key", "description", "pack"), (), ("key", "description", "pack__name")),
    Run: (
        ("id", "pack", "status", "driver", "owner", "created_at"),
        ("status", "driver", "source"),
        ("pack__name", "reason"),
    ),
    RunEvent: (("run", "n", "type", "at"), (), ("type",)),
}
"""Model → columns, filters and searched fields."""


class Site(admin.AdminSite):
    """The pages of LISTED. People sign in on the page of Signalbox, with their second factor."""

    site_header = site_title = "Signalbox"
    index_title = "Stored rows"
    site_url = "/"

    def get_urls(self) -> list[Any]:
        dropped = ("login", "logout", "password_change", "password_change_done", "autocomplete")
        kept = [one for one in super().get_urls() if getattr(one, "name", "") not in dropped]
        sign_in = RedirectView.as_view(pattern_name="sign-in", query_string=True)
        return [path("sign-in/", login_not_required(sign_in), name="login"), *kept]


class Rows(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows of one model, read-only."""

    actions = None
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> Any:
        related = [name for name in ("pack", "run") if hasattr(self.model, f"{name}_id")]
        return super().get_queryset(request).select_related(*related)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_module_permission(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_staff)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


site = Site(name="admin")
for model, (columns, filters, searched) in LISTED.items():
    site.register(model, Rows, list_display=columns, list_filter=filters, search_fields=searched)
