"""The scope that each API operation needs from a token.

`BearerToken` checks it for every request with a token, before the view. Sessions have no scopes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from workflows.rights.scopes import Scope

ROOT = "api/v1/"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
ANYTHING_ELSE: Scope = "admin"
"""The scope of a changing operation that `CHANGES` does not list. A test finds such operations."""
READS: Mapping[str, Scope] = {
    "audit/": "admin",
    "audit/export/": "admin",
    "tokens/": "admin",
}
"""Addresses whose GET needs another scope than `read`."""
CHANGES: Mapping[str, Mapping[str, Scope]] = {
    "agent-roles/": {"POST": "edit"},
    "agent-roles/{id}/": {"PATCH": "edit", "DELETE": "edit"},
    "agent-roles/{id}/platform-scopes/": {"PATCH": "edit"},
    "agent-roles/{id}/preview/": {"POST": "read"},
    "agent-roles/{id}/prompt/": {"PATCH": "edit"},
    "agent-roles/{id}/reset/": {"POST": "edit"},
    "agent-roles/{id}/revisions/{number}/restore/": {"POST": "edit"},
    "approvals/{id}/": {"POST": "run"},
    "approvals/{id}/pass/": {"POST": "run"},
    "connections/": {"POST": "admin"},
    "connections/{id}/": {"PATCH": "admin", "DELETE": "admin"},
    "connections/{id}/test/": {"POST": "admin"},
    "groups/": {"POST": "admin"},
    "groups/{id}/": {"PUT": "admin", "DELETE": "admin"},
    "import/": {"POST": "edit"},
    "import/git/": {"POST": "edit"},
    "mcp-servers/": {"POST": "admin"},
    "mcp-servers/{id}/": {"PATCH": "admin", "DELETE": "admin"},
    "mcp-servers/{id}/refresh/": {"POST": "admin"},
    "memories/": {"POST": "edit"},
    "memories/{id}/": {"PATCH": "edit", "DELETE": "edit"},
    "modes/": {"POST": "edit"},
    "modes/{id}/": {"PATCH": "edit", "DELETE": "edit"},
    "packs/": {"POST": "edit"},
    "packs/{id}/": {"PATCH": "edit", "DELETE": "edit"},
    "packs/{id}/ag-ui/": {"POST": "run"},
    "packs/{id}/check-text/": {"POST": "read"},
    "packs/{id}/convert/": {"POST": "edit"},
    "packs/{id}/copy/": {"POST": "read"},
    "packs/{id}/duplicate/": {"POST": "edit"},
    "packs/{id}/edits/": {"POST": "edit"},
    "packs/{id}/export/git/": {"POST": "edit"},
    "packs/{id}/export/git/plan/": {"POST": "read"},
    "packs/{id}/find/": {"POST": "read"},
    "packs/{id}/folder-conflicts/{conflict}/": {"POST": "edit"},
    "packs/{id}/models/": {"PUT": "edit"},
    "packs/{id}/proposals/": {"POST": "read"},
    "packs/{id}/redo/": {"POST": "edit"},
    "packs/{id}/rehearse/": {"POST": "read"},
    "packs/{id}/revisions/{number}/name/": {"POST": "edit"},
    "packs/{id}/revisions/{number}/restore/": {"POST": "edit"},
    "packs/{id}/tools/{tool}/": {"PUT": "edit", "DELETE": "edit"},
    "packs/{id}/triggers/": {"POST": "run"},
    "packs/{id}/try-tool/": {"POST": "run"},
    "packs/{id}/undo/": {"POST": "edit"},
    "packs/{id}/upstream/": {"PATCH": "edit"},
    "packs/{id}/upstream/propose/": {"POST": "edit"},
    "packs/{id}/upstream/propose/plan/": {"POST": "read"},
    "packs/{id}/upstream/pull/": {"POST": "edit"},
    "repositories/": {"POST": "admin"},
    "repositories/{id}/": {"PATCH": "admin", "DELETE": "admin"},
    "repositories/{id}/fetch/": {"POST": "edit"},
    "repositories/{id}/pull/": {"POST": "edit"},
    "repositories/{id}/tasks/{task}/": {"DELETE": "admin"},
    "repositories/{id}/secret/": {"POST": "admin"},
    "repositories/{id}/track/": {"POST": "edit"},
    "runs/": {"POST": "run"},
    "runs/{id}/": {"PATCH": "run"},
    "runs/{id}/branch/": {"POST": "run"},
    "runs/{id}/fork/": {"POST": "run"},
    "runs/{id}/save-graph/": {"POST": "edit"},
    "runs/bulk/": {"POST": "run"},
    "runs/{id}/signals/": {"POST": "run"},
    "runs/{id}/trials/": {"POST": "run"},
    "sharing/{kind}/{id}/": {"PUT": "admin"},
    "templates/": {"POST": "edit"},
    "templates/{name}/": {"PUT": "edit", "DELETE": "edit"},
    "tokens/": {"POST": "admin"},
    "tokens/{id}/": {"DELETE": "admin"},
    "triggers/{id}/": {"PATCH": "run", "DELETE": "run"},
    "triggers/{id}/secret/": {"POST": "run"},
    "triggers/{id}/try/": {"POST": "run"},
}
"""Address below /api/v1/ → method → scope. Operations that only compute need `read`."""


def scope_of(method: str, route: str) -> Scope:
    """The scope of an operation. `route`: the address as in the OpenAPI document or in Django's
    URL patterns, with or without the leading slash."""
    address = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route).lstrip("/").removeprefix(ROOT)
    if method in SAFE:
        return READS.get(address, "read")
    return CHANGES.get(address, {}).get(method, ANYTHING_ELSE)
