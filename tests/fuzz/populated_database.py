"""A database with rows in every table, so that generated requests reach real objects."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import quote

from django.contrib.auth.models import User
from django.test import Client

from tests.dialects.stages.run.scripted_run import pack as stages_pack
from tests.support.role_configs import config
from tests.support.tokens import api_token
from workflows.actions import packs, runs
from workflows.actions.run_programs import program_of
from workflows.actions.samples import load_samples
from workflows.core.engine.rehearsal.rehearse import simulated_inputs
from workflows.core.engine.signals import Reply, ToolCall
from workflows.models import Pack, Run
from workflows.runner.worker import worker as running_worker

API = "/api/v1"
CLIENT = Client(HTTP_HOST="localhost", raise_request_exception=False)
TEMPLATE = '[template]\nname = "careful"\n\n# Careful\n\nYou are careful.\n'
MANIFEST = {
    "schema_version": 1,
    "mode_type": "review",
    "prompt": {"system_addon": "Be brief.", "guidelines": ["One thing at a time."]},
    "tools": {"allow": ["read"], "deny": ["write"]},
    "session": {"max_turns": 3, "exit_commands": ["/done"]},
}


class ApiUser:
    """A user with a bearer token; an anonymous one without a name."""

    def __init__(self, name: str = "", **who: Any) -> None:
        self.name = name or "nobody"
        self.headers: dict[str, str] = {}
        self.user: User | None = None
        if name:
            self.user = User.objects.create_user(name, **who)
            self.headers = {"Authorization": f"Bearer {api_token(self.user, 'made-up requests')}"}

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request and return the response."""
        data = b"" if body is None else json.dumps(body).encode()
        return CLIENT.generic(method, path, data, "application/json", headers=self.headers)

    def make(self, path: str, body: Any, method: str = "POST") -> Any:
        """Send a request that has to succeed, and return the body of the response."""
        answer = self.ask(method, f"{API}/{path}", body)
        assert answer.status_code in (200, 201), (path, answer.content)
        return answer.json()


def settle(ada: ApiUser) -> None:
    """Every shipped sample with a finished run, and at least one row of every other table."""
    stored = load_samples()
    for pack in stored:
        inputs = simulated_inputs(program_of(Run(pack=pack, revision=1, profile=pack.profile)))
        runs.start(pack, driver="rehearsal", options={"seed": 1, "inputs": inputs}, owner=ada.user)
    asyncio.run(_work())
    _ask_for_approval(ada)
    _live(ada, stored[0])


async def _work() -> None:
    async with running_worker() as worker:
        async with asyncio.timeout(60):
            await worker.run_until_idle()


def _ask_for_approval(ada: ApiUser) -> None:
    """A run whose model calls an unbound tool."""
    tree = {str(path): data for path, data in stages_pack({"a": {}}).items()}
    pack = packs.import_files(tree, owner=ada.user).packs[0]
    run = runs.start(pack, driver="manual", options={}, owner=ada.user)
    (key,) = runs.work_of(run.pk).run.pending
    call = ToolCall(name="bash", arguments={"command": "true"}, id="c1")
    runs.deliver(run.pk, Reply(at=2e9, key=key, tool_calls=(call,)))
    runs.start(pack, driver="manual", options={"paused": True}, owner=ada.user)


def _live(ada: ApiUser, pack: Pack) -> None:
    """Rows that people create besides packs and runs."""
    nowhere = {"base_url": "http://127.0.0.1:9/v1", "key": "secret"}
    ada.make("connections/", {"name": "Mine", "kind": "compatible", **nowhere})
    hook = {"kind": "webhook", "name": "Issues", "driver": "manual"}
    ada.make(f"packs/{pack.pk}/triggers/", hook)
    ada.make(f"packs/{pack.pk}/triggers/", {**hook, "kind": "schedule", "cron": "0 3 * * *"})
    role = ada.make(
        "agent-roles/", {"name": "Mine", "prompt_config": config("valid/02-developer.json")}
    )
    place = {"scope": "core", "role": role["id"], "category": "style"}
    ada.make("memories/", {**place, "fact": "Tabs are eight wide."})
    ada.make("modes/", {"name": "Calm", "manifest": {"mode_type": "custom"}})
    ada.make("templates/", {"name": "careful", "content": TEMPLATE})
    graph = ada.make(f"packs/{pack.pk}/graph/", None, "GET")
    gone = {"type": "disconnect", "transition": graph["transitions"][0]["id"]}
    ada.make(f"packs/{pack.pk}/edits/", {"base": graph["revision"], "edits": [gone]})


def usual(ada: ApiUser) -> dict[str, tuple[str, Any]]:
    """Operation → address and body of a valid request, for operations that generated requests
    rarely hit."""
    packs = ada.make("packs/?limit=1000", None, "GET")["results"]
    pack = next(row for row in packs if row["dialect"] == "promptpack" and row["transitions"])
    at = f"packs/{pack['id']}"
    graph = ada.make(f"{at}/graph/", None, "GET")
    state, arrow = graph["states"][0]["id"], graph["transitions"][0]["id"]
    role = ada.make("agent-roles/", None, "GET")["results"][0]["id"]
    (trigger, *_) = (
        row for one in packs for row in ada.make(f"packs/{one['id']}/triggers/", None, "GET")
    )
    waiting = ada.make("approvals/", None, "GET")["results"][0]
    run = f"runs/{waiting['run']}"
    base = graph["revision"]
    edits = [
        {"type": "disconnect", "transition": arrow},
        {"type": "duplicate_state", "id": state, "new_id": "other"},
        {"type": "write_note", "id": state, "text": "Look here."},
    ]
    prompt = {"prompt_config": config("valid/02-developer.json")}
    return {
        "POST packs/": ("packs/", {"dialect": "promptpack", "name": "Another"}),
        "PATCH packs/{id}/": (f"{at}/", {"name": "Ours"}),
        "GET packs/{id}/changes/": (f"{at}/changes/?after=1", None),
        "GET packs/{id}/offers/": (f"{at}/offers/?state={quote(state)}", None),
        "GET packs/{id}/fields/": (f"{at}/fields/?element={quote(f'state:{state}')}", None),
        "POST packs/{id}/copy/": (f"{at}/copy/", {"states": [state]}),
        "POST packs/{id}/edits/": (f"{at}/edits/", {"base": base, "edits": edits}),
        "POST packs/{id}/convert/": (f"{at}/convert/", {"to": "stages"}),
        "POST packs/{id}/rehearse/": (f"{at}/rehearse/", {"runs": 2, "seed": 3}),
        "PUT packs/{id}/tools/{tool}/": (
            f"{at}/tools/search/",
            {"kind": "canned", "settings": {"result": "Found."}},
        ),
        "POST packs/{id}/triggers/": (
            f"{at}/triggers/",
            {
                "kind": "webhook",
                "name": "More",
                "driver": "rehearsal",
                "takes": {"title": "/title"},
                "options": {"seed": 1, "inputs": {"a": "b"}, "budget": {"tokens": 5}},
            },
        ),
        "PATCH triggers/{id}/": (
            f"triggers/{trigger['id']}/",
            {"enabled": False, "follows": "newest", "options": {"seed": 2}},
        ),
        "POST triggers/{id}/try/": (f"triggers/{trigger['id']}/try/", {"body": '{"title": "x"}'}),
        "POST connections/": (
            "connections/",
            {"name": "Third", "kind": "openai", "model": "x", "timeout": 5, "key": "k"},
        ),
        "POST runs/": (
            "runs/",
            {
                "pack": pack["id"],
                "driver": "script",
                "script": {"replies": [{"text": "Hello."}], "repeat_last": True},
                "inputs": {"a": "b"},
                "breakpoints": [state],
                "budget": {"total_visits": 5},
            },
        ),
        "POST runs/{id}/fork/": (f"{run}/fork/", {"at": 100, "driver": "manual", "paused": True}),
        "POST runs/{id}/signals/": (f"{run}/signals/", {"type": "cancel", "reason": "Enough."}),
        "POST approvals/{id}/": (
            f"approvals/{waiting['id']}/",
            {"approve": True, "edited": {"command": "ls"}, "reason": "Fine."},
        ),
        "POST import/": ("import/", {"text": '{"agent_graph": 1, "nodes": []}', "name": "a.json"}),
        "PATCH agent-roles/{id}/": (f"agent-roles/{role}/", {"name": "Ours", **prompt}),
        "PATCH agent-roles/{id}/prompt/": (f"agent-roles/{role}/prompt/", prompt),
        "PATCH agent-roles/{id}/platform-scopes/": (
            f"agent-roles/{role}/platform-scopes/",
            {"platform_scopes": []},
        ),
        "POST agent-roles/{id}/preview/": (
            f"agent-roles/{role}/preview/",
            {"task_type": "ticket_task", "context": {"ticket": {"title": "x"}}, **prompt},
        ),
        "POST modes/": ("modes/", {"name": "Other", "manifest": MANIFEST}),
    }
