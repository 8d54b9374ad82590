"""Rules of safety: files that agents share, secrets, permissions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.rules.kit import (
    Report,
    live,
    option_node,
    per_site,
    script_rule,
    set_option_fix,
)
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.findings import EVERY

CHANGES = re.compile(
    r"\b(?:fix|edit|rewrite|rename|migrate|implement|refactor|upgrade|commit)\b", re.IGNORECASE
)
SECRET = re.compile(
    rb"sk-[A-Za-z0-9_-]{20,200}|gh[pousr]_[A-Za-z0-9]{30,200}|AKIA[A-Z0-9]{16}|"
    rb"xox[abp]-[A-Za-z0-9-]{20,200}|-----BEGIN [A-Z ]{0,20}PRIVATE KEY"
)


@script_rule("WS701", "warning", "Concurrent agents edit one tree", profiles=EVERY)
def isolated(source: ScriptSource, profile: str) -> Iterator[Report]:
    """These agents run at once and can change files of the same folder: edits get lost, and they
    share one git index. Give each a worktree. Where only the prompt mentions changes, this is a
    hint."""
    for state in per_site(live(source)):
        options = state.options or {}
        if not state.concurrent or "isolation" in options or state.open_options:
            continue
        name = values.literal(options.get("agentType"))
        found = source.definitions.get(name or "")
        prompt = values.pattern(state.prompt) or ""
        said = bool(CHANGES.search(prompt))
        if found is not None and not found.writes:
            continue
        if (found is not None and found.writes) or (said and name not in ("Explore", "Plan")):
            yield Report(
                message=f"Several agents of {state.id!r} can edit the same files at once.",
                node=state.node,
                element=f"state:{state.id}",
                hint="Set isolation to worktree.",
                fix=set_option_fix("Isolate in worktrees", state, "/isolation", "worktree"),
                level=None if found is not None else "hint",
            )


@script_rule("WS704", "warning", "Looks like a secret", profiles=EVERY)
def no_secrets(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The script has a text that looks like a key. It is in git, and the journals of runs keep it.
    Revoke the key, and let the agent read it from its environment."""
    for node in source.nodes:
        if node.type in ("string_fragment", "comment") and SECRET.search(node.text or b""):
            yield Report(message="This text looks like a secret key.", node=node)


@script_rule("WS705", "warning", "Fan-out without permissions", profiles=EVERY)
def permitted(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The definition of these agents acts without approval, and many of them run at once."""
    for state in per_site(live(source)):
        name = values.literal((state.options or {}).get("agentType"))
        found = source.definitions.get(name or "")
        mode = found.values.get("permissionMode") if found is not None else None
        if state.repeated and mode == "bypassPermissions":
            yield Report(
                message=f"{name!r} bypasses permissions in a fan-out.",
                node=option_node(source, state, "agentType"),
                element=f"state:{state.id}",
            )
