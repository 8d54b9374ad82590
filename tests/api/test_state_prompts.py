"""Prompt previews of states, without a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from roles.models import Memory, Role
from tests.support.checks import failure_note, quick_or_slow
from tests.support.role_configs import whole_text
from workflows.actions.packs import create_from_sample
from workflows.core.dialects import dialects
from workflows.core.prompts.blocks import text_hash
from workflows.core.prompts.modes import PREAMBLES
from workflows.models import Pack, RunEvent, State

CONFIG: dict[str, Any] = {
    "system_prompt": "You are {{ role_local.name }}.",
    "developer_prompt": "Mind {{ nothing.known }}.",
    "templates": {"ticket_task": "{{ nothing.known }}", "chat_task": "c", "gate_eval": "g"},
    "output_templates": {"agent_done": "DONE: what", "gate_pass": "PASS", "gate_fail": "FAIL"},
}
STATE = "initial.read"


@pytest.fixture
def triage(ada: User) -> Pack:
    return create_from_sample("steps_registry/triage-bot", owner=ada)


@pytest.fixture
def role(ada: User) -> Role:
    return Role.objects.create(owner=ada, name="Keeper", prompt_config=CONFIG, color="#123456")


@pytest.fixture
def bind(triage: Pack, role: Role, post: Any) -> Callable[..., None]:
    def bound(state: str = STATE, **more: Any) -> None:
        base = Pack.objects.get(pk=triage.pk).head
        edit = {"type": "bind_role", "id": state, "binding": {"role": role.pk, **more}}
        answer = post(f"packs/{triage.pk}/edits/", {"base": base, "edits": [edit]})
        assert answer.status_code == 200, answer.json()

    return bound


@pytest.fixture
def look(site: Client, triage: Pack) -> Callable[..., Any]:
    def looked(state: str = STATE, **query: Any) -> Any:
        answer = site.get(f"/api/v1/packs/{triage.pk}/prompt/", {"state": state, **query})
        assert answer.status_code == 200, answer.json()
        return answer.json()

    return looked


def test_a_state_without_a_role_has_its_own_prompt(look: Any) -> None:
    seen = look()
    blocks = seen["prompt"]["blocks"]
    assert blocks["system"].startswith("You look after the issues")
    assert "# Read issue rehearsed issue" in blocks["task"]
    assert (blocks["role"], blocks["mode"], blocks["override"]) == ("", "", "")
    assert seen["inputs"] == {"issue": "rehearsed issue"}
    assert not RunEvent.objects.exists()


def test_a_bound_state_has_five_blocks(look: Any, bind: Any) -> None:
    before = look()["prompt"]["hash"]
    bind(override="Be brief.")
    seen = look(mode="PLANNING")
    prompt, blocks = seen["prompt"], seen["prompt"]["blocks"]
    assert list(blocks) == ["system", "role", "mode", "task", "override"]
    assert blocks["role"].startswith("You are Keeper.\n\nMind .")
    assert blocks["mode"] == PREAMBLES["PLANNING"]
    assert "# Read issue rehearsed issue" in blocks["task"]
    assert blocks["override"] == "Be brief."
    assert prompt["hash"] == text_hash(prompt["text"]) != before
    assert [one["path"] for one in seen["warnings"]] == [
        "/developer_prompt",
        "/templates/ticket_task",
    ]
    assert (seen["template"], seen["fallback"]) == ("ticket_task", False)
    assert look()["prompt"]["blocks"]["mode"] == ""


def test_a_changed_role_shows_at_once(look: Any, bind: Any, role: Role) -> None:
    bind()
    role.prompt_config = {**CONFIG, "system_prompt": "You are somebody else."}
    role.save()
    assert look()["prompt"]["blocks"]["role"].startswith("You are somebody else.")


def test_a_failing_role_is_reported(look: Any, bind: Any, role: Role) -> None:
    bind()
    Role.objects.filter(pk=role.pk).update(
        prompt_config={**CONFIG, "system_prompt": "{% for i in range(10) %}"}
    )
    seen = look()
    assert seen["prompt"] is None
    assert "'Keeper' in 'initial.read' cannot be used" in seen["problem"]
    role.delete()
    assert "is gone" in look()["problem"]


@pytest.mark.parametrize(
    ("query", "status", "says"),
    [
        ({}, 400, "needs `state`"),
        ({"state": "nowhere"}, 404, "no state 'nowhere'"),
        ({"state": STATE, "mode": "DREAMING"}, 400, "not 'DREAMING'"),
    ],
    ids=["none", "unknown", "mode"],
)
def test_an_impossible_preview_is_refused(
    site: Client, triage: Pack, query: dict[str, str], status: int, says: str
) -> None:
    answer = site.get(f"/api/v1/packs/{triage.pk}/prompt/", query)
    assert answer.status_code == status
    assert says in answer.json()["message"]


def test_an_agent_keeps_the_fields_of_its_graph(
    site: Client, ada: User, post: Any, role: Role
) -> None:
    """Its role and its override are those of the binding; the rest is the graph's own."""
    pack = create_from_sample("agent_graph/feature-team", owner=ada)
    own = site.get(f"/api/v1/packs/{pack.pk}/prompt/", {"state": "lead"}).json()["prompt"]["blocks"]
    edit = {"type": "bind_role", "id": "lead", "binding": {"role": role.pk, "override": "Hurry."}}
    assert post(f"packs/{pack.pk}/edits/", {"base": 1, "edits": [edit]}).status_code == 200
    run = post("runs/", {"pack": pack.pk, "driver": "manual"}).json()["id"]
    logged = RunEvent.objects.filter(run=run, type="prompt.logged", fields__state="lead").get()
    blocks = logged.fields["blocks"]
    assert blocks["role"].startswith("You are Keeper.")
    assert blocks["system"] == own["system"]
    assert blocks["mode"] == own["mode"]
    assert "\nNode: Lead (lead)\n" in blocks["task"]
    assert blocks["override"].endswith("Hurry.")
    (asked,) = RunEvent.objects.filter(run=run, type="model.asked", fields__state="lead")
    effect = asked.fields["effect"]
    assert "You are Keeper." in effect["system"]
    assert effect["messages"][-1]["text"].endswith("Hurry.")
    assert whole_text(effect) == logged.fields["text"]


WITHOUT_MODELS = {"climpt_workflow"}
"""Dialects whose runs call no model."""
SAMPLES = [f"{name}/{sample}" for name, one in dialects().items() for sample in one.samples()]


@pytest.mark.parametrize("sample", sorted(SAMPLES))
@pytest.mark.parametrize("step", quick_or_slow(4, 1))
def test_states_of_every_sample_have_a_preview(
    site: Client, ada: User, sample: str, step: int
) -> None:
    """Every state, or the first one and every `step`th after it."""
    pack = create_from_sample(sample, owner=ada)
    states = State.objects.filter(pack=pack).order_by("pk").values_list("key", flat=True)
    shown = {
        state: site.get(f"/api/v1/packs/{pack.pk}/prompt/", {"state": state}).json()
        for state in states[::step]
    }
    assert all(bool(one["prompt"]) != bool(one["problem"]) for one in shown.values())
    prompts = any(one["prompt"] for one in shown.values())
    assert prompts == (sample.partition("/")[0] not in WITHOUT_MODELS)


TEMPLATES: list[tuple[str, str, str, bool]] = [
    ("agent", "ticket", "ticket_task", False),
    ("agent", "webhook", "ticket_task", False),
    ("agent", "chat", "chat_task", False),
    ("agent", "schedule", "ticket_task", True),
    ("cron", "ticket", "ticket_task", True),
    ("council", "ticket", "chat_task", False),
]


def test_the_kind_of_step_and_the_origin_of_the_run_choose_the_template(
    look: Any, bind: Any
) -> None:
    for kind, origin, template, fallback in TEMPLATES:
        with failure_note(repr((kind, origin))[:200]):
            bind(kind=kind)
            seen = look(started_by=origin)
            assert (seen["template"], seen["fallback"]) == (template, fallback)


def test_an_unknown_origin_is_refused(site: Client, triage: Pack, post: Any) -> None:
    query = {"state": STATE, "started_by": "moon"}
    answer = site.get(f"/api/v1/packs/{triage.pk}/prompt/", query)
    assert (answer.status_code, "'moon'" in answer.json()["message"]) == (400, True)
    body = {"pack": triage.pk, "driver": "manual", "started_by": "schedule"}
    assert post("runs/", body).status_code == 400


def test_the_inputs_that_a_role_names_are_listed(
    bind: Any, role: Role, site: Client, triage: Pack
) -> None:
    templates = {
        "ticket_task": "{{ ticket.title }} {{ ticket.source }} {{ nothing.known }}",
        "chat_task": "{% if message %}{{ git.branch }}{% endif %}",
        "gate_eval": "{{ ticket.slug }}",
    }
    Role.objects.filter(pk=role.pk).update(prompt_config={**CONFIG, "templates": templates})
    bind()
    path = f"/api/v1/packs/{triage.pk}/inputs/"
    assert site.get(path).json() == ["issue", "ticket.title"]
    assert site.get(path, {"started_by": "chat"}).json() == ["issue", "chat.message", "git.branch"]
    assert site.get(path, {"started_by": "moon"}).status_code == 400


def test_facts_of_the_role_s_memory_are_sent(
    bind: Any, role: Role, triage: Pack, post: Any
) -> None:
    templates = {**CONFIG["templates"], "ticket_task": "Known: {{ context.memory }}"}
    Role.objects.filter(pk=role.pk).update(prompt_config={**CONFIG, "templates": templates})
    bind()
    project = f"{triage.name} #{triage.pk}"
    Memory.objects.create(
        role=role, project=project, scope="project", namespace=f"proj:{project}:agent:{role.pk}",
        fact="Ada signs releases.", category="people", confidence=0.9,
    )  # fmt: skip
    run = post("runs/", {"pack": triage.pk, "driver": "manual", "inputs": {"issue": "1"}}).json()
    task = RunEvent.objects.get(run=run["id"], type="prompt.logged").fields["blocks"]["task"]
    assert task.startswith("Known: <memory")
    assert "Ada signs releases." in task
