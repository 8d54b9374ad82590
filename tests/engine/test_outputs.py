"""The output that a position brings into its state, as the fold computes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.support.state_machine import Machine, Table
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, output_of, pending_effects
from workflows.core.engine.result import answer_of, run_result
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import CommandDone, Reply, Signal, Start, ToolCall
from workflows.core.engine.transition import transition


def after(table: Table, *signals: Signal) -> RunState:
    """The run after these signals; each answers the oldest pending effect."""
    program, run = Machine(table=table), RunState()
    for signal in (Start(at=1.0), *signals):
        key = next((effect.key for effect in pending_effects(run)), "")
        if not isinstance(signal, Start):
            signal = type(signal)(**{**_fields(signal), "key": key})
        events, _ = transition(program, run, signal)
        run = fold_all(events, run)
    return run


def _fields(signal: Signal) -> dict[str, Any]:
    return {name: getattr(signal, name) for name in signal.__dataclass_fields__}


def said(text: str, go: str) -> Reply:
    return Reply(at=2.0, key="", text=text, structured={"go": go, "why": "w"})


def test_the_newest_output_of_the_state_before_is_brought_along() -> None:
    table: Table = {
        "start": {"model": {"again": "start", "on": "check"}},
        "check": {"model": {"back": "start"}},
    }
    run = after(table, said("one", "again"), said("two", "on"))
    assert run.previous == {"0": "two"}
    run = after(table, said("one", "on"), said("no", "back"))
    assert (run.previous, run.outputs) == ({"0": "no"}, {"start": "one", "check": "no"})


def test_the_newest_answer_is_of_the_state_that_answered_last() -> None:
    table: Table = {
        "start": {"model": {"on": "check", "end": "last"}},
        "check": {"model": {"back": "start"}},
        "last": {"model": {"back": "start"}},
    }
    run = after(table, said("one", "on"), said("no", "back"), said("two", "end"))
    assert list(run.outputs) == ["check", "start"]
    assert answer_of(run) == "two"


def test_a_state_without_a_model_passes_the_output_on() -> None:
    table: Table = {
        "start": {"model": {"on": "build"}},
        "build": {"command": ("check", "check")},
        "check": {"model": {"back": "start"}},
    }
    run = after(table, said("the draft", "on"), CommandDone(at=3.0, key=""))
    assert run.positions[0].state == "check"
    assert run.previous["0"] == "the draft"


def test_a_reply_that_calls_a_tool_is_no_answer_yet() -> None:
    table: Table = {
        "start": {"model": {"again": "start", "on": "end"}},
        "end": {"end": "completed"},
    }
    calls = (ToolCall(name="read_file", arguments={"path": "hello.py"}),)
    looks = Reply(at=2.0, key="", text="Let me look.", structured={"go": "again"}, tool_calls=calls)
    run = after(table, looks)
    assert (run.outputs["start"], answer_of(run)) == ('Let me look.\n\n{"path": "hello.py"}', "")
    run = after(table, looks, said("It is fine.", "again"))
    assert answer_of(run) == "It is fine."
    assert answer_of(after(table, said("It is fine.", "again"), looks)) == ""
    ended = after(table, replace(looks, structured={"go": "on"}))
    assert answer_of(ended) == 'Let me look.\n\n{"path": "hello.py"}'


def test_the_value_of_a_reply_that_calls_a_tool_is_no_answer_yet() -> None:
    fields = {"state": "a", "key": "0:1", "structured": {"x": 1}, "tool_calls": [{"name": "t"}]}
    replied = Event(n=2, at=2.0, type="model.replied", fields=fields)
    log = [Event(n=1, at=1.0, type="run.started", fields={}), replied]
    assert run_result(fold_all(log), log)["structured"] is None
    done = Event(n=3, at=3.0, type="run.finished", fields={"status": "completed"})
    assert run_result(fold_all([*log, done]), [*log, done])["structured"] == {"x": 1}


def test_branches_bring_the_output_of_the_state_that_forked() -> None:
    table: Table = {
        "start": {"model": {"on": "split"}},
        "split": {"fork": (("left", "right"), "end")},
        "left": {"model": {"done": "out"}},
        "right": {"model": {"done": "out"}},
        "out": {"join": None},
        "end": {"end": "completed"},
    }
    run = after(table, said("plan", "on"))
    assert run.previous == {"0": "plan", "0.1": "plan", "0.2": "plan"}


def test_an_output_is_text_or_value_with_the_arguments_of_calls() -> None:
    call = {"name": "go", "arguments": {"event": "Ready"}, "id": "1"}
    assert output_of({"text": " Done. ", "tool_calls": [call]}) == 'Done.\n\n{"event": "Ready"}'
    assert output_of({"structured": {"ok": True}}) == '{"ok": true}'
    assert output_of({"text": '{"ok": true}', "structured": {"ok": True}}) == '{"ok": true}'
    assert output_of({"text": "late", "error": "It failed."}) == ""


def test_a_failed_call_is_no_output() -> None:
    table: Table = {"start": {"model": {"on": "end"}}, "end": {"end": "completed"}}
    assert after(table, Reply(at=2.0, key="", error="gone")).outputs == {}
    calls = (ToolCall(name="x", arguments={"a": 1}),)
    assert after(table, Reply(at=2.0, key="", tool_calls=calls)).outputs == {"start": '{"a": 1}'}
