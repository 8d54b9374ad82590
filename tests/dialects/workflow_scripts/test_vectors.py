"""The vectors of the corpus: meta, call sites, worst case, findings, runs, graphs, odd files."""

from __future__ import annotations

from collections import Counter
from typing import Any

from scripts.script_walks import expanded
from tests.dialects.workflow_scripts.scripts import (
    FOLDER,
    check_findings,
    graphs,
    odd,
    source,
    value_of,
    vectors,
)
from tests.support.checks import each_row
from workflows.core.dialects import recognise
from workflows.core.dialects.workflow_scripts import DIALECT
from workflows.core.dialects.workflow_scripts.program.replay import Replay, instrumented
from workflows.core.pack.files import Files

OPTIONS = ("label", "phase", "model", "effort", "agent_type", "isolation")


@each_row(list(vectors()))
def test_meta_and_call_sites(name: str) -> None:
    expected, script = vectors()[name], source(FOLDER / "own" / name)
    assert script.meta.value == expected["meta"]
    assert [
        {
            "id": site.id,
            "line": site.line,
            "schema": site.has_schema,
            "options": list(site.options),
            **{key: getattr(site, key) for key in OPTIONS},
        }
        for site in script.sites
    ] == [
        {key: site.get(key) for key in ("id", "line", "schema", "options", *OPTIONS)}
        for site in expected["sites"]
    ]


UNEQUAL = {"14-docs-sync.js", "20-dependency-upgrade.mjs"}
"""Scripts whose bounds are larger than in the vectors: in the first one, the fallback has one page
even if the workflow has none; in the second, batches are rounded up, as `acceptable` allows."""


@each_row(list(vectors()))
def test_the_worst_case_is_the_formula_of_the_vector(name: str) -> None:
    expected, cost = vectors()[name]["worst_case"], source(FOLDER / "own" / name).plan.cost
    for sample in expected.get("samples", ()):
        assumed = {expected["where"][key]: sample[key] for key in sample if key != "total"}
        assert cost.total.value(assumed) == sample["total"]
    for numbers in ((0, 0), (1, 1), (7, 3), (100, 50)):
        names = dict(zip(expected["where"], numbers, strict=False))
        assumed = {expected["where"][key]: value for key, value in names.items()}
        pairs = [(cost.total, expected["formula"])]
        pairs += [(cost.phases[key], one) for key, one in expected["per_phase"].items()]
        pairs += [(cost.models[key], one) for key, one in expected["per_model"].items()]
        for mine, theirs in pairs:
            value, least = mine.value(assumed), value_of(theirs, names)
            assert value is not None
            assert value >= least
            assert value == least or name in UNEQUAL, (str(mine), theirs)


@each_row(list(vectors()))
def test_findings(name: str) -> None:
    expected = vectors()[name]["findings"]
    script = source(FOLDER / "own" / name)
    check_findings(script, expected, "claude-code")
    for profile, more in (expected.get("profiles") or {}).items():
        check_findings(script, more, profile)


@each_row([(name, run) for name, one in vectors().items() for run in one["runs"]])
def test_a_run_makes_the_calls_of_the_vector(name: str, run: dict[str, Any]) -> None:
    script = source(FOLDER / "own" / name)
    replay = Replay(
        instrumented(script),
        expanded(run.get("args"), 0),
        has_args="args" in run,
        budget=run.get("budget"),
        tokens=run.get("tokens_per_call", 0),
        lenient=run.get("lenient", False),
    )
    answered: Counter[str] = Counter()
    while (call := replay.status.call) is not None:
        children = run.get("children", {})
        if call["kind"] == "workflow" and call["prompt"] not in children:
            replay.answer(throws="There is no such workflow.")
            continue
        if call["kind"] == "workflow":
            replay.answer(expanded(children[call["prompt"]], 0))
            continue
        site = script.sites[call["site"]].id
        default: Any = {} if call["schema"] is not None else "A text."
        answer, number = run.get("answers", {}).get(site, default), answered[site]
        answered[site] += 1
        if isinstance(answer, dict) and "$seq" in answer:
            answer = answer["$seq"][min(number, len(answer["$seq"]) - 1)]
        if isinstance(answer, dict) and "$throw" in answer:
            replay.answer(throws=answer["$throw"])
        else:
            replay.answer(expanded(answer, number))
    status = replay.status
    started = {script.sites[at].id: count for at, count in replay.started().items() if at >= 0}
    assert started == run["by_site"]
    assert sum(started.values()) == run["total"]
    assert bool(status.failure) == run.get("error", False)
    bounds = script.plan.cost.total
    assert bounds.ceiling is None or bounds.ceiling >= run["total"]


@each_row(list(odd()))
def test_an_odd_file_is_recognised_for_what_it_is(name: str) -> None:
    expected, data = odd()[name], (FOLDER / "odd" / name).read_bytes()
    for folder, key in ((".claude/workflows", "in_folder"), ("src/pages", "elsewhere")):
        files = Files.of({f"{folder}/{name}": data})
        found = [one for one in recognise(files) if one.dialect == "workflow_scripts"]
        assert bool(found) == (expected[key] != "no"), folder
    if "must" not in expected:
        return
    script = DIALECT.read(Files.of({name: data}))
    check_findings(script, expected, "claude-code")
    if "states" in expected:
        drawn = DIALECT.graph(script, "claude-code")
        assert [state.id for state in drawn.states] == expected["states"]


@each_row(list(graphs()))
def test_a_worked_graph(name: str) -> None:
    expected = graphs()[name]
    script = source(FOLDER / "graphs" / expected["file"])
    drawn = DIALECT.graph(script, "claude-code")
    assert [entry.state for entry in drawn.entries] == expected["entries"]
    assert {state.id for state in drawn.states} == {one["id"] for one in expected["states"]}
    states = {state.id: state for state in drawn.states}
    for one in expected["states"]:
        mine = {key: getattr(states[one["id"]], key) for key in one}
        assert mine == {**one, **({"answers": tuple(one["answers"])} if "answers" in one else {})}
    assert {(one.source, one.label, one.target, one.kind) for one in drawn.transitions} == {
        (one["source"], one["label"], one["target"], one["kind"]) for one in expected["transitions"]
    }
    assert {(one.id, one.name, one.kind, one.parent) for one in drawn.groups} == {
        (one["id"], one["name"], one["kind"], one["parent"]) for one in expected["groups"]
    }
    assert str(script.plan.cost.total) == expected["worst_case"]
