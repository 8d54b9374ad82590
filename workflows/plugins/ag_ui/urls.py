"""Addresses of the streams below /api/v1/."""

from __future__ import annotations

from django.urls import path

from workflows.plugins.ag_ui.views import PackRunStream, RunEventStream

urlpatterns = [
    path("packs/<number:id>/ag-ui/", PackRunStream.as_view()),
    path("runs/<uuid:id>/ag-ui/", RunEventStream.as_view()),
]
