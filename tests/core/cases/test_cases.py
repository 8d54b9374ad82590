"""Cases: kept from runs of every dialect, and read from scenarios of PromptArena."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workflows.consequences.consequences import consequences
from workflows.consequences.recordings import NO_ANSWERS, case_verdict
from workflows.consequences.version import Version
from workflows.core.cases.case_file import (
    BadCase,
    new_case,
    read_case,
    renamed,
    with_answers,
    with_expectations,
)
from workflows.core.dialects import dialects, recognise
from workflows.core.dialects.base import Source
from workflows.core.engine.events import Event
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.pack.files import Files
from workflows.core.text.yaml.document import YamlText

FAILING = {
    "promptpack/code-review": ('"max_total_visits": 12', '"max_total_visits": 1'),
    "stages/review-loop": ('"maxVisits": 3', '"maxVisits": 1'),
    "agent_graph/feature-team": ('"turns": 40', '"turns": 1'),
    "climpt_workflow/issue-flow": ('"maxCycles": 9', '"maxCycles": 1'),
    "steps_registry/review-loop": ('"maxIterations": 7', '"maxIterations": 1'),
    "workflow_scripts/branch-lenses": ("phase('Refute')", "throw new Error('No refuters.')"),
}
"""Sample → a text of its files, and the text with which its runs fail."""
SCENARIO = b"""\
# Written by hand.
apiVersion: promptkit.altairalabs.ai/v1alpha1
kind: Scenario
metadata: {name: 'review twice',   labels: {area: "review"}}
spec:
  id: review-twice
  task_type: implement
  description: >
    The review asks for changes once.
  turns:
  - role: user
    content: "Fix the \\u00fcber bug."   # as the user wrote it
    assertions:
    - {type: content_includes, params: {patterns: [bug]}}
    - type: transitioned_to
      params:
        state: review
  conversation_assertions:
    - type: workflow_complete
  unknown_to_us: [1.50, ~, 0x1F]
"""
MARK = "a.cases/case.scenario.yaml"


def versions(sample: str) -> tuple[Version, Version]:
    """The sample as its runs fail, and as it is."""
    name, _, key = sample.partition("/")
    dialect = dialects()[name]
    old, new = FAILING[sample]
    mended = dialect.samples()[key]
    broken = {path: data.replace(old.encode(), new.encode()) for path, data in mended.items()}
    assert broken != dict(mended)

    def version(source: Source) -> Version:
        return Version(dialect=dialect, source=source, profile=dialect.profiles[0])

    return version(dialect.read(Files.of(broken))), version(dialect.read(mended))


def with_case(version: Version, data: bytes) -> Version:
    files = version.source.files.changed({MARK: data})
    return Version(
        dialect=version.dialect, source=version.dialect.read(files), profile=version.profile
    )


def played(version: Version) -> tuple[Event, ...]:
    return rehearse(version.walked_program(), version.graph, runs=1, keep=1).log


@pytest.mark.parametrize("sample", FAILING)
def test_a_case_of_a_failed_run_fails_until_the_pack_is_mended(sample: str) -> None:
    """The case changes neither the graph nor the findings."""
    broken, mended = versions(sample)
    log = played(broken)
    assert log[-1].fields["status"] in ("failed", "budget_exhausted")
    data = new_case("No end", log)
    before, after = with_case(broken, data), with_case(mended, data)
    assert (before.graph, before.findings) == (broken.graph, broken.findings)
    (change,) = consequences(before, after).cases
    assert (change.case, change.name, change.before, change.after) == (MARK, "No end", False, True)
    (back,) = consequences(after, before).breaking
    assert back.message.startswith(f"Event {log[-1].n} (run.finished): The run was to end as comp")
    case = read_case(data)
    assert case.description.startswith("A run that ended as")
    completed = new_case("To the end", played(mended))
    verdict = case_verdict(mended.program, MARK, completed)
    assert (verdict.holds, verdict.message) == (True, "")
    wrong = with_expectations(completed, {"artifacts": {"invented": 1}})
    assert "artifact invented was not set" in case_verdict(mended.program, MARK, wrong).message


def test_a_scenario_is_written_without_other_changes() -> None:
    """Its name and its answers are the only changes; its assertions stay the expectations."""
    _, pack = versions("promptpack/code-review")
    case = read_case(SCENARIO)
    assert (case.name, case.script) == ("review twice", None)
    assert case.description == "The review asks for changes once."
    assert case.unchecked == ("content_includes",)
    assert case_verdict(pack.program, MARK, SCENARIO).message == NO_ANSWERS
    called = renamed(SCENARIO, "Review again")
    assert called == SCENARIO.replace(b"'review twice'", b"'Review again'")
    log = played(pack)
    filled = with_answers(SCENARIO, log)
    head, _, rest = SCENARIO.partition(b"  unknown_to_us")
    assert filled.startswith(head)
    assert b"  unknown_to_us" + rest in filled
    script = read_case(filled).script
    assert script is not None
    assert script.expects == {"status": "completed", "states": [["review"]]}
    assert case_verdict(pack.program, MARK, filled).holds
    never = filled.replace(b"state: review\n", b"state: nowhere\n", 1)
    assert "No transition led to nowhere" in case_verdict(pack.program, MARK, never).message
    with pytest.raises(BadCase, match="Choose another name"):
        with_answers(filled, log)


def test_a_long_run_is_a_case_too() -> None:
    """YAML of more than 128 KB takes seconds to read. Such a case is JSON, which is YAML too."""
    _, pack = versions("promptpack/code-review")
    log = played(pack)
    long = [
        Event(n=one.n, at=one.at, type=one.type, fields={**one.fields, "text": "word " * 40_000})
        if one.type == "model.replied"
        else one
        for one in log
    ]
    data = new_case("Long", long)
    assert data.startswith(b"{")
    assert json.loads(renamed(data, "Longer"))["metadata"]["name"] == "Longer"
    assert case_verdict(pack.program, MARK, data).holds


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"kind: [", "Line "),
        (b"kind: Arena\n", "has to be `Scenario`"),
        (b"kind: Scenario\nspec: {context: {signalbox: 3}}\n", "`spec.context.signalbox`"),
        (
            b"kind: Scenario\nspec: {context: {signalbox: {replies: [{txt: a}]}}}\n",
            "Entry 1 of `replies`",
        ),
        (b"kind: Scenario\nspec: {context: {signalbox: {budget: {cost: a}}}}\n", "`budget`"),
        (b"kind: Scenario\nspec: {context: {signalbox: {expects: {end: a}}}}\n", "`expects`"),
        (b"kind: Scenario\nspec: {context: {signalbox: {beside: {mode: x}}}}\n", "Unknown mode"),
    ],
)
def test_a_damaged_case_has_its_place(data: bytes, says: str) -> None:
    _, pack = versions("stages/review-loop")
    verdict = case_verdict(pack.program, MARK, data)
    assert verdict.holds is None
    assert says in verdict.message


def test_cases_need_an_end_and_answers() -> None:
    _, pack = versions("stages/review-loop")
    log = list(played(pack))
    with pytest.raises(BadCase, match="has not ended"):
        new_case("x", log[:-1])
    fired = Event(n=2, at=1.0, type="run.fired", fields={"event": "Go", "state": "draft"})
    with pytest.raises(BadCase, match="came from outside"):
        new_case("x", [log[0], fired, *log[1:]])


def test_cases_belong_to_the_pack_of_their_folder() -> None:
    """Scenarios in `scenarios` belong to the only pack of the folder."""
    pack: Any = dialects()["promptpack"].samples()["blank"]
    text = next(iter(pack.values()))
    tree = {
        "one/a.pack.json": text,
        "one/a.cases/x.scenario.yaml": SCENARIO,
        "one/scenarios/y.scenario.yml": SCENARIO,
        "one/scenarios/mock-responses.yaml": b"a: 1",
        "two/a.pack.json": text,
        "two/b.pack.json": text,
        "two/b.cases/x.scenario.yaml": SCENARIO,
        "two/scenarios/y.scenario.yaml": SCENARIO,
        "other.cases/x.scenario.yaml": SCENARIO,
    }
    assert [one.paths for one in recognise(Files.of(tree))] == [
        ("one/a.pack.json", "one/a.cases/x.scenario.yaml", "one/scenarios/y.scenario.yml"),
        ("two/a.pack.json",),
        ("two/b.pack.json", "two/b.cases/x.scenario.yaml"),
    ]
    assert YamlText.parse(SCENARIO).data == SCENARIO
