"""Small files whose reading, drawing and checking took seconds: the work grows with the file."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.attacks.pack_attacks import START, Tree, promptpack
from tests.support.function_calls import calls
from workflows.core.dialects import dialects
from workflows.core.dialects.agent_graph.program import definition
from workflows.core.dialects.climpt_workflow.graph import projection
from workflows.core.dialects.promptpack.graph import levels
from workflows.core.pack import cut_graph
from workflows.core.pack.files import Files
from workflows.core.rules.check import check
from workflows.isolation.jobs import WarmPack, findings

FIELD = "result.parsed.f"


def stages(condition: dict[str, Any], listed: list[Any] | None = None) -> Tree:
    """A pipeline of two stages with one case, after which there is no else if values of the field
    are listed."""
    case = {"when": condition, "then": {"nextStages": ["b"]}}
    after = {"cases": [case]} if listed else {"cases": [case], "else": {"nextStages": ["a"]}}
    schema = {"type": "object", "required": ["f"], "properties": {"f": {"enum": listed or [0]}}}
    main = {
        "format": "signalbox.stud-pipeline/1",
        "id": "p",
        "entryStage": "a",
        "stages": {
            "a": {"file": "a.md", "next": after},
            "b": {"file": "b.md", "next": {"nextStages": []}},
        },
    }
    text = "---\nid: {0}\nname: {0}\ndescription: d\ncompletionSchema: {1}\n---\nWork.\n"
    files = {f"{id}.md": text.format(id, json.dumps(schema)).encode() for id in main["stages"]}
    return {"pipeline.json": json.dumps(main).encode(), **files}


def one_of(count: int) -> Tree:
    return stages({"path": FIELD, "op": "in", "value": list(range(count))})


def alternatives(count: int) -> Tree:
    return stages({"any": [{"path": FIELD, "op": "equals", "value": n} for n in range(count)]})


def limits(count: int) -> Tree:
    return stages({"any": [{"path": FIELD, "op": "lt", "value": n} for n in range(count)]})


def every_listed_value(count: int) -> Tree:
    values = [f"v{number}" for number in range(count)]
    return stages({"path": FIELD, "op": "in", "value": values}, values)


def parallel_edges(count: int) -> Tree:
    nodes = [{"id": "a", "role": "orchestrator"}, {"id": "b", "role": "implementer"}]
    edges = [{"from": "a", "to": "b", "label": "x"}] * count
    graph = {"agent_graph": 1, "name": "t", "entry": "a", "nodes": nodes, "edges": edges}
    return {"team.agents.json": json.dumps(graph).encode()}


def shared_agent(phases: int) -> Tree:
    """Phases that share an agent, which has an outcome for each of them."""
    actionable = {"type": "actionable", "priority": 1, "agent": "a"}
    outcomes = {f"o{number}": f"p{number}" for number in range(phases)}
    workflow = {
        "version": "1.0.0",
        "phases": {f"p{number}": actionable for number in range(phases)},
        "labelMapping": {"start": "p0"},
        "agents": {"a": {"role": "validator", "outputPhases": outcomes}},
    }
    return {".agent/workflow.json": json.dumps(workflow).encode()}


def unused_agents(count: int) -> Tree:
    """Phases, and the same number of agents that no phase names."""
    (path, data), *_ = shared_agent(count).items()
    workflow = json.loads(data)
    validator = {"role": "validator", "outputPhases": {"done": "p0"}}
    workflow["agents"] = {"a": validator, **{f"b{number}": validator for number in range(count)}}
    return {path: json.dumps(workflow).encode()}


def branches_to_one(count: int) -> Tree:
    """Branch steps that all lead to the last step. None of their conditions is valid."""
    steps: list[dict[str, Any]] = [
        {"id": f"t{n}", "kind": "branch", "predicate": {}, "then": "z", "else": "z"}
        for n in range(count)
    ]
    steps.append({"id": "z", "kind": "prompt", "prompt_task": "x"})
    return promptpack(START, compositions={"c": {"version": 1, "steps": steps}})


def chained_branches(count: int) -> Tree:
    """Branch steps that each lead to the next two steps."""
    steps = [
        {"id": f"t{n}", "kind": "branch", "predicate": {}, "then": f"t{n + 1}", "else": f"t{n + 2}"}
        for n in range(count)
    ]
    return promptpack(START, compositions={"c": {"version": 1, "steps": steps}})


def joins_of_branches(count: int) -> Tree:
    """Steps that each depend on a parallel step with the same number of branches."""
    branches = [{"id": f"b{n}", "kind": "prompt", "prompt_task": "x"} for n in range(count)]
    steps: list[dict[str, Any]] = [{"id": "p", "kind": "parallel", "branches": branches}]
    steps += [
        {"id": f"d{n}", "kind": "prompt", "prompt_task": "x", "depends_on": ["p", "p"]}
        for n in range(count)
    ]
    return promptpack(START, compositions={"c": {"version": 1, "steps": steps}})


PACKS: dict[str, tuple[str, Callable[[int], Tree], int]] = {
    "a list of values": ("stages", one_of, 100),
    "alternatives": ("stages", alternatives, 40),
    "limits": ("stages", limits, 40),
    "every listed value": ("stages", every_listed_value, 100),
    "parallel edges": ("agent_graph", parallel_edges, 50),
    "unused agents": ("climpt_workflow", unused_agents, 200),
    "branches to one step": ("promptpack", branches_to_one, 40),
    "chained branches": ("promptpack", chained_branches, 40),
}
"""Name → dialect, files of a size, and a size at which the old work is already plain."""


def opened_and_checked(dialect: str, tree: Tree) -> None:
    one = dialects()[dialect]
    source = one.read(Files.of(tree))
    assert source.readable
    assert check(one, source, one.profiles[0])


@pytest.mark.parametrize("name", PACKS)
def test_the_work_grows_with_the_file(name: str) -> None:
    dialect, tree_of, size = PACKS[name]
    opened_and_checked(dialect, tree_of(1))
    once, twice, four = (
        calls(lambda size=size: opened_and_checked(dialect, tree_of(size)))
        for size in (size, 2 * size, 4 * size)
    )
    assert four - twice < 2.5 * (twice - once)


def test_a_shared_agent_has_no_more_transitions_than_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(projection, "MAX_TRANSITIONS", 100)
    monkeypatch.setattr(cut_graph, "MAX_TRANSITIONS", 100)
    one = dialects()["climpt_workflow"]
    source = one.read(Files.of(shared_agent(30)))
    graph = one.graph(source, one.profiles[0])
    assert len(graph.transitions) == 100
    assert graph.more_transitions == 30 * 30 - 100
    [finding] = cut_graph.cut_finding(graph, source.main)
    assert "30 states and 900 transitions" in finding.message
    codes = [each.code for each in check(one, source, one.profiles[0])]
    assert codes.count(cut_graph.CUT_GRAPH) == 1
    codes = [each.code for each in findings(WarmPack(dialect=one, source=source), one.profiles[0])]
    assert codes.count(cut_graph.CUT_GRAPH) == 1


def test_nodes_of_one_role_share_its_template(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [{"id": f"n{number}", "role": "r"} for number in range(30)]
    graph = {"agent_graph": 1, "name": "t", "entry": "n0", "nodes": nodes, "edges": []}
    template = b'[template]\nname = "r"\nversion = "1"\ncapabilities = []\nconstraints = []\n\nHi'
    tree = {"team.agents.json": json.dumps(graph).encode(), "docs/templates/r.md": template}
    parsed: list[str] = []
    whole = definition.resolve

    def counted(name: str, *texts: Any) -> Any:
        parsed.append(name)
        return whole(name, *texts)

    monkeypatch.setattr(definition, "resolve", counted)
    one = dialects()["agent_graph"]
    one.call_approvals(one.read(Files.of(tree)))
    assert parsed == ["r"]


def test_a_workflow_within_the_limit_keeps_every_transition() -> None:
    one = dialects()["climpt_workflow"]
    source = one.read(Files.of(shared_agent(30)))
    graph = one.graph(source, one.profiles[0])
    assert len(graph.transitions) == 900
    assert graph.more_transitions == 0
    assert cut_graph.cut_finding(graph, source.main) == ()


def test_steps_that_join_many_branches_have_no_more_transitions_than_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = dialects()["promptpack"]
    whole = one.graph(one.read(Files.of(joins_of_branches(20))), one.profiles[0])
    assert len(whole.transitions) == 20 + 20 * 20
    assert whole.more_transitions == 0
    monkeypatch.setattr(levels, "MAX_TRANSITIONS", 100)
    graph = one.graph(one.read(Files.of(joins_of_branches(20))), one.profiles[0])
    assert graph.transitions == whole.transitions[:100]
    assert graph.more_transitions == len(whole.transitions) - 100
