"""Rules of safety: files that agents share, secrets, permissions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.values import (
    UNDEFINED,
    Record,
    Text,
    Undefined,
)
from workflows.core.dialects.workflow_scripts.graph.model import PlanState
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
FENCE = re.compile(r"(?:```[a-z]{0,20}|<[\w-]{1,40}>|\"\"\"|---|===|BEGIN[^\n]{0,60})\s{0,20}\Z")
"""The end of a text that marks what follows as data."""
LEADS = re.compile(
    r"branch|worktree|commit|path|patch|diff|\bpush|pull request|\bPR\b", re.IGNORECASE
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
        isolated = "isolation" in (state.options or {})
        if not state.concurrent or isolated or state.open_options:
            continue
        if certain := writes(source, state):
            yield Report(
                message=f"Several agents of {state.id!r} can edit the same files at once.",
                node=state.node,
                element=f"state:{state.id}",
                hint="Set isolation to worktree.",
                fix=set_option_fix("Isolate in worktrees", state, "/isolation", "worktree"),
                level=None if certain == "defined" else "hint",
            )


def writes(source: ScriptSource, state: PlanState) -> Literal["defined", "said", ""]:
    """The reason to take an agent for one that changes files or runs commands: the tools of its
    definition, or its prompt."""
    name = values.literal((state.options or {}).get("agentType"))
    found = source.definitions.get(name or "")
    if found is not None:
        return "defined" if found.writes else ""
    asked = CHANGES.search(values.pattern(state.prompt) or "")
    return "said" if asked and name not in ("Explore", "Plan") else ""


@script_rule("WS702", "hint", "Text of others in a prompt", profiles=EVERY)
def fenced(source: ScriptSource, profile: str) -> Iterator[Report]:
    """This agent can change files or run commands, and its prompt has an answer or an input right
    in its sentences, so the agent reads it as an instruction. Put it between marks such as
    `<data>`, and write that it is data."""
    for state in per_site(live(source)):
        prompt = state.prompt
        if not isinstance(prompt, Text) or not prompt.sources or not writes(source, state):
            continue
        before = ["".join(one or "" for one in prompt.pieces[:at]) for at in prompt.sources]
        loose = [
            one
            for one, text in zip(prompt.sources.values(), before, strict=True)
            if not FENCE.search(text)
        ]
        if loose:
            yield Report(
                message=f"The prompt of {state.id!r} has {', '.join(dict.fromkeys(loose))} as "
                "instructions.",
                node=state.node,
                element=f"state:{state.id}",
                hint="Put it between marks, and write that it is data.",
            )


@script_rule("WS703", "hint", "Work stays in a worktree", profiles=EVERY)
def collected(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The agent works in a worktree of its own, but neither its prompt nor its schema asks for a
    branch, commit or path. Its work is lost afterwards. Ask for the branch in the schema."""
    for state in per_site(live(source)):
        options = state.options or {}
        prompt = values.pattern(state.prompt)
        if values.literal(options.get("isolation")) != "worktree" or prompt is None:
            continue
        schema = options.get("schema", UNDEFINED)
        properties = schema.fields.get("properties") if isinstance(schema, Record) else None
        named = " ".join(properties.fields) if isinstance(properties, Record) else ""
        known = isinstance(schema, Undefined) or isinstance(properties, Record)
        if known and not LEADS.search(f"{prompt} {named}"):
            yield Report(
                message=f"Nothing asks {state.id!r} for the branch of its worktree.",
                node=option_node(source, state, "isolation"),
                element=f"state:{state.id}",
                hint="Ask for the branch in the schema.",
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
