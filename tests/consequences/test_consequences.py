"""Consequences of edits: their parts, and what they would change for runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, count
from typing import Any

import pytest

from tests.support.checks import failure_note
from workflows.consequences.changes import findings_change
from workflows.consequences.consequences import Walks, consequences
from workflows.consequences.parts import parts
from workflows.consequences.version import Version
from workflows.core.dialects import dialects, recognise
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.pack.edits import edits_from_json
from workflows.core.pack.files import Files
from workflows.core.rules.check import check

Body = list[dict[str, Any]]


def sample(name: str) -> tuple[Any, Any]:
    dialect, _, pack = name.partition("/")
    here = dialects()[dialect]
    files = here.samples()[pack]
    (location,) = (one for one in recognise(files) if one.dialect == dialect)
    return here, here.read(Files.of({path: files[path] for path in location.paths}))


def add(id: str, **more: Any) -> dict[str, Any]:
    return {"type": "add_state", "id": id, **more}


def connect(source: str, target: str, label: str) -> dict[str, Any]:
    return {"type": "connect", "source": source, "target": target, "label": label}


def put(element: str, field: str, value: Any) -> dict[str, Any]:
    return {"type": "set_field", "element": element, "field": field, "value": value}


LOOP = "promptpack/review-loop"
ROWS: list[tuple[str, Body, list[list[int]]]] = [
    (LOOP, [add("audit"), connect("draft", "audit", "Audit")], [[0, 1]]),
    (
        LOOP,
        [put("state:draft", "/description", "a"), put("state:review", "/description", "b")],
        [[0], [1]],
    ),
    (
        LOOP,
        [put("state:draft", "/description", "a"), put("state:draft", "/description", "b")],
        [[0, 1]],
    ),
    (
        LOOP,
        [
            add("one"),
            add("two"),
            connect("one", "two", "Go"),
            put("state:draft", "/description", "a"),
            put("transition:one|Go|two", "/event", "Went"),
        ],
        [[0, 1, 2, 4], [3]],
    ),
    (
        LOOP,
        [
            {"type": "disconnect", "transition": "draft|Next|review"},
            connect("draft", "done", "Next"),
        ],
        [[0, 1]],
    ),
    (
        LOOP,
        [{"type": "rename_state", "id": "draft", "new_id": "write"}, connect("write", "done", "X")],
        [[0, 1]],
    ),
]


def kept_rows() -> list[Any]:
    return [pytest.param(*row, id=str(n)) for n, row in enumerate(ROWS)]


@pytest.mark.parametrize(("name", "body", "expected"), kept_rows())
def test_edits_are_grouped_by_what_needs_what(
    name: str, body: Body, expected: list[list[int]]
) -> None:
    """Each subset of the parts is possible, and all together are the whole change."""
    dialect, source = sample(name)
    states = [state.id for state in dialect.graph(source, dialect.profiles[0]).states]
    with failure_note(f"states: {states}"):
        edits = edits_from_json(body)
        found = parts(dialect, source, edits)
        assert [list(part) for part in found] == expected
        for size in range(1, len(found) + 1):
            for chosen in combinations(found, size):
                after = source
                for n in sorted(n for part in chosen for n in part):
                    after = dialect.apply(after, edits[n])
                assert after.readable


def _after_one_run() -> Callable[[], bool]:
    calls = count()
    return lambda: next(calls) > 2


def test_a_lost_transition_and_a_diverging_run_are_named() -> None:
    dialect, source = sample(LOOP)
    profile = dialect.profiles[0]
    before = Version(dialect=dialect, source=source, profile=profile)
    program = dialect.program(source, profile)
    made = rehearse(program, before.graph, runs=5, keep=1)
    first = next(one for one in made.log if one.type == "transition.taken").fields
    gone = f"{first['source']}|{first['label']}|{first['target']}"
    (edit,) = edits_from_json([{"type": "disconnect", "transition": gone}])
    after = Version(dialect=dialect, source=dialect.apply(source, edit), profile=profile)
    stages: list[str] = []
    found = consequences(
        before,
        after,
        [edit],
        walks=Walks(runs=10),
        logs={"one": made.log},
        drawn=True,
        report=stages.append,
    )
    (run,) = found.diverging_runs or ()
    assert run.run == "one"
    assert f"Event {run.n}" in run.message
    assert "<svg" in run.svg
    assert "<svg" in found.svg
    assert found.difference is not None
    assert found.difference.transitions.removed == (gone,)
    assert found.coverage is not None
    assert len(found.coverage[1].taken) < len(found.coverage[0].taken)
    assert found.lost
    assert gone not in found.lost
    assert {one.code for one in found.findings_new} >= {"GR104"}
    assert all(one.walk or one.message for one in found.findings_new)
    assert [one["path"] for one in found.files] == [source.main]
    assert stages[0] == "findings"
    body = found.to_json()
    assert body["worst_case"]["before"] != body["worst_case"]["after"]
    same = consequences(before, before, logs={"one": made.log}, walks=Walks(runs=5))
    assert (same.diverging_runs, same.runs, same.lost, same.files) == ((), 1, (), [])
    cut = consequences(before, after, walks=Walks(runs=9, is_over=_after_one_run)).coverage
    assert cut is not None
    assert cut[0].taken
    assert "time limit" in cut[0].problem
    assert replace(found, coverage=(cut[0], found.coverage[1])).lost == ()


def test_a_bound_is_the_one_of_the_files_and_an_unreadable_pack_has_its_reason() -> None:
    for name in ("workflow_scripts/deep-question", "agent_graph/research-desk", LOOP):
        dialect, source = sample(name)
        before = Version(dialect=dialect, source=source, profile=dialect.profiles[0])
        (edit,) = edits_from_json([{"type": "write_file", "path": source.main, "text": "{ ["}])
        broken = dialect.apply(source, edit)
        after = Version(dialect=dialect, source=broken, profile=dialect.profiles[0])
        found = consequences(before, after, [edit], walks=Walks(runs=2))
        assert not found.readable
        assert found.difference is None
        assert found.worst[1] is None
        assert found.coverage is not None
        assert found.coverage[1].problem == "This pack cannot be read."
        assert any(one.level == "error" for one in found.findings_new)
        call_bound = dialect.call_bound(source, {})
        if call_bound is not None:
            assert found.worst[0] is not None
            assert found.worst[0].calls == call_bound.most


def test_another_worst_case_is_no_new_finding() -> None:
    dialect, source = sample("promptpack/customer-support")
    edit = {"type": "remove_state", "id": "with_colleague"}
    after = dialect.apply(source, *edits_from_json([edit]))
    was, now = (check(dialect, one, "documented") for one in (source, after))
    assert "GR114" in {one.code for one in was} & {one.code for one in now}
    new, fixed = findings_change(was, now)
    assert "GR114" not in {one.code for one in (*new, *fixed)}
