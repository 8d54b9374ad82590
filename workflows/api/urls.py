"""Addresses below /api/v1/."""

from __future__ import annotations

from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from workflows.api import (
    agents,
    approvals,
    connections,
    editing,
    exchange,
    handing,
    history,
    looking_back,
    packs,
    runs,
)

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("dialects/", packs.Dialects.as_view()),
    path("samples/", packs.Samples.as_view()),
    path("import/", exchange.Import.as_view()),
    path("connections/", connections.Connections.as_view()),
    path("connections/<number:id>/", connections.Connection.as_view()),
    path("connections/<number:id>/test/", connections.ConnectionTest.as_view()),
    path("packs/", packs.Packs.as_view()),
    path("packs/<number:id>/", packs.Pack.as_view()),
    path("packs/<number:id>/graph/", packs.Graph.as_view()),
    path("packs/<number:id>/inputs/", packs.Inputs.as_view()),
    path("packs/<number:id>/offers/", packs.Offers.as_view()),
    path("packs/<number:id>/fields/", packs.Fields.as_view()),
    path("packs/<number:id>/findings/", packs.Findings.as_view()),
    path("packs/<number:id>/changes/", packs.Changes.as_view()),
    path("packs/<number:id>/copy/", packs.Copy.as_view()),
    path("packs/<number:id>/edits/", editing.Edits.as_view()),
    path("packs/<number:id>/undo/", editing.Undo.as_view()),
    path("packs/<number:id>/redo/", editing.Redo.as_view()),
    path("packs/<number:id>/agents/", agents.Agents.as_view()),
    path("packs/<number:id>/agents/<path:member>/card/", agents.AgentCard.as_view()),
    path("packs/<number:id>/files/", history.Files.as_view()),
    path("packs/<number:id>/diff/", history.Diff.as_view()),
    path("packs/<number:id>/revisions/", history.Revisions.as_view()),
    path("packs/<number:id>/revisions/<number:number>/restore/", history.Restore.as_view()),
    path("packs/<number:id>/revisions/<number:number>/name/", history.RevisionName.as_view()),
    path("packs/<number:id>/export/", exchange.Export.as_view()),
    path("packs/<number:id>/export/git/", exchange.GitExport.as_view()),
    path("packs/<number:id>/exports/", handing.Exports.as_view()),
    path("packs/<number:id>/convert/", handing.Convert.as_view()),
    path("packs/<number:id>/rehearse/", runs.Rehearse.as_view()),
    path("approvals/", approvals.Approvals.as_view()),
    path("approvals/<uuid:id>/", approvals.Approval.as_view()),
    path("runs/", runs.Runs.as_view()),
    path("runs/<uuid:id>/", runs.Run.as_view()),
    path("runs/<uuid:id>/graph/", runs.RunGraph.as_view()),
    path("runs/<uuid:id>/events/", runs.RunEvents.as_view()),
    path("runs/<uuid:id>/artifacts/", runs.RunArtifacts.as_view()),
    path("runs/<uuid:id>/pending/", runs.RunPending.as_view()),
    path("runs/<uuid:id>/signals/", runs.RunSignals.as_view()),
    path("runs/<uuid:id>/script/", looking_back.RunScript.as_view()),
    path("runs/<uuid:id>/fork/", looking_back.RunFork.as_view()),
]
