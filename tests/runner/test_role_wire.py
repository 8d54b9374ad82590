"""A role's texts on the wire: what its page previews, every template, and a gate's reason."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.test import Client

from roles.core.template_choice import STEP_KINDS, TRIGGERS
from roles.core.variables import VARIABLES
from roles.models import Role
from roles.system_role_files import shipped_roles
from roles.views.roles import task_of
from tests.runner.conftest import worked_off
from tests.support.checks import crossed, quick_or_slow
from tests.support.model_server import ErrorReply, ModelRequest, ModelServer, TextReply
from workflows.actions import connections, packs, runs
from workflows.actions.prompt_previews import prompt_of_state
from workflows.core.engine.effects import AskModel
from workflows.core.engine.fold import pending_effects
from workflows.core.engine.rehearsal.rehearse import simulated_inputs
from workflows.core.engine.signals import Reply, ToolCall
from workflows.core.prompts.gates import labels_for_gates
from workflows.models import Pack, Run, RunEvent, State
from workflows.selectors.sources import view

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sqlite]

PROMPT = "Read the diff, and name each fault with its line."
PACK: dict[str, Any] = {
    "$schema": "https://promptpack.org/schema/latest/promptpack.schema.json",
    "id": "wire",
    "name": "Wire",
    "version": "1.0.0",
    "template_engine": {"version": "v1", "syntax": "{{variable}}"},
    "prompts": {
        name: {
            "id": name, "name": name, "version": "1.0.0", "variables": [],
            "system_template": text,
        }
        for name, text in {"work": "Write the change.", "check": PROMPT}.items()
    },
    "workflow": {
        "version": 1,
        "entry": "work",
        "states": {
            "work": {"prompt_task": "work", "on_event": {"Ready": "check"}},
            "check": {"prompt_task": "check", "on_event": {"Pass": "done", "Fail": "work"}},
            "done": {"prompt_task": "work", "terminal": True},
        },
    },
}  # fmt: skip
MODELS = {"openai": "gpt-4o", "anthropic": "claude-opus-4-6", "google": "gemini-3.8-flash"}
KINDS = [kind for kind in STEP_KINDS if task_of(kind, "ticket")]
MARKED: dict[str, Any] = {
    "system_prompt": "MARK-system",
    "developer_prompt": "MARK-developer",
    "templates": {
        "ticket_task": "MARK-ticket {{ ticket.title }} {{ context.memory }}",
        "chat_task": "MARK-chat {{ chat.message }}",
        "gate_eval": "MARK-gate {{ gate.criteria }} | {{ gate.previous_output }}",
        "cron_task": "MARK-cron {{ global.timestamp }}",
    },
    "output_templates": {
        "agent_done": "MARK-done",
        "gate_pass": "PASS MARK-passed",
        "gate_fail": "FAIL MARK-failed",
    },
}


@pytest.fixture(autouse=True)
def loopback(settings: Any) -> None:
    settings.SIGNALBOX_PRIVATE_HOSTS = ["127.0.0.1"]


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def protocol() -> str:
    return "openai"


@pytest.fixture
def server(protocol: str) -> Iterator[ModelServer]:
    with ModelServer(otherwise=ErrorReply(status=400)) as running:
        address = {"base_url": running.url(protocol), "model": MODELS[protocol], "key": "k"}
        connections.create(name="Wire", kind=protocol, **address)
        yield running


def stored(entry: str = "work") -> Pack:
    body = {**PACK, "workflow": {**PACK["workflow"], "entry": entry}}
    files = {"wire.pack.json": json.dumps(body).encode()}
    (pack,) = packs.import_files(files, owner=None).packs
    return pack


def bind(pack: Pack, state: str, role: Role, **more: Any) -> None:
    bound = {"role": role.pk, "name": role.name, "color": "", "override": "", "mode": None, **more}
    State.objects.update_or_create(pack=pack, key=state, defaults={"kind": "state", "bound": bound})


def begun(pack: Pack, started_by: str = "ticket", **options: Any) -> Run:
    by_trigger = {"cron": "schedule", "webhook": "webhook"}
    if started_by == "chat":
        options["started_by"] = "chat"
    source = by_trigger.get(started_by, "person")
    return runs.start(pack, driver="model", options=options, source=source)


def sent(asked: ModelRequest) -> tuple[str, str]:
    """The text of the system and developer messages, and that of the others."""
    body = asked.body
    head = [*texts_of(body.get("system")), *texts_of(body.get("systemInstruction"))]
    rest: list[str] = []
    for message in body.get("messages") or body["contents"]:
        is_head = message["role"] in ("system", "developer")
        (head if is_head else rest).extend(texts_of(message.get("content", message)))
    return "\n\n".join(head), "\n\n".join(rest)


def texts_of(content: Any) -> list[str]:
    """The texts of a message's content: a text, a list of blocks, or an object with parts."""
    if isinstance(content, Mapping):
        content = content.get("parts") or [content]
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content or () if block.get("text")]


def sections(values: Mapping[str, str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for name, value in values.items():
        section, _, rest = name.partition(".")
        found.setdefault(section, {})[rest] = value
    return found


def inputs_of(number: int) -> dict[str, str]:
    """A value for every variable that a run takes from its inputs."""
    own = ("role_local.", "step.prompt", "gate.")
    names = [name for name in VARIABLES if not name.startswith(own)]
    return {name: f"{name} of {number}" for name in names}


@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize("parts", quick_or_slow(4 * len(MODELS), 1))
async def test_the_preview_is_what_is_sent(
    server: ModelServer, ada: User, protocol: str, parts: int
) -> None:
    """Byte for byte, for each shipped role, kind of step and trigger: over each protocol, or each
    part of them over one."""
    combinations = list(product(shipped_roles(), KINDS, TRIGGERS))
    size = math.ceil(len(combinations) / parts)
    first = list(MODELS).index(protocol) % parts * size
    chosen = combinations[first : first + size]
    previews = await sync_to_async(start_all)(ada, chosen)
    await worked_off()
    assert len(server.asked) == len(previews) == len(chosen)
    for asked in server.asked:
        assert sent(asked) == previews[asked.model], asked.model


def start_all(ada: User, chosen: list[Any]) -> dict[str, tuple[str, str]]:
    """A run for each combination; the preview of its role by the name of its model."""
    client, previews = Client(HTTP_HOST="127.0.0.1"), dict[str, tuple[str, str]]()
    client.force_login(ada)
    pack = stored(entry="check")
    for number, (shipped, kind, trigger) in enumerate(chosen):
        role, _ = Role.objects.get_or_create(
            owner=ada, name=shipped.name,
            defaults={"description": shipped.description, "prompt_config": shipped.prompt_config},
        )  # fmt: skip
        gate = {"gate": {"pass": "Pass", "fail": "Fail"}} if kind == "gate" else {"kind": kind}
        bind(pack, "check", role, **gate)
        model, inputs = f"m{number}", inputs_of(number)
        begun(pack, trigger, inputs=inputs, model=model)
        prompt = {"gate.criteria" if kind == "gate" else "step.prompt": PROMPT}
        context = sections({**inputs, **prompt})
        body = {"task_type": task_of(kind, trigger), "context": context}
        answer = client.post(
            f"/api/v1/agent-roles/{role.pk}/preview", body, "application/json"
        ).json()
        previews[model] = (answer["system_and_developer"], answer["user"])
    return previews


async def asked_of(server: ModelServer, kind: str, trigger: str, **options: Any) -> str:
    def start() -> None:
        role = Role.objects.create(name="Marked", prompt_config=MARKED)
        pack = stored(entry="check")
        gate = {"gate": {"pass": "Pass", "fail": "Fail"}} if kind == "gate" else {"kind": kind}
        bind(pack, "check", role, **gate)
        begun(pack, trigger, **options)

    await sync_to_async(start)()
    await worked_off()
    return "\n".join(sent(server.asked[-1]))


@pytest.mark.parametrize(
    ("kind", "trigger", "marks"),
    [
        ("agent", "ticket", ["MARK-ticket The title", "MARK-done"]),
        ("agent", "webhook", ["MARK-ticket The title", "MARK-done"]),
        ("agent", "cron", ["MARK-cron 20", "MARK-done"]),
        ("agent", "chat", ["MARK-chat Hello there", "MARK-done"]),
        ("chat", "ticket", ["MARK-chat Hello there", "MARK-done"]),
        ("council", "ticket", ["MARK-chat Hello there", "MARK-done"]),
        ("cron", "ticket", ["MARK-cron 20", "MARK-done"]),
        ("gate", "cron", [f"MARK-gate {PROMPT} |", "MARK-passed", "MARK-failed"]),
    ],
)
async def test_every_template_arrives(
    server: ModelServer, kind: str, trigger: str, marks: list[str]
) -> None:
    inputs = {"title": "The title", "message": "Hello there"}
    text = await asked_of(server, kind, trigger, inputs=inputs)
    for mark in ("MARK-system", "MARK-developer", *marks, PROMPT):
        assert text.count(mark) == 1, (mark, text)
    assert text.count("MARK") == 2 + len(marks)


REASON = "the second test is missing"
VERDICTS: dict[str, TextReply] = {
    "tool": TextReply(tool_calls=(("gate_verdict", {"verdict": "fail", "reasoning": REASON}),)),
    "json": TextReply(text=json.dumps({"verdict": "fail", "reasoning": REASON})),
    "json in a text": TextReply(text=f'{REASON}, so {{"verdict": "FAIL"}}'),
    "marker": TextReply(text=f"FAIL {REASON}"),
}
READY = TextReply(tool_calls=(("workflow__transition", {"event": "Ready", "context": "Draft 1"}),))


def working(*, with_role: bool, **config: Any) -> None:
    pack = stored()
    role = Role.objects.create(name="Keeper", prompt_config={**MARKED, **config})
    bind(pack, "check", role, gate={"pass": "Pass", "fail": "Fail"})
    if with_role:
        bind(pack, "work", Role.objects.create(name="Worker", prompt_config={**MARKED, **config}))
    begun(pack, inputs={"title": "T"})


@pytest.mark.parametrize(("verdict", "with_role"), crossed(VERDICTS, [True, False]))
async def test_the_reason_of_a_failed_gate_is_in_the_next_task(
    server: ModelServer, verdict: str, with_role: bool
) -> None:
    server.will(READY, VERDICTS[verdict], TextReply(text="Let me see."), READY)
    await sync_to_async(working)(with_role=with_role)
    await worked_off()
    first, gate, again, *_ = map(sent, server.asked)
    assert REASON not in first[1]
    assert "Draft 1" in gate[1]
    assert "## Sent back by a gate\n\n" in again[1]
    assert REASON in again[1]
    logged = await sync_to_async(prompts)()
    assert [REASON in text for text in logged] == [False, False, True]


def prompts() -> list[str]:
    rows = RunEvent.objects.filter(type="prompt.logged").order_by("n")
    return [fields["text"] for fields in rows.values_list("fields", flat=True)]


async def test_a_gate_that_gives_no_verdict_sends_its_text_back(server: ModelServer) -> None:
    server.will(READY, TextReply(text="Hm."), TextReply(text="Still unclear: no tests."))
    await sync_to_async(working)(with_role=True)
    await worked_off()
    assert "Still unclear: no tests." in sent(server.asked[-1])[1]


async def test_a_template_may_place_the_reason_and_the_prompt_itself(server: ModelServer) -> None:
    task = "Of {{ ticket.source }}: {{ gate.feedback }}. Here: {{ step.prompt }}"
    templates = {**MARKED["templates"], "ticket_task": task}
    server.will(READY, VERDICTS["tool"])
    await sync_to_async(working)(with_role=True, templates=templates)
    await worked_off()
    first, _, again = (sent(asked)[1] for asked in server.asked)
    assert first.startswith("Of user: . Here: Write the change.\n\n## Output format")
    assert again.startswith(f"Of Keeper: {REASON}. Here: Write the change.")
    assert again.count(REASON) == 1


async def test_a_passed_gate_sends_nothing_on(server: ModelServer) -> None:
    passed = TextReply(tool_calls=(("gate_verdict", {"verdict": "pass", "reasoning": REASON}),))
    server.will(READY, passed)
    await sync_to_async(working)(with_role=False)
    await worked_off()
    assert len(server.asked) == 3
    assert REASON not in sent(server.asked[2])[1]


def test_a_judge_of_an_answer_gets_no_role() -> None:
    judge = {
        "id": "tone", "type": "llm_judge", "trigger": "every_turn",
        "params": {"judge_prompt": "Rate the tone.", "model": "gpt-4o"},
    }  # fmt: skip
    files = {"wire.pack.json": json.dumps({**PACK, "evals": [judge]}).encode()}
    (pack,) = packs.import_files(files, owner=None).packs
    bind(pack, "work", Role.objects.create(name="Marked", prompt_config=MARKED))
    run = runs.start(pack, driver="manual", options={"inputs": {"promptpack.judges": "yes"}})
    asked = asked_first(run)
    assert "MARK-system" in asked.system
    calls = (ToolCall(name="workflow__transition", arguments={"event": "Ready"}, id="1"),)
    runs.deliver(run.pk, Reply(at=2.0, key=asked.key, text="A draft.", tool_calls=calls))
    judged = asked_first(run)
    assert (judged.state, judged.judge) == ("work", True)
    assert "MARK" not in judged.system + judged.messages[0].text


SAMPLES = [
    "promptpack/review-loop",
    "steps_registry/triage-bot",
    "stages/feature-delivery",
    "agent_graph/feature-team",
]
WITH_VERDICTS = "steps_registry/triage-bot"
"""The first state of this sample can be a gate."""


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for name in SAMPLES for kind in KINDS if kind != "gate" or name == WITH_VERDICTS],
)
def test_the_preview_of_a_state_is_what_its_run_sends(ada: User, name: str, kind: str) -> None:
    """In every dialect and kind of step. Only the run's id and the time are another's."""
    role = Role.objects.create(owner=ada, name="Marked", prompt_config=MARKED)
    pack = packs.create_from_sample(name, owner=ada)
    program = view(pack).program
    inputs = simulated_inputs(program)
    first = asked_first(runs.start(pack, driver="manual", options={"inputs": inputs}))
    labels = labels_for_gates(first)
    gate = {"gate": {"pass": labels[0], "fail": labels[1]}} if kind == "gate" else {"kind": kind}
    bind(pack, first.state, role, **gate)
    for origin in ("ticket", "chat"):
        options = {"inputs": inputs, "started_by": origin}
        run = runs.start(pack, driver="manual", options=options)
        asked = asked_first(run)
        texts = [asked.system, asked.developer, *(turn.text for turn in asked.messages)]
        shown = prompt_of_state(pack, first.state, started_by=origin)["prompt"]["text"]
        assert "MARK-system" in shown
        assert timeless("\n\n".join(texts).replace(str(run.pk), "-")) == timeless(shown)


def asked_first(run: Run) -> AskModel:
    (effect, *_) = pending_effects(runs.work_of(run.pk).run)
    assert isinstance(effect, AskModel)
    return effect


def timeless(text: str) -> str:
    """The text without the time of a scheduled task and without a stage's id of the run."""
    return re.sub(r"(?<=MARK-cron )\S+|`run-[0-9a-f]{16}`", "-", text).replace("`-`", "-")
