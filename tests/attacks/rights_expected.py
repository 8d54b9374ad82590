"""The expected answer of each operation, written by hand.

R: owner, reader, editor and staff; other users get 404. E: as R, but 403 for the reader. O: as E,
but 403 for the editor. A: every signed-in user. S: staff; other users get 403. M: the owner alone;
other users get 404. X: all requests, signed in or not. V, F and P: as R, E and O for an object that
all users may see.
"""

from __future__ import annotations

CELLS = {
    #    owner  reader editor stranger staff anonymous
    "R": ("ok", "ok", "ok", 404, "ok", 401),
    "E": ("ok", 403, "ok", 404, "ok", 401),
    "O": ("ok", 403, 403, 404, "ok", 401),
    "A": ("ok", "ok", "ok", "ok", "ok", 401),
    "S": (403, 403, 403, 403, "ok", 401),
    "M": ("ok", 404, 404, 404, 404, 401),
    "X": ("ok", "ok", "ok", "ok", "ok", "ok"),
    "V": ("ok", "ok", "ok", "ok", "ok", 401),
    "F": ("ok", 403, "ok", 403, "ok", 401),
    "P": ("ok", 403, 403, 403, "ok", 401),
}

API = {
    "R": """agents_read artifacts_read states_read transitions_read packs_verified_runs packs_cases
        agent_roles_read agent_roles_diff agent_roles_scopes agent_roles_preview
        agent_roles_prompt agent_roles_revisions agent_roles_revision approvals_read
        connections_read connections_test memories_read packs_read packs_ag_ui packs_agents
        packs_agent_card
        packs_changes packs_convert packs_copy packs_diff packs_duplicate packs_export
        packs_git_destinations packs_export_git_plan packs_exports packs_fields packs_files
        packs_findings packs_graph packs_heat packs_check_text packs_find packs_text_ranges
        packs_worst_case
        packs_inputs packs_models packs_offers packs_options packs_prompt
        packs_recorded_run
        packs_rehearse packs_preview_edits packs_proposals packs_proposal
        packs_withdraw_proposal packs_revisions
        packs_templates packs_template packs_tools triggers_list packs_workspaces runs_start
        runs_read runs_ag_ui runs_artifacts runs_compare runs_events runs_fork runs_graph
        runs_pending runs_trial runs_wait
        packs_upstream packs_pull_plan packs_propose_plan repositories_read repositories_changes
        repositories_task
        repositories_fetch repositories_pull repositories_scan repositories_track
        runs_result packs_start runs_save_graph runs_script sharing_read templates_read
        triggers_read""",
    "E": """packs_assistant packs_case_keep packs_case_rename packs_case_delete
        agent_roles_change agent_roles_set_scopes agent_roles_set_prompt agent_roles_reset
        agent_roles_restore approvals_answer approvals_pass connections_change memories_create
        memories_change memories_delete packs_change packs_commit packs_commit_plan packs_edit
        packs_export_git
        packs_models_choose packs_redo packs_accept_proposal packs_reject_proposal
        packs_name_revision packs_restore packs_tool_bind packs_tool_unbind triggers_create
        packs_tool_try packs_undo runs_keep runs_branch runs_signal templates_put triggers_change
        triggers_secret triggers_try packs_folder_conflict packs_pull packs_propose
        packs_follow_branch
        repositories_change repositories_secret""",
    "O": """agent_roles_delete connections_delete packs_delete sharing_change templates_delete
        triggers_delete repositories_delete repositories_end_task""",
    "A": """agents_list artifacts_list states_list transitions_list
         agent_roles_list agent_roles_create agent_roles_variables approvals_list
        connections_list connections_create dialects_list schedule_preview groups_list import
        import_git mcp_servers_list mcp_servers_connect memories_list modes_list modes_create
        repositories_list repositories_create packs_list packs_create
        runs_bulk runs_costs runs_list samples_list templates_list
        templates_create tokens_create tokens_list tool_kinds""",
    "S": "audit_list audit_export groups_create groups_change groups_delete",
    "M": "modes_read modes_change modes_delete tokens_revoke",
    "X": "hooks_deliver repositories_hook",
    "V": "mcp_servers_read",
    "F": "mcp_servers_change mcp_servers_refresh",
    "P": "mcp_servers_delete",
}

REFUSALS = {
    "agent_roles_reset": (409, "not_resettable"),
    "approvals_answer": (409, "signal_refused"),
    "hooks_deliver": (401, "not_proven"),
    "import_git": (422, "repository_refused"),
    "packs_commit": (422, "repository_refused"),
    "packs_commit_plan": (422, "repository_refused"),
    "packs_export_git": (422, "repository_refused"),
    "packs_export_git_plan": (422, "repository_refused"),
    "packs_agent_card": (404, "not_found"),
    "packs_recorded_run": (422, "unreadable"),
    "packs_case_keep": (422, "edit_refused"),
    "packs_case_rename": (404, "not_found"),
    "packs_case_delete": (404, "not_found"),
    "packs_folder_conflict": (404, "not_found"),
    "packs_propose": (404, "not_found"),
    "packs_propose_plan": (404, "not_found"),
    "packs_follow_branch": (404, "not_found"),
    "packs_pull": (404, "not_found"),
    "packs_pull_plan": (404, "not_found"),
    "packs_redo": (409, "nothing_to_undo"),
    "packs_withdraw_proposal": (422, "edit_refused"),
    "packs_undo": (409, "nothing_to_undo"),
    "repositories_hook": (401, "not_proven"),
    "repositories_scan": (422, "repository_refused"),
    "repositories_task": (404, "not_found"),
    "repositories_end_task": (409, "conflict"),
    "repositories_track": (422, "repository_refused"),
    "runs_branch": (422, "repository_refused"),
    "runs_fork": (422, "cannot_run"),
    "runs_save_graph": (422, "edit_refused"),
    "runs_signal": (409, "signal_refused"),
    "runs_trial": (404, "not_found"),
}
"""Operation → the documented refusal of a user who may do it: the object exists, but its state does
not allow it. All other operations succeed."""

PAGES = {
    "R": """GET:packs/{pack}/verified-runs/
        GET:packs/{pack}/ GET:packs/{pack}/triggers/ GET:runs/{run}/ GET:runs/compare/
        GET:runs/{run}/compare/ GET:runs/{run}/compare/{other}/ GET:templates/{name}/
        GET:roles/{role}/ POST:roles/change/:copy POST:settings/connections/:test
        GET:share/{kind}/{id}/ GET:packs/{pack}/thumbnail.svg POST:packs/{pack}/duplicate/
        POST:packs/{pack}/favourite/ GET:repositories/{repository}/
        POST:repositories/{repository}/change/:fetch
        POST:repositories/{repository}/change/:pull
        POST:repositories/{repository}/change/:track""",
    "E": """GET:packs/{pack}/rename/ POST:packs/{pack}/rename/ POST:packs/{pack}/cases/change/
        POST:packs/{pack}/triggers/change/:add POST:packs/{pack}/triggers/change/:change
        POST:packs/{pack}/triggers/change/:enable POST:packs/{pack}/triggers/change/:disable
        POST:packs/{pack}/triggers/change/:secret POST:packs/{pack}/triggers/change/:try
        POST:approvals/{approval}/ POST:approvals/{approval}/pass/
        POST:templates/{name}/ POST:roles/memory/change/:add
        POST:roles/memory/change/:change POST:roles/memory/change/:delete
        POST:settings/connections/:change POST:settings/connections/:default
        POST:repositories/{repository}/change/:secret
        POST:repositories/{repository}/change/:change""",
    "O": """POST:packs/{pack}/delete/ POST:packs/{pack}/triggers/change/:delete
        POST:templates/{name}/delete/ POST:roles/change/:delete
        POST:settings/connections/:delete POST:repositories/{repository}/change/:delete
        POST:repositories/{repository}/change/:end
        POST:share/{kind}/{id}/change/""",
    "A": """GET:elements/ GET:elements/{kind}/ GET:/ POST:/ GET:packs/new/ POST:packs/new/
        GET:packs/new/{dialect}/{name}.svg GET:runs/ POST:runs/actions/ POST:runs/filters/
        GET:approvals/ GET:repositories/ POST:repositories/ POST:repositories/pull/ GET:templates/
        POST:templates/ POST:templates/{name}/check/ GET:rules/ GET:rules/{code}/ GET:roles/
        POST:roles/change/:new GET:roles/memory/ GET:roles/modes/ POST:roles/modes/change/:new
        GET:settings/ POST:settings/change/ POST:settings/notifications/
        POST:settings/mcp-servers/:connect
        POST:settings/connections/:add GET:settings/rights/""",
    "S": """GET:admin/ GET:settings/groups/ POST:settings/groups/change/ GET:settings/audit/
        GET:settings/status/ GET:settings/audit/export/ POST:settings/connections/:find""",
    "M": "GET:roles/modes/{mode}/ POST:roles/modes/{mode}/",
    "X": "GET:healthz GET:readyz GET:help/ GET:help/{address}/ GET:help/{name}",
    "F": "POST:settings/mcp-servers/:refresh",
    "P": "POST:settings/mcp-servers/:delete",
}
ELSEWHERE = {"GET:metrics", "POST:roles/modes/change/:delete", "GET:sign-in/",
             "POST:sign-in/", "POST:sign-out/", "GET:approvals/link/{token}/",
             "POST:approvals/link/{token}/"} | {
    f"{method}:second-factor/{page}" for methods, pages in {
        "GET": ("", "recovery-codes/", "recovery-codes/download/"),
        "GET POST": ("authenticate/", "reauthenticate/", "password/", "totp/activate/",
                     "totp/deactivate/", "recovery-codes/generate/"),
    }.items() for page in pages for method in methods.split()
} | {
    f"{method}:sign-in/oidc/{{provider_id}}/login/{page}"
    for method in ("GET", "POST") for page in ("", "callback/")
}  # fmt: skip
"""Pages with tests of their own: single sign-on is in tests/pages/test_single_sign_on.py; the
second factor is in tests/pages/test_second_factor.py;
`/metrics` has its own token (tests/pages/test_health.py); a form reports a mode of another user on
the next page (tests/pages/test_roles.py); signing in and out is in tests/pages/test_access.py."""


def by_operation(table: dict[str, str]) -> dict[str, str]:
    """Operation → letter. Raises AssertionError for one that has two."""
    pairs = [(name, letter) for letter, names in table.items() for name in names.split()]
    assert len(dict(pairs)) == len(pairs), "an operation has two rows"
    return dict(pairs)
