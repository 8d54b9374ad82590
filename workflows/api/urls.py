"""Addresses below /api/v1/."""

from __future__ import annotations

from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from workflows.api import editing, exchange, history, packs, runs

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("dialects/", packs.Dialects.as_view()),
    path("samples/", packs.Samples.as_view()),
    path("import/", exchange.Import.as_view()),
    path("packs/", packs.Packs.as_view()),
    path("packs/<int:id>/", packs.Pack.as_view()),
    path("packs/<int:id>/graph/", packs.Graph.as_view()),
    path("packs/<int:id>/offers/", packs.Offers.as_view()),
    path("packs/<int:id>/fields/", packs.Fields.as_view()),
    path("packs/<int:id>/findings/", packs.Findings.as_view()),
    path("packs/<int:id>/changes/", packs.Changes.as_view()),
    path("packs/<int:id>/copy/", packs.Copy.as_view()),
    path("packs/<int:id>/edits/", editing.Edits.as_view()),
    path("packs/<int:id>/undo/", editing.Undo.as_view()),
    path("packs/<int:id>/redo/", editing.Redo.as_view()),
    path("packs/<int:id>/files/", history.Files.as_view()),
    path("packs/<int:id>/diff/", history.Diff.as_view()),
    path("packs/<int:id>/revisions/", history.Revisions.as_view()),
    path("packs/<int:id>/revisions/<int:number>/restore/", history.Restore.as_view()),
    path("packs/<int:id>/revisions/<int:number>/name/", history.RevisionName.as_view()),
    path("packs/<int:id>/export/", exchange.Export.as_view()),
    path("packs/<int:id>/export/git/", exchange.GitExport.as_view()),
    path("packs/<int:id>/rehearse/", runs.Rehearse.as_view()),
    path("runs/", runs.Runs.as_view()),
    path("runs/<uuid:id>/", runs.Run.as_view()),
    path("runs/<uuid:id>/graph/", runs.RunGraph.as_view()),
    path("runs/<uuid:id>/events/", runs.RunEvents.as_view()),
    path("runs/<uuid:id>/artifacts/", runs.RunArtifacts.as_view()),
    path("runs/<uuid:id>/pending/", runs.RunPending.as_view()),
    path("runs/<uuid:id>/signals/", runs.RunSignals.as_view()),
]
