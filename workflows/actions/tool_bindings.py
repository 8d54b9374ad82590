"""Bindings of a pack's tools. Callers check settings against their kind first; secrets are
write-only and used in calls only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from workflows.db.text import is_storable, to_storable
from workflows.errors import BadRequest
from workflows.models import Pack, ToolBinding
from workflows.security.encryption import encrypt

ADDRESSES = ("url", "command", "connected")
"""Settings that decide where secrets are sent."""


@transaction.atomic
def bind(
    pack: Pack,
    tool: str,
    *,
    kind: str,
    settings: Mapping[str, Any],
    secrets: Mapping[str, str] | None = None,
    author: User | None = None,
) -> ToolBinding:
    """Bind a tool. A command runs only while its author may run commands. Secrets that are left out
    (None) are kept, unless they would be sent elsewhere: then they have to be entered again. Raises
    BadRequest."""
    if not tool or len(tool) > 300 or not is_storable(tool):
        raise BadRequest("The name of a tool has 1 to 300 plain characters.", where="tool")
    if not is_storable(json.dumps(settings, ensure_ascii=False)) or r"\u0000" in json.dumps(
        settings
    ):
        raise BadRequest("Settings are plain text.", where="settings")
    row = ToolBinding.objects.select_for_update().filter(pack=pack, tool=tool).first()
    row = row or ToolBinding(pack=pack, tool=tool)
    before = (row.kind, *(row.settings.get(name) for name in ADDRESSES))
    after = (kind, *(settings.get(name) for name in ADDRESSES))
    if secrets is None and row.sealed_secrets and before != after:
        raise BadRequest(
            "The secrets were entered for another target. Enter them again to use them here.",
            where="secrets",
        )
    if secrets is not None:
        row.sealed_secrets = encrypt(json.dumps(dict(secrets))) if secrets else ""
    row.kind, row.settings, row.author = kind, dict(settings), author
    row.save()
    return row


def unbind(pack: Pack, tool: str) -> None:
    """Remove a binding, so that runs ask a person. A missing one is no error."""
    ToolBinding.objects.filter(pack=pack, tool=to_storable(tool)).delete()
