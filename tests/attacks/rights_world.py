"""Users with every relation to one set of objects, and requests about these objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone

from roles.actions import memory, modes, roles
from roles.core.new_role import blank_config
from roles.models import Memory
from roles.rights import Level, share
from workflows.actions import (
    connections,
    mcp_servers,
    packs,
    repositories,
    runs,
    templates,
    tokens,
    triggers,
)
from workflows.models import Approval, Pack, Run
from workflows.selectors.sources import view

PEOPLE = ("owner", "reader", "editor", "stranger", "staff", "anonymous")
TEMPLATE = '[template]\nname = "{name}"\nversion = "1"\n\n# {name}\n'
SENTINEL = "kingfisher"
"""Part of the name of every object. A stranger never sees it."""


@dataclass(frozen=True, kw_only=True)
class World:
    """Everything of `owner`, shared for reading with `reader`, and for editing with a group that
    `editor` is in."""

    users: dict[str, User]
    clients: dict[str, Client]
    pack: Pack
    run: Run
    other: Run
    approval: Approval
    state: str
    ids: dict[str, Any]


def make_world() -> World:
    """Create the users and the objects."""
    users = {name: User.objects.create_user(name, is_staff=name == "staff") for name in PEOPLE[:-1]}
    clients = {name: Client(HTTP_HOST="127.0.0.1") for name in PEOPLE}
    for name, user in users.items():
        clients[name].force_login(user)
        clients[name].raise_request_exception = False
    owner = users["owner"]
    pack = packs.create("stages", name=SENTINEL, owner=owner)
    run = runs.start(pack, driver="manual", options={}, owner=owner)
    other = runs.start(pack, driver="manual", options={}, owner=owner)
    approval = Approval.objects.create(
        run=run, key="k", kind="approve", state="A", question=SENTINEL,
        asks={
            "effect": "AskHuman", "key": "k", "position": "p", "state": "A", "kind": "approve",
            "question": SENTINEL, "call": None,
        },
        asked_at=timezone.now(),
    )  # fmt: skip
    trigger, _ = triggers.create(
        pack, kind="webhook", by=owner, name=SENTINEL, driver="rehearsal", options={}
    )
    connection = connections.create(
        name=SENTINEL, kind="openai", key="k", base_url="", model="m", owner=owner
    )
    server = mcp_servers.connect(SENTINEL, {"url": "http://127.0.0.1:9/"}, owner=owner)
    repository = repositories.create(owner, name=SENTINEL, url="/nowhere/here.git")
    task = repository.tasks.create(
        kind="fetch", status="done", result={}, beat_at=timezone.now(), finished_at=timezone.now()
    )
    conflict = pack.folder_conflicts.create(revision=1)
    note = {"type": "write_note", "id": view(pack).graph.states[0].id, "text": SENTINEL}
    parts = [
        {
            "edits": [0],
            "summary": SENTINEL,
            "status": "pending",
            "by": "",
            "reason": "",
            "revision": None,
        }
    ]
    proposal = pack.proposals.create(base=1, note=SENTINEL, edits=[note], parts=parts)
    template = templates.create(SENTINEL, TEMPLATE.format(name=SENTINEL), owner=owner)
    role = roles.create(
        {"name": SENTINEL, "color": "#112233", "prompt_config": blank_config()}, owner
    )
    fact = memory.create(
        scope="shared", role=None, project=SENTINEL, by=owner, fact=SENTINEL, category="c",
        confidence=0.9,
    )  # fmt: skip
    own_fact = Memory.objects.create(
        role=role, scope="core", namespace="n", fact=SENTINEL, category="c"
    )
    manifest = {"schema_version": 1, "mode_type": "custom"}
    mode = modes.create({"name": SENTINEL, "manifest": manifest}, owner)
    token, _ = tokens.make_token(owner, SENTINEL, scopes=["read"])
    artifact = pack.artifacts.create(run=run, name="draft", value=SENTINEL, n=1)
    agent = pack.agents.create(key="reviewer", description=SENTINEL, card={"name": SENTINEL})
    arrow = pack.transitions.create(key="a|b|c", source="a", target="c", label="b")
    group = Group.objects.create(name="editors")
    group.user_set.add(users["editor"])  # type: ignore[attr-defined]
    for row in (pack, trigger, connection, server, repository, template, role, fact):
        share(row, users["reader"], Level.READ)
        share(row, group, Level.EDIT)
    return World(
        users=users,
        clients=clients,
        pack=pack,
        run=run,
        other=other,
        approval=approval,
        state=view(pack).graph.states[0].id,
        ids={
            "packs": pack.pk, "runs": run.pk, "approvals": approval.pk, "triggers": trigger.pk,
            "connections": connection.pk, "mcp-servers": server.pk, "templates": template.name,
            "agent-roles": role.pk, "memories": fact.pk, "role-memory": own_fact.pk,
            "repositories": repository.pk, "modes": mode.pk,
            "tokens": token.token_key, "groups": group.pk, "hooks": "nowhere",
            "states": pack.states.earliest("pk").pk, "artifacts": artifact.pk, "agents": agent.pk,
            "transitions": arrow.pk, "tasks": task.pk, "folder-conflicts": conflict.pk,
            "proposals": proposal.pk,
        },
    )  # fmt: skip


BODIES: dict[str, Callable[[World], dict[str, Any]]] = {
    "packs_ag_ui": lambda w: {
        "threadId": "t",
        "runId": "r",
        "messages": [{"id": "m", "role": "user", "content": "Hello"}],
        "forwardedProps": {"driver": "manual"},
    },
    "runs_start": lambda w: {"pack": w.pack.pk, "driver": "manual"},
    "memories_create": lambda w: {
        "scope": "core", "role": w.ids["agent-roles"], "fact": "f", "category": "c",
    },
    "packs_propose": lambda w: {"branch": "b", "title": "t", "message": "m"},
    "packs_follow_branch": lambda w: {"branch": "b"},
    "packs_folder_conflict": lambda w: {"expected_revision": w.pack.head, "choices": {}},
    "repositories_create": lambda w: {"url": "https://127.0.0.1:9/packs.git"},
    "repositories_change": lambda w: {"poll_seconds": 60},
    "repositories_track": lambda w: {"packs": ["a.pack.json"]},
    "packs_copy": lambda w: {"states": [w.state]},
    "packs_rehearse": lambda w: {"runs": 1, "seed": 1},
    "packs_edit": lambda w: {
        "base": 1, "edits": [{"type": "rename_state", "id": w.state, "new_id": "renamed"}],
    },
    "packs_preview_edits": lambda w: {
        "base": w.pack.head,
        "edits": [{"type": "rename_state", "id": w.state, "new_id": "renamed"}],
    },
    "packs_accept_proposal": lambda w: {"parts": [0]},
    "packs_assistant": lambda w: {"request": "Add a state.", "driver": "script"},
    "packs_reject_proposal": lambda w: {"parts": [0]},
    "packs_case_keep": lambda w: {"run": str(w.run.pk), "name": "n"},
    "packs_case_rename": lambda w: {"name": "n"},
    "packs_undo": lambda w: {"base": 1},
    "packs_redo": lambda w: {"base": 1},
    "packs_name_revision": lambda w: {"name": "n"},
    "packs_change": lambda w: {"name": "renamed"},
    "runs_signal": lambda w: {"type": "pause"},
    "runs_keep": lambda w: {"kept": True},
    "runs_fork": lambda w: {"at": 1},
    "runs_trial": lambda w: {"at": 1},
    "runs_branch": lambda w: {"branch": "b", "message": "m"},
    "approvals_answer": lambda w: {"approve": True},
    "approvals_pass": lambda w: {"person": ""},
    "connections_change": lambda w: {"model": "other"},
    "triggers_change": lambda w: {"enabled": False},
    "templates_put": lambda w: {"content": TEMPLATE.format(name=SENTINEL)},
    "memories_change": lambda w: {"category": "d"},
    "agent_roles_change": lambda w: {"description": "d"},
    "sharing_change": lambda w: {"shares": []},
    "agent_roles_create": lambda w: {
        "name": "fresh", "color": "#112233", "prompt_config": blank_config(),
    },
    "agent_roles_preview": lambda w: {
        "task_type": "ticket_task", "context": {"ticket": {"title": "x"}},
        "prompt_config": blank_config(),
    },
    "agent_roles_set_prompt": lambda w: {"prompt_config": blank_config()},
    "agent_roles_set_scopes": lambda w: {"platform_scopes": []},
    "connections_create": lambda w: {"name": "fresh", "kind": "openai", "model": "x", "key": "k"},
    "import": lambda w: {"text": '{"agent_graph": 1, "nodes": []}', "name": "a.json"},
    "import_git": lambda w: {"repository": "nowhere"},
    "mcp_servers_change": lambda w: {"settings": {"url": "http://127.0.0.1:9/"}},
    "mcp_servers_connect": lambda w: {"name": "fresh", "settings": {"url": "http://127.0.0.1:9/"}},
    "modes_create": lambda w: {
        "name": "fresh", "manifest": {"schema_version": 1, "mode_type": "custom"},
    },
    "packs_check_text": lambda w: {"path": w.pack.main, "text": "{}"},
    "packs_convert": lambda w: {"to": "promptpack"},
    "packs_create": lambda w: {"dialect": "promptpack", "name": "fresh"},
    "packs_commit": lambda w: {"message": "m"},
    "packs_commit_plan": lambda w: {},
    "packs_export_git": lambda w: {"repository": "x", "branch": "b", "message": "m"},
    "packs_export_git_plan": lambda w: {"repository": "x", "branch": "b"},
    "packs_find": lambda w: {"query": "e"},
    "packs_recorded_run": lambda w: {"files": {"run.json": "{}"}},
    "packs_tool_bind": lambda w: {"kind": "canned", "settings": {"result": "Found."}},
    "packs_tool_try": lambda w: {"tool": "none", "arguments": {}},
    "runs_bulk": lambda w: {"action": "cancel", "runs": [str(w.run.pk)]},
    "templates_create": lambda w: {"name": "fresh", "content": TEMPLATE.format(name="fresh")},
    "tokens_create": lambda w: {"name": "fresh", "scopes": ["read"]},
    "triggers_create": lambda w: {"kind": "webhook", "name": "fresh", "driver": "rehearsal"},
    "groups_create": lambda w: {"name": "g", "members": []},
    "groups_change": lambda w: {"name": "g", "members": []},
}  # fmt: skip
"""Operation → a body that its view accepts, for those that need one to reach the check."""

QUERIES: dict[str, Callable[[World], str]] = {
    "packs_changes": lambda w: "after=1",
    "packs_fields": lambda w: "element=pack",
    "packs_offers": lambda w: f"state={w.state}",
    "packs_prompt": lambda w: f"state={w.state}",
    "packs_text_ranges": lambda w: f"path={w.pack.main}",
    "runs_costs": lambda w: "by=pack",
    "schedule_preview": lambda w: "cron=0 9 * * *",
}
"""Operation → the query that it requires."""
