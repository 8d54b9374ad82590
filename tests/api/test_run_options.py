"""The options that a pack offers at the start of a run."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client

from workflows.actions import packs, runs
from workflows.models import Pack


def prompt_pack(names: list[str], **more: Any) -> Pack:
    prompts = {
        name: {
            "id": name,
            "name": name,
            "version": "1.0.0",
            "system_template": f"You are {name}.",
        }
        for name in names
    }
    body = {
        "id": "desk",
        "name": "Desk",
        "version": "1.0.0",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "prompts": prompts,
        **more,
    }
    (pack,) = packs.import_files(
        {"desk.pack.json": json.dumps(body).encode()}, owner=None, name="Desk"
    ).packs
    return pack


def options(site: Client, pack: Pack) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in site.get(f"/api/v1/packs/{pack.pk}/options/").json()}


def test_a_pack_of_prompts_offers_them_and_a_chat(site: Client) -> None:
    pack = prompt_pack(["ask", "sort"])
    found = options(site, pack)
    assert list(found) == ["promptpack.prompt", "promptpack.chat"]
    assert found["promptpack.prompt"]["values"] == ["ask", "sort"]
    assert found["promptpack.prompt"]["required"]
    run = runs.start(pack, driver="manual", options={"inputs": {"promptpack.prompt": "sort"}})
    events = site.get(f"/api/v1/runs/{run.pk}/events/").json()["events"]
    assert [one["state"] for one in events if one["type"] == "model.asked"] == ["sort"]


def test_a_single_prompt_needs_no_choice(site: Client) -> None:
    assert list(options(site, prompt_pack(["ask"]))) == ["promptpack.chat"]


def test_checks_that_need_a_judge_offer_one(site: Client) -> None:
    check = {
        "id": "kind",
        "type": "llm_judge",
        "trigger": "every_turn",
        "params": {"criteria": "K"},
    }
    found = options(site, prompt_pack(["ask"], evals=[check]))
    assert list(found) == ["promptpack.chat", "promptpack.judges"]


def test_an_agent_graph_offers_its_goal_and_first_message(site: Client) -> None:
    team = packs.create_from_sample("agent_graph/feature-team", owner=None)
    assert list(options(site, team)) == ["goal", "message"]


def test_a_pack_that_cannot_run_offers_nothing(site: Client) -> None:
    assert options(site, prompt_pack([])) == {}
