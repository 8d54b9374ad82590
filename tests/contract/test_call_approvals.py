"""Calls that a pack lets a person approve: those that it declares are those that its runs ask."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.dialects.agent_graph.packs import pack as agent_pack
from tests.dialects.promptpack.packs import pack as prompt_pack
from tests.dialects.promptpack.packs import prompt
from tests.support.checks import each_row
from workflows.core.dialects import dialects
from workflows.core.dialects.base import Dialect, Source
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.pack.files import Files
from workflows.core.tools.call_approvals import CallApproval

SAMPLES = {
    f"{dialect.name}/{name}": (dialect, dialect.read(files))
    for dialect in dialects().values()
    for name, files in dialect.samples().items()
}
TOOL = {"description": "Sends it.", "parameters": {"type": "object", "properties": {}}}
SCOPE = {"reversibility": "irreversible"}


def irreversible() -> tuple[Dialect, Source]:
    """A pack with a tool that can be undone, and two that cannot."""
    dialect = dialects()["promptpack"]
    tools = {
        "look": {"name": "look", **TOOL},
        "send": {"name": "send", **TOOL, "action_scope": SCOPE},
        "drop": {"name": "drop", **TOOL, "extensions": {"action_scope": SCOPE}},
    }
    draft = prompt("draft", tools=list(tools))
    body = prompt_pack({"tools": tools, "prompts/draft": draft})
    return dialect, dialect.read(Files.of({"a.pack.json": json.dumps(body).encode()}))


def gated() -> tuple[Dialect, Source]:
    """A team in which one agent asks before every call."""
    body = json.loads(agent_pack().files[agent_pack().main])
    body["nodes"][1]["permissions"] = {"cliPermissionsMode": "gated"}
    return dialects()["agent_graph"], agent_pack(json.dumps(body))


PACKS = {**SAMPLES, "irreversible": irreversible(), "gated": gated()}


def asked_calls(dialect: Dialect, source: Source) -> Iterator[tuple[str, str]]:
    """The tool and the state of every call that rehearsals ask a person about."""
    program = dialect.program(source, dialect.profiles[0])
    graph = dialect.graph(source, dialect.profiles[0])
    for seed in range(1, 3):
        for event in rehearse(program, graph, runs=4, seed=seed, keep=seed % 4 + 1).log:
            call = event.fields.get("effect", {}).get("call")
            if event.type == "approval.asked" and call:
                yield call["name"], event.fields["state"]


def covers(approval: CallApproval, tool: str, state: str) -> bool:
    return approval.tool in ("", tool) and (not approval.states or state in approval.states)


@each_row(PACKS)
def test_every_call_that_a_run_asks_about_is_declared(name: str) -> None:
    dialect, source = PACKS[name]
    declared = dialect.call_approvals(source)
    for tool, state in asked_calls(dialect, source):
        assert any(covers(one, tool, state) for one in declared), (tool, state, declared)


@each_row(
    [
        ("irreversible", [("send", ()), ("drop", ())]),
        ("gated", [("", ("coder",))]),
        ("promptpack/review-loop", []),
        ("stages/blank", [("", ("start",))]),
    ]
)
def test_the_declared_approvals_of_a_pack(name: str, expected: list[Any]) -> None:
    dialect, source = PACKS[name]
    declared = dialect.call_approvals(source)
    assert [(one.tool, one.states) for one in declared] == expected
    assert all(one.reason and not one.reason.endswith(".") for one in declared)


def test_runs_of_these_packs_do_ask() -> None:
    assert list(asked_calls(*PACKS["gated"]))
    assert list(asked_calls(*PACKS["agent_graph/feature-team"]))
