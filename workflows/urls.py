"""Addresses of the pages."""

from __future__ import annotations

from django.urls import path

from workflows.views import (
    approvals,
    compare_runs,
    connections,
    health,
    packs,
    people,
    rules,
    templates,
    triggers,
)

urlpatterns = [
    path("", packs.gallery, name="gallery"),
    path("packs/new/", packs.new_pack, name="new-pack"),
    path("packs/<number:pack>/", packs.editor, name="editor"),
    path("packs/<number:pack>/delete/", packs.delete_pack, name="delete-pack"),
    path("packs/<number:pack>/triggers/", triggers.triggers, name="triggers"),
    path("packs/<number:pack>/triggers/change/", triggers.change_triggers, name="change-triggers"),
    path("runs/", packs.runs, name="runs"),
    path("runs/compare/", compare_runs.compare_chosen, name="compare-chosen"),
    path("runs/<uuid:run>/", packs.run, name="run"),
    path("runs/<uuid:run>/compare/", compare_runs.compare_with_before, name="compare-before"),
    path("runs/<uuid:run>/compare/<uuid:other>/", compare_runs.compare, name="compare"),
    path("approvals/", approvals.approvals, name="approvals"),
    path("approvals/<uuid:approval>/", approvals.answer_approval, name="answer-approval"),
    path("templates/", templates.templates, name="templates"),
    path("templates/<slug:name>/", templates.template, name="template"),
    path("templates/<slug:name>/check/", templates.check_template, name="check-template"),
    path("templates/<slug:name>/delete/", templates.delete_template, name="delete-template"),
    path("rules/", rules.rules, name="rules"),
    path("rules/<slug:code>/", rules.rule, name="rule"),
    path("settings/", people.account, name="settings"),
    path("settings/change/", people.change_settings, name="change-settings"),
    path("settings/connections/", connections.change_connections, name="change-connections"),
    path("sign-in/", people.sign_in, name="sign-in"),
    path("sign-out/", people.sign_out, name="sign-out"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
]
