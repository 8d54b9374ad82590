"""Addresses below /api/v1/: those of the table of rights, for the operations of these packages."""

from __future__ import annotations

from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from roles.api.operation import addresses
from workflows.api import elements
from workflows.core.plugins import modules_of
from workflows.rights.operations import api_addresses

for package in ("roles.api", "workflows.api"):
    modules_of(package)
urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    *addresses(api_addresses()),
    *elements.router.urls,
]
