"""The spans of a log: one per run, visit and effect, the same for any partition of the log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.test_fold_vectors import VECTORS
from tests.support.checks import each_row
from workflows.core.engine.events import Event
from workflows.plugins.traces.spans import Span, TraceState, trace_events

RUN = "7f3c1c52-8a5e-4f0e-9a35-2d1c4d4e0a10"


def event(n: int, type: str, **fields: Any) -> Event:
    return Event(n=n, at=100.0 + n, type=type, fields=fields)


def at(state: str, position: str = "0", key: str = "") -> dict[str, Any]:
    return {"state": state, "position": position, **({"key": key} if key else {})}


LOG = (
    event(1, "run.started", driver="model"),
    event(2, "state.entered", **at("draft"), visit=1),
    event(3, "model.asked", **at("draft", key="0:1"), effect={"system": "the secret prompt"}),
    event(
        4,
        "model.replied",
        **at("draft", key="0:1"),
        text="the secret answer",
        provider="google",
        model="gemini-3",
        response_model="gemini-3-0512",
        finish_reason="stop",
        usage={"input_tokens": 7, "output_tokens": 3, "cost": 0.5},
    ),
    event(5, "state.left", **at("draft")),
    event(6, "transition.taken", source="draft", label="next", target="build", position="0"),
    event(7, "state.entered", **at("build"), visit=1),
    event(8, "tool.asked", **at("build", key="0:2"), name="look", arguments={"q": "secret"}),
    event(9, "tool.returned", **at("build", key="0:2"), result="", error="the secret failure"),
    event(10, "command.asked", **at("build", key="0:3"), command=["/usr/bin/make", "secret"]),
    event(11, "command.finished", **at("build", key="0:3"), exit=2),
    event(12, "approval.asked", **at("build", key="0:4"), kind="approve"),
    event(13, "run.finished", status="failed", reason="the secret reason"),
)


def spans(log: tuple[Event, ...] = LOG) -> list[Span]:
    return list(trace_events(TraceState(run=RUN, pack="Desk"), log)[1])


def test_a_run_is_one_tree_of_spans() -> None:
    found = {span.name: span for span in spans()}
    assert list(found) == [
        "chat gemini-3",
        "invoke_agent draft",
        "execute_tool look",
        "command make",
        "ask a person: approve",
        "state build",
        "invoke_workflow Desk",
    ]
    whole, draft, build = (
        found[name] for name in ("invoke_workflow Desk", "invoke_agent draft", "state build")
    )
    assert whole.parent is None
    assert (draft.parent, build.parent) == (whole.id, whole.id)
    assert found["chat gemini-3"].parent == draft.id
    assert found["execute_tool look"].parent == found["command make"].parent == build.id
    assert [(span.begin, span.end) for span in (whole, draft, build)] == [
        (101.0, 113.0),
        (102.0, 105.0),
        (107.0, 113.0),
    ]
    assert [note.name for note in whole.notes] == ["transition.taken"]


def test_models_and_tools_are_named_by_the_conventions() -> None:
    chat, _, tool, command, *_, whole = spans()
    assert chat.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gemini-3",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.response.model": "gemini-3-0512",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.conversation.id": RUN,
        "signalbox.cost": 0.5,
        "signalbox.run.id": RUN,
    }
    assert chat.client
    assert (tool.attributes["gen_ai.tool.name"], tool.error) == ("look", "tool")
    assert tool.attributes["gen_ai.tool.call.id"] == "0:2"
    assert whole.attributes["gen_ai.agent.name"] == "Desk"
    assert (command.attributes["process.exit.code"], command.error) == (2, "command")
    assert (whole.attributes["signalbox.status"], whole.error) == ("failed", "failed")


def test_a_visit_that_asks_a_model_is_an_agent() -> None:
    found = {span.name: span.attributes for span in spans()}
    assert found["invoke_agent draft"]["gen_ai.operation.name"] == "invoke_agent"
    assert found["invoke_agent draft"]["gen_ai.agent.name"] == "draft"
    assert "gen_ai.operation.name" not in found["state build"]


def test_a_failed_answer_ends_with_an_error() -> None:
    failed = event(4, "model.replied", **at("draft", key="0:1"), error="the secret failure")
    chat, *_ = spans((*LOG[:3], failed, *LOG[4:]))
    assert chat.attributes["gen_ai.response.finish_reasons"] == ("error",)


def test_evaluations_are_events_of_the_visit() -> None:
    log = (
        *LOG[:4],
        event(5, "check.failed", **at("draft"), kind="max_length", score=0.25, message="secret"),
        event(6, "check.passed", **at("draft"), name="polite"),
        event(7, "stages.assert", **at("draft"), verdict="retry", reason="secret"),
        event(8, "promptpack.eval", **at("draft"), id="tone", passed=True, score=1),
        event(9, "promptpack.eval", **at("draft"), id="skipped", skipped=True, reason="secret"),
        event(10, "run.finished", status="completed"),
    )
    _, visit, _ = found = spans(log)
    assert {note.name for note in visit.notes} == {"gen_ai.evaluation.result"}
    assert [tuple(note.attributes.values()) for note in visit.notes] == [
        ("max_length", "fail", 0.25),
        ("polite", "pass"),
        ("assert", "retry"),
        ("tone", "pass", 1.0),
    ]
    assert "secret" not in repr(found)


REGISTRY = Path(__file__).with_name("gen_ai_attributes.txt").read_text().splitlines()


def names_of(span: Span) -> Iterator[str]:
    for attributes in (span.attributes, *(note.attributes for note in span.notes)):
        yield from (name for name in attributes if name.startswith("gen_ai."))


def test_spans_contain_no_prompts_or_answers() -> None:
    assert "secret" not in repr(spans())


@each_row(range(len(LOG) + 1))
def test_a_trace_exported_in_two_parts_is_the_same(cut: int) -> None:
    half, first = trace_events(TraceState(run=RUN, pack="Desk"), LOG[:cut])
    _, second = trace_events(half, LOG[cut:])
    assert [*first, *second] == spans()


def test_two_runs_share_no_ids() -> None:
    other = trace_events(TraceState(run="other", pack="Desk"), LOG)[1]
    assert not {span.id for span in other} & {span.id for span in spans()}
    assert TraceState(run="other", pack="").trace != TraceState(run=RUN, pack="").trace
    assert len({span.id for span in spans()}) == len(spans())


def test_each_branch_has_its_own_visit() -> None:
    log = (
        event(1, "run.started"),
        event(2, "state.entered", **at("a", "0.1")),
        event(3, "state.entered", **at("a", "0.2")),
        event(4, "state.left", **at("a", "0.1")),
        event(5, "run.finished", status="completed"),
    )
    found = spans(log)
    assert [(span.name, span.end) for span in found] == [
        ("state a", 104.0),
        ("state a", 105.0),
        ("invoke_workflow Desk", 105.0),
    ]


@pytest.mark.parametrize("name", VECTORS)
def test_spans_of_a_recorded_log_have_names_of_the_published_registry(name: str) -> None:
    events = tuple(Event.from_json(body) for body in VECTORS[name]["events"])
    used = {name for span in spans(events) for name in names_of(span)}
    whole = events[-1].type == "run.finished"
    assert {"gen_ai.conversation.id", "gen_ai.agent.name"} <= used or not whole
    assert used <= set(REGISTRY)
