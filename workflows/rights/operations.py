"""The table of rights: the needs of each operation of the API and each form of the pages.

Columns: name, method, route, for operations of the API the scope that they need from a token, and
needs. An operation of the API is a function of its name (`roles.api.operation`). Operations that
only compute need the scope `read`. A need is `kind:level@place`: the kind of object, the lowest
level on it, and the place of its key in the request: an argument of the route, `form.` a field of
the form, `query.` of the query, `json.` of the body. `signed-in` needs no object: such an operation
shows or changes only what its user may see or owns. `open` needs no sign-in, and `staff` a member
of staff. A name with a colon is a form of a page, chosen by its field `do`.

A request without a row is refused.
"""

# ruff: noqa: E501
from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from workflows.core.plugins import declared
from workflows.rights.scopes import SCOPES, Scope

if TYPE_CHECKING:
    from roles.rights import Level

API, ADMIN = "api/v1/", "admin/"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OPERATIONS = """
agent_roles_list       GET    agent-roles/                                               read  signed-in
agent_roles_create     POST   agent-roles/                                               edit  signed-in
agent_roles_read       GET    agent-roles/<number:id>/                                   read  role:read@id
agent_roles_change     PATCH  agent-roles/<number:id>/                                   edit  role:edit@id
agent_roles_delete     DELETE agent-roles/<number:id>/                                   edit  role:own@id
agent_roles_diff       GET    agent-roles/<number:id>/diff/                              read  role:read@id
agent_roles_scopes     GET    agent-roles/<number:id>/platform-scopes/                   read  role:read@id
agent_roles_set_scopes PATCH  agent-roles/<number:id>/platform-scopes/                   edit  role:edit@id
agent_roles_preview    POST   agent-roles/<number:id>/preview/                           read  role:read@id
agent_roles_prompt     GET    agent-roles/<number:id>/prompt/                            read  role:read@id
agent_roles_set_prompt PATCH  agent-roles/<number:id>/prompt/                            edit  role:edit@id
agent_roles_reset      POST   agent-roles/<number:id>/reset/                             edit  role:edit@id
agent_roles_revisions  GET    agent-roles/<number:id>/revisions/                         read  role:read@id
agent_roles_revision   GET    agent-roles/<number:id>/revisions/<number:number>/         read  role:read@id
agent_roles_restore    POST   agent-roles/<number:id>/revisions/<number:number>/restore/ edit  role:edit@id
agent_roles_variables  GET    agent-roles/variables/                                     read  signed-in
agents_list            GET    agents/                                                    read  signed-in
agents_read            GET    agents/<number:id>/                                        read  agent:read@id
approvals_list         GET    approvals/                                                 read  signed-in
approvals_read         GET    approvals/<uuid:id>/                                       read  approval:read@id
approvals_answer       POST   approvals/<uuid:id>/                                       run   approval:edit@id
approvals_pass         POST   approvals/<uuid:id>/pass/                                  run   approval:edit@id
artifacts_list         GET    artifacts/                                                 read  signed-in
artifacts_read         GET    artifacts/<number:id>/                                     read  artifact:read@id
audit_list             GET    audit/                                                     admin staff
audit_export           GET    audit/export/                                              admin staff
connections_list       GET    connections/                                               read  signed-in
connections_create     POST   connections/                                               admin signed-in
connections_read       GET    connections/<number:id>/                                   read  connection:read@id
connections_change     PATCH  connections/<number:id>/                                   admin connection:edit@id
connections_delete     DELETE connections/<number:id>/                                   admin connection:own@id
connections_test       POST   connections/<number:id>/test/                              admin connection:read@id
dialects_list          GET    dialects/                                                  read  signed-in
schedule_preview       GET    due-times/                                                 read  signed-in
groups_list            GET    groups/                                                    read  signed-in
groups_create          POST   groups/                                                    admin staff
groups_change          PUT    groups/<number:id>/                                        admin staff
groups_delete          DELETE groups/<number:id>/                                        admin staff
hooks_deliver          POST   hooks/<str:address>/                                       admin open
import                 POST   import/                                                    edit  signed-in
import_git             POST   import/git/                                                edit  signed-in
mcp_servers_list       GET    mcp-servers/                                               read  signed-in
mcp_servers_connect    POST   mcp-servers/                                               admin signed-in
mcp_servers_read       GET    mcp-servers/<number:id>/                                   read  mcp-server:read@id
mcp_servers_change     PATCH  mcp-servers/<number:id>/                                   admin mcp-server:edit@id
mcp_servers_delete     DELETE mcp-servers/<number:id>/                                   admin mcp-server:own@id
mcp_servers_refresh    POST   mcp-servers/<number:id>/refresh/                           admin mcp-server:edit@id
memories_list          GET    memories/                                                  read  signed-in
memories_create        POST   memories/                                                  edit  role:edit@json.role project:edit@json.project
memories_read          GET    memories/<number:id>/                                      read  memory:read@id
memories_change        PATCH  memories/<number:id>/                                      edit  memory:edit@id
memories_delete        DELETE memories/<number:id>/                                      edit  memory:edit@id
modes_list             GET    modes/                                                     read  signed-in
modes_create           POST   modes/                                                     edit  signed-in
modes_read             GET    modes/<number:id>/                                         read  signed-in
modes_change           PATCH  modes/<number:id>/                                         edit  signed-in
modes_delete           DELETE modes/<number:id>/                                         edit  signed-in
packs_list             GET    packs/                                                     read  signed-in
packs_create           POST   packs/                                                     edit  signed-in
packs_read             GET    packs/<number:id>/                                         read  pack:read@id
packs_change           PATCH  packs/<number:id>/                                         edit  pack:edit@id
packs_delete           DELETE packs/<number:id>/                                         edit  pack:own@id
packs_agents           GET    packs/<number:id>/agents/                                  read  pack:read@id
packs_agent_card       GET    packs/<number:id>/agents/<path:member>/card/               read  pack:read@id
packs_cases            GET    packs/<number:id>/cases/                                  read  pack:read@id
packs_case_keep        POST   packs/<number:id>/cases/                                  edit  pack:edit@id run:read@json.run
packs_case_rename      PATCH  packs/<number:id>/cases/<path:case>/                      edit  pack:edit@id
packs_case_delete      DELETE packs/<number:id>/cases/<path:case>/                      edit  pack:edit@id
packs_changes          GET    packs/<number:id>/changes/                                 read  pack:read@id
packs_check_text       POST   packs/<number:id>/check-text/                              read  pack:read@id
packs_commit           POST   packs/<number:id>/commit/                                  edit  pack:edit@id
packs_commit_plan      POST   packs/<number:id>/commit/plan/                             edit  pack:edit@id
packs_convert          POST   packs/<number:id>/convert/                                 edit  pack:read@id
packs_copy             POST   packs/<number:id>/copy/                                    read  pack:read@id
packs_diff             GET    packs/<number:id>/diff/                                    read  pack:read@id
packs_duplicate        POST   packs/<number:id>/duplicate/                               edit  pack:read@id
packs_edit             POST   packs/<number:id>/edits/                                   edit  pack:edit@id
packs_export           GET    packs/<number:id>/export/                                  read  pack:read@id
packs_git_destinations GET    packs/<number:id>/export/git/                              read  pack:read@id
packs_export_git       POST   packs/<number:id>/export/git/                              edit  pack:edit@id
packs_export_git_plan  POST   packs/<number:id>/export/git/plan/                         read  pack:read@id
packs_exports          GET    packs/<number:id>/exports/                                 read  pack:read@id
packs_fields           GET    packs/<number:id>/fields/                                  read  pack:read@id
packs_files            GET    packs/<number:id>/files/                                   read  pack:read@id
packs_find             POST   packs/<number:id>/find/                                    read  pack:read@id
packs_findings         GET    packs/<number:id>/findings/                                read  pack:read@id
packs_graph            GET    packs/<number:id>/graph/                                   read  pack:read@id
packs_inputs           GET    packs/<number:id>/inputs/                                  read  pack:read@id
packs_models           GET    packs/<number:id>/models/                                  read  pack:read@id
packs_models_choose    PUT    packs/<number:id>/models/                                  edit  pack:edit@id
packs_offers           GET    packs/<number:id>/offers/                                  read  pack:read@id
packs_start            GET    packs/<number:id>/start/                                   read  pack:read@id
packs_options          GET    packs/<number:id>/options/                                 read  pack:read@id
packs_prompt           GET    packs/<number:id>/prompt/                                  read  pack:read@id
packs_proposals        GET    packs/<number:id>/proposals/                               read  pack:read@id
packs_preview_edits    POST   packs/<number:id>/proposals/                               read  pack:read@id
packs_proposal         GET    packs/<number:id>/proposals/<number:proposal>/             read  pack:read@id
packs_accept_proposal  POST   packs/<number:id>/proposals/<number:proposal>/accept/      edit  pack:edit@id
packs_reject_proposal  POST   packs/<number:id>/proposals/<number:proposal>/reject/      edit  pack:edit@id
packs_withdraw_proposal DELETE packs/<number:id>/proposals/<number:proposal>/            read  pack:read@id
packs_redo             POST   packs/<number:id>/redo/                                    edit  pack:edit@id
packs_rehearse         POST   packs/<number:id>/rehearse/                                read  pack:read@id
packs_recorded_run     POST   packs/<number:id>/recorded-run/                            read  pack:read@id
packs_verified_runs    GET    packs/<number:id>/verified-runs/                           read  pack:read@id
packs_revisions        GET    packs/<number:id>/revisions/                               read  pack:read@id
packs_name_revision    POST   packs/<number:id>/revisions/<number:number>/name/          edit  pack:edit@id
packs_restore          POST   packs/<number:id>/revisions/<number:number>/restore/       edit  pack:edit@id
packs_templates        GET    packs/<number:id>/templates/                               read  pack:read@id
packs_template         GET    packs/<number:id>/templates/<str:name>/                    read  pack:read@id
packs_text_ranges      GET    packs/<number:id>/text-ranges/                             read  pack:read@id
packs_worst_case       GET    packs/<number:id>/worst-case/                              read  pack:read@id
packs_tools            GET    packs/<number:id>/tools/                                   read  pack:read@id
packs_tool_bind        PUT    packs/<number:id>/tools/<path:tool>/                       edit  pack:edit@id
packs_tool_unbind      DELETE packs/<number:id>/tools/<path:tool>/                       edit  pack:edit@id
triggers_list          GET    packs/<number:id>/triggers/                                read  pack:read@id
triggers_create        POST   packs/<number:id>/triggers/                                run   pack:edit@id
packs_tool_try         POST   packs/<number:id>/try-tool/                                run   pack:edit@id
packs_undo             POST   packs/<number:id>/undo/                                    edit  pack:edit@id
packs_workspaces       GET    packs/<number:id>/workspaces/                              read  pack:read@id
packs_folder_conflict  POST   packs/<number:id>/folder-conflicts/<number:conflict>/      edit  pack:edit@id
packs_upstream         GET    packs/<number:id>/upstream/                                read  pack:read@id
packs_follow_branch    PATCH  packs/<number:id>/upstream/                                edit  pack:edit@id
packs_pull_plan        GET    packs/<number:id>/upstream/pull/                           read  pack:read@id
packs_pull             POST   packs/<number:id>/upstream/pull/                           edit  pack:edit@id
packs_propose          POST   packs/<number:id>/upstream/propose/                        edit  pack:edit@id
packs_propose_plan     POST   packs/<number:id>/upstream/propose/plan/                   read  pack:read@id
repositories_list      GET    repositories/                                              read  signed-in
repositories_create    POST   repositories/                                              admin signed-in
repositories_read      GET    repositories/<number:id>/                                  read  repository:read@id
repositories_change    PATCH  repositories/<number:id>/                                  admin repository:edit@id
repositories_delete    DELETE repositories/<number:id>/                                  admin repository:own@id
repositories_changes   GET    repositories/<number:id>/changes/                          read  repository:read@id
repositories_fetch     POST   repositories/<number:id>/fetch/                            edit  repository:read@id
repositories_hook      POST   repositories/<number:id>/hook/                             admin open
repositories_pull      POST   repositories/<number:id>/pull/                             edit  repository:read@id
repositories_scan      GET    repositories/<number:id>/scan/                             read  repository:read@id
repositories_secret    POST   repositories/<number:id>/secret/                           admin repository:edit@id
repositories_task      GET    repositories/<number:id>/tasks/<number:task>/              read  repository:read@id
repositories_end_task  DELETE repositories/<number:id>/tasks/<number:task>/              admin repository:own@id
repositories_track     POST   repositories/<number:id>/track/                            edit  repository:read@id
runs_bulk              POST   runs/bulk/                                                 run   signed-in
runs_costs             GET    costs/                                                     read  signed-in
runs_list              GET    runs/                                                      read  signed-in
runs_start             POST   runs/                                                      run   pack:read@json.pack
runs_read              GET    runs/<uuid:id>/                                            read  run:read@id
runs_keep              PATCH  runs/<uuid:id>/                                            run   run:edit@id
runs_artifacts         GET    runs/<uuid:id>/artifacts/                                  read  run:read@id
runs_branch            POST   runs/<uuid:id>/branch/                                     run   run:edit@id
runs_compare           GET    runs/<uuid:id>/compare/<uuid:other>/                       read  run:read@id run:read@other
runs_events            GET    runs/<uuid:id>/events/                                     read  run:read@id
runs_fork              POST   runs/<uuid:id>/fork/                                       run   run:read@id
runs_graph             GET    runs/<uuid:id>/graph/                                      read  run:read@id
runs_pending           GET    runs/<uuid:id>/pending/                                    read  run:read@id
runs_wait              GET    runs/<uuid:id>/wait/                                       read  run:read@id
runs_result            GET    runs/<uuid:id>/result/                                     read  run:read@id
runs_save_graph        POST   runs/<uuid:id>/save-graph/                                 edit  run:read@id
runs_script            GET    runs/<uuid:id>/script/                                     read  run:read@id
runs_signal            POST   runs/<uuid:id>/signals/                                    run   run:edit@id
runs_trial             POST   runs/<uuid:id>/trials/                                     run   run:read@id
samples_list           GET    samples/                                                   read  signed-in
schema                 GET    schema/                                                    read  signed-in
sharing_read           GET    sharing/<str:kind>/<str:id>/                               read  shared:read@id
sharing_change         PUT    sharing/<str:kind>/<str:id>/                               admin shared:own@id
states_list            GET    states/                                                    read  signed-in
states_read            GET    states/<number:id>/                                        read  state:read@id
templates_list         GET    templates/                                                 read  signed-in
templates_create       POST   templates/                                                 edit  signed-in
templates_read         GET    templates/<str:name>/                                      read  signed-in
templates_put          PUT    templates/<str:name>/                                      edit  template:edit@name
templates_delete       DELETE templates/<str:name>/                                      edit  template:own@name
tokens_list            GET    tokens/                                                    admin signed-in
tokens_create          POST   tokens/                                                    admin signed-in
tokens_revoke          DELETE tokens/<slug:id>/                                          admin signed-in
tool_kinds             GET    tool-kinds/                                                read  signed-in
transitions_list       GET    transitions/                                               read  signed-in
transitions_read       GET    transitions/<number:id>/                                   read  transition:read@id
triggers_read          GET    triggers/<number:id>/                                      read  trigger:read@id
triggers_change        PATCH  triggers/<number:id>/                                      run   trigger:edit@id
triggers_delete        DELETE triggers/<number:id>/                                      run   trigger:own@id
triggers_secret        POST   triggers/<number:id>/secret/                               run   trigger:edit@id
triggers_try           POST   triggers/<number:id>/try/                                  run   trigger:edit@id
"""
"""Operations of the API, by the names of the OpenAPI document, with their addresses as Django writes
them."""

PAGES = """
gallery                   GET    /                                  signed-in
gallery                   POST   /                                  signed-in
new-pack                  GET    packs/new/                         signed-in
new-pack                  POST   packs/new/                         signed-in
editor                    GET    packs/{pack}/                      pack:read@pack
sample-thumbnail          GET    packs/new/{dialect}/{name}.svg     signed-in
thumbnail                 GET    packs/{pack}/thumbnail.svg         pack:read@pack
rename-pack               GET    packs/{pack}/rename/               pack:edit@pack
rename-pack               POST   packs/{pack}/rename/               pack:edit@pack
duplicate-pack            POST   packs/{pack}/duplicate/            pack:read@pack
favourite-pack            POST   packs/{pack}/favourite/            pack:read@pack
delete-pack               POST   packs/{pack}/delete/               pack:own@pack
triggers                  GET    packs/{pack}/triggers/             pack:read@pack
change-triggers:add       POST   packs/{pack}/triggers/change/      pack:edit@pack
change-triggers:change    POST   packs/{pack}/triggers/change/      pack:read@pack trigger:edit@form.trigger
change-triggers:enable    POST   packs/{pack}/triggers/change/      pack:read@pack trigger:edit@form.trigger
change-triggers:disable   POST   packs/{pack}/triggers/change/      pack:read@pack trigger:edit@form.trigger
change-triggers:secret    POST   packs/{pack}/triggers/change/      pack:read@pack trigger:edit@form.trigger
change-triggers:try       POST   packs/{pack}/triggers/change/      pack:read@pack trigger:edit@form.trigger
change-triggers:delete    POST   packs/{pack}/triggers/change/      pack:read@pack trigger:own@form.trigger
runs                      GET    runs/                              signed-in
act-on-runs               POST   runs/actions/                      signed-in
run-filters               POST   runs/filters/                      signed-in
compare-chosen            GET    runs/compare/                      run:read@query.run
run                       GET    runs/{run}/                        run:read@run
compare-before            GET    runs/{run}/compare/                run:read@run
compare                   GET    runs/{run}/compare/{other}/        run:read@run run:read@other
approvals                 GET    approvals/                         signed-in
answer-approval           POST   approvals/{approval}/              approval:edit@approval
repositories              GET    repositories/                      signed-in
repositories              POST   repositories/                      signed-in
repository                GET    repositories/{repository}/         repository:read@repository
change-repository:fetch   POST   repositories/{repository}/change/  repository:read@repository
change-repository:pull    POST   repositories/{repository}/change/  repository:read@repository
pull-repositories         POST   repositories/pull/                 signed-in
change-repository:track   POST   repositories/{repository}/change/  repository:read@repository
change-repository:secret  POST   repositories/{repository}/change/  repository:edit@repository
change-repository:change  POST   repositories/{repository}/change/  repository:edit@repository
change-repository:end     POST   repositories/{repository}/change/  repository:own@repository
change-repository:delete  POST   repositories/{repository}/change/  repository:own@repository
templates                 GET    templates/                         signed-in
templates                 POST   templates/                         signed-in
template                  GET    templates/{name}/                  signed-in
template                  POST   templates/{name}/                  template:edit@name
check-template            POST   templates/{name}/check/            signed-in
delete-template           POST   templates/{name}/delete/           template:own@name
help                      GET    help/                              open
help                      GET    help/{address}/                    open
help-file                 GET    help/{name}                        open
rules                     GET    rules/                             signed-in
rule                      GET    rules/{code}/                      signed-in
roles                     GET    roles/                             signed-in
role                      GET    roles/{role}/                      role:read@role
change-roles:new          POST   roles/change/                      signed-in
change-roles:copy         POST   roles/change/                      role:read@form.role
change-roles:delete       POST   roles/change/                      role:own@form.role
memories                  GET    roles/memory/                      signed-in
change-memories:add       POST   roles/memory/change/               role:edit@form.role project:edit@form.project
change-memories:change    POST   roles/memory/change/               memory:edit@form.memory
change-memories:delete    POST   roles/memory/change/               memory:edit@form.memory
modes                     GET    roles/modes/                       signed-in
mode                      GET    roles/modes/{mode}/                signed-in
mode                      POST   roles/modes/{mode}/                signed-in
change-modes:new          POST   roles/modes/change/                signed-in
change-modes:delete       POST   roles/modes/change/                signed-in
settings                  GET    settings/                          signed-in
change-settings           POST   settings/change/                   signed-in
change-mcp-servers:connect POST  settings/mcp-servers/              signed-in
change-mcp-servers:refresh POST  settings/mcp-servers/              mcp-server:edit@form.server
change-mcp-servers:delete POST   settings/mcp-servers/              mcp-server:own@form.server
change-connections:add    POST   settings/connections/              signed-in
change-connections:change POST   settings/connections/              connection:edit@form.connection
change-connections:default POST  settings/connections/              connection:edit@form.connection
change-connections:test   POST   settings/connections/              connection:read@form.connection
change-connections:delete POST   settings/connections/              connection:own@form.connection
change-connections:find   POST   settings/connections/              staff
share                     GET    share/{kind}/{id}/                 shared:read@id
change-share              POST   share/{kind}/{id}/change/          shared:own@id
groups                    GET    settings/groups/                   staff
change-groups             POST   settings/groups/change/            staff
rights                    GET    settings/rights/                   signed-in
audit                     GET    settings/audit/                    staff
audit-export              GET    settings/audit/export/             staff
status                    GET    settings/status/                   staff
sign-in                   GET    sign-in/                           open
approval-link             GET    approvals/link/{token}/            open
approval-link             POST   approvals/link/{token}/            open
pass-approval             POST   approvals/{approval}/pass/         approval:edit@approval
change-channels           POST   settings/notifications/            signed-in
sign-in                   POST   sign-in/                           open
openid_connect_login      GET    sign-in/oidc/{provider_id}/login/  open
openid_connect_login      POST   sign-in/oidc/{provider_id}/login/  open
openid_connect_callback   GET    sign-in/oidc/{provider_id}/login/callback/ open
openid_connect_callback   POST   sign-in/oidc/{provider_id}/login/callback/ open
sign-out                  POST   sign-out/                          signed-in
mfa_index                 GET    second-factor/                     signed-in
mfa_authenticate          GET    second-factor/authenticate/        open
mfa_authenticate          POST   second-factor/authenticate/        open
mfa_reauthenticate        GET    second-factor/reauthenticate/      signed-in
mfa_reauthenticate        POST   second-factor/reauthenticate/      signed-in
account_reauthenticate    GET    second-factor/password/            signed-in
account_reauthenticate    POST   second-factor/password/            signed-in
mfa_activate_totp         GET    second-factor/totp/activate/       signed-in
mfa_activate_totp         POST   second-factor/totp/activate/       signed-in
mfa_deactivate_totp       GET    second-factor/totp/deactivate/     signed-in
mfa_deactivate_totp       POST   second-factor/totp/deactivate/     signed-in
mfa_view_recovery_codes   GET    second-factor/recovery-codes/      signed-in
mfa_generate_recovery_codes GET    second-factor/recovery-codes/generate/ signed-in
mfa_generate_recovery_codes POST   second-factor/recovery-codes/generate/ signed-in
mfa_download_recovery_codes GET    second-factor/recovery-codes/download/ signed-in
elements                  GET    elements/                          signed-in
elements                  GET    elements/{kind}/                   signed-in
verified-runs             GET    packs/{pack}/verified-runs/        pack:read@pack
change-cases              POST   packs/{pack}/cases/change/         pack:edit@pack
admin                     GET    admin/                             staff
healthz                   GET    healthz                            open
readyz                    GET    readyz                             open
metrics                   GET    metrics                            open
"""
"""Pages, by the names of their addresses. `/metrics` has its own token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """The lowest level on one object, and the place of its key in a request."""

    kind: str
    level: Level
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One row. `access` is open, signed-in, staff, or object if it has needs."""

    name: str
    method: str
    route: str
    access: str
    needs: tuple[Need, ...] = ()
    scope: Scope = "admin"
    """The scope that it needs from a token. Sessions have no scopes."""

    @property
    def form(self) -> str:
        """The value of the field `do` that chooses this form; "" for none."""
        return self.name.partition(":")[2]


def api_addresses(rows: str = OPERATIONS) -> list[tuple[str, str, str]]:
    """Name, method and address of each of these rows of the API."""
    return [(words[0], words[1], words[2]) for words in map(str.split, rows.strip().splitlines())]


def api_rows() -> list[str]:
    """The rows of the API, with those of plug-ins."""
    texts = (OPERATIONS, *declared("operations"))
    return [row for text in texts for row in text.strip().splitlines()]


@cache
def operations() -> tuple[Operation, ...]:
    """All rows: those of the API, then those of the pages."""
    return (*map(_api_row, api_rows()), *(_row(line, "") for line in PAGES.strip().splitlines()))


@cache
def _by_route() -> dict[tuple[str, str], tuple[Operation, ...]]:
    table: dict[tuple[str, str], tuple[Operation, ...]] = {}
    for one in operations():
        table[one.route, one.method] = (*table.get((one.route, one.method), ()), one)
    return table


def route_of(pattern: str) -> str:
    """A route of Django in the form of this table: `packs/<number:id>/` is `packs/{id}/`. All
    pages of Django's admin have one row."""
    if pattern.startswith(ADMIN):
        return ADMIN
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", pattern)


def rows_of(route: str, method: str) -> tuple[Operation, ...]:
    """The rows of a route and a method; several are forms of one page. HEAD and OPTIONS are as
    GET."""
    same = "GET" if method in SAFE else method
    return _by_route().get((route, same), ())


def scope_of(method: str, route: str) -> Scope:
    """The scope of an operation of the API. `route`: the address as in the OpenAPI document or in
    Django's URL patterns, with or without the leading slash."""
    rows = rows_of(API + route_of(route).lstrip("/").removeprefix(API), method)
    return rows[0].scope if rows else "read" if method in SAFE else "admin"


def _api_row(line: str) -> Operation:
    name, method, route, scope, *words = line.split()
    row = _row(" ".join((name, method, route, *words)), API)
    return replace(row, scope=next(one for one in SCOPES if one == scope))


def _row(line: str, prefix: str) -> Operation:
    name, method, route, *words = line.split()
    needs = tuple(_need(word) for word in words if ":" in word)
    access = "object" if needs else words[0]
    path = prefix + route_of(route).removeprefix("/")
    return Operation(name=name, method=method, route=path, access=access, needs=needs)


def _need(word: str) -> Need:
    from roles.rights import Level  # The documentation is written without Django.

    kind, _, rest = word.partition(":")
    level, _, place = rest.partition("@")
    return Need(kind=kind, level=Level[level.upper()], place=place)
