"""A state whose role is a gate: its verdict takes an arrow, and nothing unclear ever passes."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest

from roles.models import Role
from tests.support.tiny_dialect import tiny_pack
from workflows.actions import runs
from workflows.actions.packs import create_from_sample, import_files
from workflows.bindings.run_context import program_from_log
from workflows.core.dialects import dialects
from workflows.core.engine.events import Event
from workflows.core.engine.program import Program
from workflows.core.engine.replay.verify import verify
from workflows.core.engine.signals import Fire, Reply, ToolCall
from workflows.models import Pack, Run, RunEvent, State
from workflows.selectors import runs as read

pytestmark = pytest.mark.django_db(transaction=True)

STATE, PASS, FAIL = "initial.task", "next", "repeat"
WORDY = {"start": {"model": {"good": "done", "bad": "done"}}, "done": {"end": "completed"}}
"""Its answers must have a reason."""
CONFIG: dict[str, Any] = {
    "system_prompt": "You keep the gate.",
    "templates": {"ticket_task": "t", "chat_task": "c", "gate_eval": "g"},
    "output_templates": {
        "agent_done": "DONE: what", "gate_pass": "APPROVED: why", "gate_fail": "REJECTED: why",
    },
}  # fmt: skip


def bound(pack: Pack, state: str, passes: str, fails: str) -> None:
    role = Role.objects.create(name="Keeper", prompt_config=CONFIG)
    kept = {
        "role": role.pk, "name": "Keeper", "color": "", "override": "", "mode": None,
        "gate": {"pass": passes, "fail": fails},
    }  # fmt: skip
    State.objects.update_or_create(pack=pack, key=state, defaults={"kind": "state", "bound": kept})


def begun(passes: str = PASS, fails: str = FAIL) -> Run:
    pack = create_from_sample("steps_registry/blank", owner=None)
    bound(pack, STATE, passes, fails)
    run = runs.start(pack, driver="manual", options={})
    run.refresh_from_db()
    return run


def taken(run: Run) -> list[str]:
    return [event["label"] for event in events(run, "transition.taken")]


def events(run: Run, type: str) -> list[dict[str, Any]]:
    rows = RunEvent.objects.filter(run=run, type=type).order_by("n")
    return list(rows.values_list("fields", flat=True))


def pending(run: Run) -> dict[str, Any]:
    ((key, effect),) = runs.work_of(run.pk).run.pending.items()
    return {"key": key, **effect}


def reply(run: Run, **said: Any) -> None:
    runs.deliver(run.pk, Reply(at=time.time(), key=pending(run)["key"], **said))
    run.refresh_from_db()


def verdict(word: str) -> tuple[ToolCall, ...]:
    return (ToolCall(id="1", name="gate_verdict", arguments={"verdict": word, "reasoning": "r"}),)


def test_a_gate_requests_a_verdict_in_its_own_format() -> None:
    asked = pending(begun())
    assert "gate_verdict" in [tool["name"] for tool in asked["tools"]]
    assert asked["schema"] is None
    assert [one["label"] for one in asked["choices"]] == [PASS, FAIL]
    assert "You keep the gate." in asked["system"]
    task = asked["messages"][-1]["text"]
    assert "APPROVED: why" in task
    assert "REJECTED: why" in task
    assert "DONE: what" not in task


@pytest.mark.parametrize(
    ("said", "by", "label"),
    [
        ({"tool_calls": verdict("pass")}, "tool", PASS),
        ({"tool_calls": verdict("fail")}, "tool", FAIL),
        ({"text": 'So: {"verdict": "pass"}'}, "json", PASS),
        ({"structured": {"verdict": "fail"}}, "json", FAIL),
        ({"text": "APPROVED: all of it holds"}, "marker", PASS),
        ({"text": "REJECTED: no"}, "marker", FAIL),
    ],
)
def test_a_verdict_takes_the_transition(said: dict[str, Any], by: str, label: str) -> None:
    run = begun()
    reply(run, **said)
    (heard,) = events(run, "role.verdict")
    assert (heard["takes"], heard["decided_by"]) == (label, by)
    assert taken(run) == [label]


def test_an_unclear_verdict_is_requested_once_more() -> None:
    run = begun()
    reply(run, text="It looks fine, I approve.")
    again = pending(run)
    assert [turn["role"] for turn in again["messages"]] == ["user", "assistant", "user"]
    assert "gate_verdict" in again["messages"][-1]["text"]
    assert "APPROVED or REJECTED" in again["messages"][-1]["text"]
    assert (len(events(run, "prompt.logged")), taken(run)) == (1, [])
    reply(run, text="Both APPROVED and not.")
    first, second = events(run, "role.verdict")
    assert (first["verdict"], first["follow"]) == ("inconclusive", "retry")
    assert (second["verdict"], second["follow"], second["takes"]) == ("inconclusive", "fail", FAIL)
    assert taken(run) == [FAIL]


def test_a_clear_second_answer_counts() -> None:
    run = begun()
    reply(run, tool_calls=verdict("perhaps"))
    reply(run, tool_calls=verdict("pass"))
    assert taken(run) == [PASS]


def test_an_answer_in_the_programs_own_format_is_no_verdict() -> None:
    run = begun()
    reply(run, structured={"next_action": {"action": PASS}})
    reply(run, text=json.dumps({"next_action": {"action": PASS}}))
    assert taken(run) == [FAIL]


@pytest.mark.parametrize("label", ["nowhere", ""])
def test_a_label_without_a_verdict_fails_the_run(label: str) -> None:
    run = begun(passes=label)
    assert run.status == "failed"
    assert f"a verdict cannot take its transition {label!r}" in run.reason
    assert f"{PASS!r}, {FAIL!r}" in run.reason


def test_a_rehearsal_answers_with_verdicts() -> None:
    run = begun()
    for choice, word in zip(pending(run)["choices"], ("pass", "fail"), strict=True):
        (call,) = choice["reply"]["tool_calls"]
        assert (call["name"], call["arguments"]["verdict"]) == ("gate_verdict", word)


def test_a_structured_answer_with_other_fields_is_no_gate() -> None:
    pack = tiny_pack(WORDY)
    bound(pack, "start", "good", "bad")
    run = runs.start(pack, driver="manual", options={})
    run.refresh_from_db()
    assert "Choose one of: none." in run.reason


def test_a_gate_in_a_promptpack_takes_its_transition() -> None:
    pack = create_from_sample("promptpack/review-loop", owner=None)
    bound(pack, "review", "Approve", "Changes")
    run = runs.start(pack, driver="manual", options={"inputs": {"brief": "A poem."}})
    while pending(run)["state"] != "review":
        (choice, *_) = pending(run)["choices"]
        calls = tuple(
            ToolCall(id="c", name=one["name"], arguments=one["arguments"])
            for one in choice["reply"].get("tool_calls", ())
        )
        reply(run, tool_calls=calls, structured=choice["reply"].get("structured"))
    tools = [tool["name"] for tool in pending(run)["tools"]]
    assert "gate_verdict" in tools
    reply(run, text="REJECTED: too long")
    (heard,) = events(run, "role.verdict")
    assert heard["takes"] == "Changes"
    assert events(run, "transition.taken")[-1]["label"] == "Changes"


def failed_twice() -> Run:
    """A gate that fails into itself, and then into the state before it passes."""
    run = begun()
    reply(run, text="REJECTED: no tests")
    reply(run, text='{"verdict": "fail", "reasoning": "still none"}')
    reply(run, tool_calls=verdict("pass"))
    return run


def test_a_gate_that_repeats_gets_its_own_reason() -> None:
    first, second, third, *_ = events(failed_twice(), "prompt.logged")
    assert "Sent back" not in first["text"]
    assert "REJECTED: no tests" in second["text"]
    assert "still none" in third["text"]
    assert "REJECTED: no tests" not in third["blocks"]["task"]


def test_the_recorded_run_verifies() -> None:
    log = read.log(failed_twice())
    assert log[0].fields["started_by"] == "person"
    found = verify(program_of_log(log), log)
    assert found.holds, found.divergence


def test_a_log_from_before_the_templates_verifies() -> None:
    """It has no trigger, no template, and no feedback in its memory."""
    gone = ("started_by", "template", "fallback", "memory")
    log = [
        replace(
            event,
            fields={name: value for name, value in event.fields.items() if name not in gone},
        )
        for event in read.log(failed_twice())
    ]
    found = verify(program_of_log(log), log)
    assert found.holds, found.divergence


def program_of_log(log: list[Event]) -> Program:
    files = dialects()["steps_registry"].samples()["blank"]
    dialect = dialects()["steps_registry"]
    source = dialect.read(files)
    return program_from_log(dialect.program(source, dialect.profiles[0]), log[0].fields)


HELD = {
    "$schema": "https://promptpack.org/schema/latest/promptpack.schema.json",
    "id": "held",
    "name": "Held",
    "version": "1.0.0",
    "template_engine": {"version": "v1", "syntax": "{{variable}}"},
    "prompts": {
        "work": {
            "id": "work", "name": "work", "version": "1.0.0", "variables": [],
            "system_template": "Work.",
        }
    },
    "workflow": {
        "version": 1,
        "entry": "check",
        "states": {
            "check": {"prompt_task": "work", "on_event": {"Pass": "done", "Fail": "hold"}},
            "hold": {
                "prompt_task": "work", "orchestration": "external", "on_event": {"Go": "rework"},
            },
            "rework": {"prompt_task": "work", "on_event": {"Ready": "later"}},
            "later": {"prompt_task": "work", "on_event": {"End": "done"}},
            "done": {"prompt_task": "work", "terminal": True},
        },
    },
}  # fmt: skip


def test_a_state_without_a_model_passes_the_reason_on_once() -> None:
    """The reason is in every prompt of the next visit with a model, and in none after it."""
    files = {"held.pack.json": json.dumps(HELD).encode()}
    (pack,) = import_files(files, owner=None).packs
    bound(pack, "check", "Pass", "Fail")
    run = runs.start(pack, driver="manual", options={})
    reply(run, text="REJECTED: too long")
    assert pending(run)["state"] == "hold"
    runs.signal(run.pk, Fire(at=time.time(), event="Go"))
    asked = pending(run)
    assert (asked["state"], asked["system"]) == ("rework", "Work.")
    assert asked["messages"][0]["text"].startswith("## Sent back by a gate\n\n")
    assert asked["messages"][0]["text"].endswith("REJECTED: too long")
    ready = {"event": "Ready", "context": "Shorter."}
    reply(run, tool_calls=(ToolCall(id="1", name="workflow__transition", arguments=ready),))
    assert pending(run)["state"] == "later"
    assert "too long" not in str(pending(run))
