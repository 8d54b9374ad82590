"""Addresses of the pages."""

from __future__ import annotations

from django.urls import path

from workflows.views import approvals, connections, packs, people, rules

urlpatterns = [
    path("", packs.gallery, name="gallery"),
    path("packs/new/", packs.new_pack, name="new-pack"),
    path("packs/<number:pack>/", packs.editor, name="editor"),
    path("packs/<number:pack>/delete/", packs.delete_pack, name="delete-pack"),
    path("runs/", packs.runs, name="runs"),
    path("runs/<uuid:run>/", packs.run, name="run"),
    path("approvals/", approvals.approvals, name="approvals"),
    path("approvals/<uuid:approval>/", approvals.answer_approval, name="answer-approval"),
    path("rules/", rules.rules, name="rules"),
    path("rules/<slug:code>/", rules.rule, name="rule"),
    path("settings/", people.account, name="settings"),
    path("settings/change/", people.change_settings, name="change-settings"),
    path("settings/connections/", connections.change_connections, name="change-connections"),
    path("sign-in/", people.sign_in, name="sign-in"),
    path("sign-out/", people.sign_out, name="sign-out"),
    path("healthz", people.healthz, name="healthz"),
]
