"""Addresses of the pages."""

from __future__ import annotations

from allauth.account.views import reauthenticate
from django.urls import include, path
from django.views.generic import RedirectView

from workflows.views import (
    approvals,
    audit,
    compare_runs,
    connections,
    groups,
    health,
    mcp_servers,
    packs,
    people,
    rules,
    run_list,
    shares,
    sign_in,
    templates,
    triggers,
)

urlpatterns = [
    path("", packs.gallery, name="gallery"),
    path("packs/new/", packs.new_pack, name="new-pack"),
    path(
        "packs/new/<slug:dialect>/<slug:name>.svg", packs.sample_thumbnail, name="sample-thumbnail"
    ),
    path("packs/<number:pack>/", packs.editor, name="editor"),
    path("packs/<number:pack>/thumbnail.svg", packs.thumbnail, name="thumbnail"),
    path("packs/<number:pack>/rename/", packs.rename_pack, name="rename-pack"),
    path("packs/<number:pack>/duplicate/", packs.duplicate_pack, name="duplicate-pack"),
    path("packs/<number:pack>/favourite/", packs.favourite_pack, name="favourite-pack"),
    path("packs/<number:pack>/delete/", packs.delete_pack, name="delete-pack"),
    path("packs/<number:pack>/triggers/", triggers.triggers, name="triggers"),
    path("packs/<number:pack>/triggers/change/", triggers.change_triggers, name="change-triggers"),
    path("runs/", run_list.runs, name="runs"),
    path("runs/actions/", run_list.act, name="act-on-runs"),
    path("runs/filters/", run_list.filters, name="run-filters"),
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
    path("settings/mcp-servers/", mcp_servers.change_mcp_servers, name="change-mcp-servers"),
    path("settings/connections/", connections.change_connections, name="change-connections"),
    path("settings/groups/", groups.groups, name="groups"),
    path("settings/groups/change/", groups.change_groups, name="change-groups"),
    path("settings/rights/", shares.rights, name="rights"),
    path("settings/audit/", audit.audit, name="audit"),
    path("settings/audit/export/", audit.export, name="audit-export"),
    path("share/<slug:kind>/<str:id>/", shares.share, name="share"),
    path("share/<slug:kind>/<str:id>/change/", shares.change_share, name="change-share"),
    path("sign-in/", sign_in.sign_in, name="sign-in"),
    path("sign-in/", sign_in.sign_in, name="account_login"),
    path("second-factor/", RedirectView.as_view(pattern_name="settings"), name="mfa_index"),
    path("second-factor/", include("allauth.mfa.urls")),
    path("second-factor/password/", reauthenticate, name="account_reauthenticate"),
    path("sign-out/", sign_in.sign_out, name="sign-out"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
]
