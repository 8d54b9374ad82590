"""Findings of every rule, and packs without findings."""

from __future__ import annotations

import re
from typing import Any

from tests.dialects.stages.rules import packs, rows_files, rows_heads, rows_pipelines, rows_prompts
from tests.dialects.stages.rules.packs import applied, codes, codes_of, findings, pack, read, source
from tests.support.checks import each_row, run_checks
from workflows.core.dialects.stages import DIALECT
from workflows.core.dialects.stages.program.pipeline import pipeline_of
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.engine.program import CannotRun
from workflows.core.pack.edits import WriteFile
from workflows.core.pack.findings import Finding

THEMES = {
    "files": (rows_files.WRONG, rows_files.FINE),
    "heads": (rows_heads.WRONG, rows_heads.FINE),
    "prompts": (rows_prompts.WRONG, rows_prompts.FINE),
    "successors": (rows_pipelines.SUCCESSORS_WRONG, rows_pipelines.SUCCESSORS_FINE),
    "conditions": (rows_pipelines.CONDITIONS_WRONG, rows_pipelines.CONDITIONS_FINE),
    "hooks": (rows_pipelines.HOOKS_WRONG, rows_pipelines.HOOKS_FINE),
}
WRONG = [row for wrong, _ in THEMES.values() for row in wrong]
FINE = [row for _, fine in THEMES.values() for row in fine]


def exactly_these_codes_are_found(before: StagesSource, told: list[Finding], codes: str) -> None:
    assert {finding.code for finding in told} - {"GR114"} == set(codes.split())


def a_fix_removes_its_finding(before: StagesSource, told: list[Finding], codes: str) -> None:
    for finding in told:
        if finding.code != codes[:5] or finding.fix is None:
            continue
        after = applied(before, *finding.fix.edits)
        left = findings(after)
        assert not {(item.code, item.message, item.place.path) for item in left} & {
            (finding.code, finding.message, finding.place.path)
        }
        assert not {item.code for item in left} & {"ST101", "ST102", "ST104"}
        assert findings(read(after.files)) == left


def refusal(pack: StagesSource) -> str:
    """The reason why a run of this pack does not start, or ""."""
    try:
        pipeline_of(pack)
    except CannotRun as refused:
        return refused.message
    return ""


def what_a_run_refuses_is_an_error(before: StagesSource, told: list[Finding], codes: str) -> None:
    if refusal(before) and not (before.pipeline is None and before.readable):
        assert "error" in {finding.level for finding in told}


@each_row(WRONG)
def test_a_wrong_pack(changes: dict[str, Any], codes: str) -> None:
    before = source(changes)
    run_checks(
        (before, findings(before), codes),
        exactly_these_codes_are_found,
        a_fix_removes_its_finding,
        what_a_run_refuses_is_an_error,
    )


@each_row(FINE)
def test_a_good_pack(changes: dict[str, Any]) -> None:
    pack = source(changes)
    assert (codes_of(pack), refusal(pack)) == ([], "")


@each_row(THEMES)
def test_more_rows_are_fine_than_wrong(theme: str) -> None:
    wrong, fine = THEMES[theme]
    assert len(fine) > len(wrong)


def test_every_rule_has_a_row() -> None:
    shown = {codes[:5] for _, codes in WRONG}
    others = {rule.code for rule in DIALECT.rules()} - shown
    assert {code for code in others if not code.startswith("ST6")} == set()


def test_help_pages_are_a_few_sentences() -> None:
    for rule in DIALECT.rules():
        assert 60 < len(rule.help) < 700, rule.code
        assert rule.help.endswith("."), rule.code
        assert 2 <= len(re.findall(r"\.(?=\s|$)", rule.help)) <= 6, rule.code


def test_the_samples_have_nothing_worse_than_a_hint() -> None:
    for name, files in DIALECT.samples().items():
        found = findings(read(files))
        assert [item for item in found if item.level != "hint"] == [], name


def test_a_message_with_long_names_fits_a_line() -> None:
    long = "n" * 5_000 + " " + "m" * 5_000
    said = findings(source({"/entryStage": long, "done.name": [long], "done/next": {"x": long}}))
    assert {"ST402", "ST202", "ST413"} <= {item.code for item in said}
    assert all(len(item.message) <= 240 for item in said)


def test_one_rule_does_not_flood_the_list() -> None:
    body = " ".join(f"{{{{a{number}}}}}" for number in range(500))
    said = [item for item in findings(source({"done:": body})) if item.code == "ST304"]
    assert len(said) == 200


def test_a_finding_in_a_prompt_knows_its_line() -> None:
    body = "One.\nTwo {{ctx.team}}.\n"
    (found,) = findings(source({"done:": body}))
    assert (found.place.path, found.place.pointer) == ("stages/done.md", "/body#team")
    text = pack({"done:": body})["stages/done.md"].decode().splitlines()
    assert text[found.place.line - 1] == "Two {{ctx.team}}."
    assert found.place.element == "state:done"


LATE = {
    "again/exit": {"slot": {"why": "result.parsed.summary"}},
    "again/next": packs.to("verdict"),
    "verdict/setup": {"why": {"from": "slot.why"}},
    "verdict:": "{{ctx.why}}",
    "verdict/maxVisits": 2,
}


def test_a_slot_that_may_be_empty_comes_with_the_shortest_walk_there() -> None:
    pack = source(LATE)
    (found,) = [item for item in findings(pack) if item.code == "ST531"]
    drawn = {arrow.id for arrow in DIALECT.graph(pack, "documented").transitions}
    assert found.walk == ("plan|parallel|look", "look|join|verdict")
    assert set(found.walk) <= drawn


def test_the_join_sees_values_of_every_stage_of_a_branch() -> None:
    changes = {
        "look/next": packs.to("again"),
        "again:": "Look again.",
        "verdict/next": packs.to("done"),
        "again/exit": {"slot": {"why": "result.parsed.summary"}},
        "verdict/setup": {"why": {"from": "slot.why"}},
        "verdict:": "{{ctx.why}}",
    }
    assert codes(changes) == ["ST412"]


def test_the_hint_has_the_upstream_name() -> None:
    told = {
        "ST205": ("done.turnCap", 0, "Validation/StageTurnCapTooLow at /turnCap"),
        "ST306": ("done:", "{{ctx.x}}", "Validation/StageCtxUnresolved at /body#x"),
        "ST230": ("done.completionSchema", {"type": "x"}, "StageCompletionSchemaInvalid"),
        "ST402": ("/entryStage", "x", "Validation/StageDefinitionInvalid"),
        "ST407": ("plan/next", {"nextStages": ["look"], "execution": "parallel"},
                  "ExtensionHost/InvalidParallelPlan"),
    }  # fmt: skip
    for code, (place, value, hint) in told.items():
        assert [hint in item.hint for item in findings(source({place: value})) if item.code == code]


def test_several_faults_are_found_at_once() -> None:
    changes = {"done.turnCap": 0, "done:": "{{ctx.bad}}", "done.completionSchema": {"type": "x"}}
    assert codes(changes) == ["ST230", "ST205", "ST306"]


def test_stages_that_share_a_file_are_judged_once() -> None:
    changes = {"done.turnCap": 0, "again/file": "stages/done.md", "file stages/again.md": b""}
    assert codes(changes).count("ST205") == 1


def test_a_fix_of_a_stage_object_makes_a_good_markdown_stage() -> None:
    before = source(rows_files.stage_object())
    (finding,) = [item for item in findings(before) if item.code == "ST111"]
    assert finding.fix is not None
    after = applied(before, *finding.fix.edits)
    assert "stages/done.md" in after.files
    assert "stages/done.json" not in after.files
    assert {item.code for item in findings(after)} == {"ST119"}


def test_the_repaired_stage_is_the_one_that_was_pasted() -> None:
    before = source({"file stages/done.md": rows_files.FLAT})
    (finding,) = [item for item in findings(before) if item.code == "ST110"]
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    assert isinstance(edit, WriteFile)
    assert findings(applied(before, edit)) == []
