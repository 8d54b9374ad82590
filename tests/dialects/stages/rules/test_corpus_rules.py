"""Findings for the fixtures of the format: each faulty one has exactly its finding, valid ones have
none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.stages.rules.packs import findings, read
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding

INVALID = {
    "01-missing-required-name.md": ("ST201", "/name"),
    "02-id-not-kebab-case.md": ("ST203", "/id"),
    "03-allowed-tools-not-a-list.md": ("ST202", "/allowedTools"),
    "04-turn-cap-zero.md": ("ST205", "/turnCap"),
    "05-turn-cap-not-an-integer.md": ("ST206", "/turnCap"),
    "06-completion-schema-invalid.md": ("ST230", "/completionSchema/type"),
    "07-completion-tool-reserved-name.md": ("ST221", "/completionTool"),
    "08-retry-policy-max-attempts-zero.md": ("ST207", "/retryPolicy/maxAttempts"),
    "09-body-env-namespace.md": ("ST301", "/body"),
    "10-body-ctx-attempts.md": ("ST302", "/body"),
    "11-body-ctx-not-declared.md": ("ST306", "/body#team"),
    "12-body-conditional.md": ("ST303", "/body"),
}
PIPELINES = {
    "p01-no-stages.json": "ST401",
    "p02-entry-not-declared.json": "ST402",
    "p03-duplicate-stage-id.json": "ST204",
    "p04-join-dangling.json": "ST404",
    "p05-successor-not-declared.json": "ST403",
    "p06-parallel-with-one-sibling.json": "ST407",
    "p07-join-leaves-one-sibling.json": "ST407",
    "p08-sibling-reads-upstream.json": "ST309",
}
QUIRKS = (
    "body-contains-rule-and-fences.md",
    "comments-order-and-unknown-keys.md",
    "crlf-line-endings.md",
    "empty-body.md",
    "no-final-newline.md",
    "placeholder-edge-cases.md",
    "utf8-bom.md",
    "yaml-1-1-traps.md",
)


def alone(path: Path, fields: tuple[str, ...], key: str = "survey") -> list[Finding]:
    """The findings of one stage in a pipeline of its own that declares these fields of ctx."""
    entry: dict[str, Any] = {
        "file": path.name,
        "setup": {name: {"from": f"run.input.{name}"} for name in fields},
        "next": {"nextStages": [], "execution": "sequential"},
    }
    tree = {"format": "signalbox.stud-pipeline/1", "entryStage": key, "stages": {key: entry}}
    pack = {"pipeline.json": json.dumps(tree).encode(), path.name: path.read_bytes()}
    return findings(read(Files.of(pack)))


def pipeline(root: Path, path: Path, profile: str = "documented") -> list[Finding]:
    """The findings of a pipeline with the files it names, by their paths in the corpus."""
    entries = json.loads(path.read_text())["stages"].values()
    named = [(path.parent / entry["file"]).resolve() for entry in entries]
    files = {
        each.relative_to(root.resolve()).as_posix(): each.read_bytes()
        for each in (path.resolve(), *named)
    }
    return findings(read(Files.of(files)), profile)


def worse(found: list[Finding]) -> list[Finding]:
    return [item for item in found if item.level != "hint"]


@pytest.mark.parametrize("name", INVALID)
def test_a_faulty_stage_has_exactly_its_finding(corpus: Path, name: str) -> None:
    key = "Survey_Code" if name.startswith("02") else "survey"
    found = worse(alone(corpus / "stages/invalid" / name, ("task",), key))
    assert {(item.code, item.place.pointer) for item in found} == {INVALID[name]}
    assert {item.level for item in found} == {"error"}
    assert all(item.place.path == name and item.place.line > 1 for item in found)


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize("profile", ["documented", "strict"])
def test_a_faulty_pipeline_has_exactly_its_finding(corpus: Path, name: str, profile: str) -> None:
    root = corpus / "stages"
    found = pipeline(root, root / "invalid-pipelines" / name, profile)
    unset = "ST315"  # These pipelines have no setup.
    own = [item for item in worse(found) if item.code != unset and item.code.startswith("ST")]
    assert {item.code for item in own} == {PIPELINES[name]}
    assert own[0].level == ("warning" if name.startswith("p08") else "error")


@pytest.mark.parametrize("name", QUIRKS)
def test_a_quirk_is_no_fault(corpus: Path, name: str) -> None:
    fields = ("task", "count", "flag", "nothing", "obj", "list", "hostile")
    found = worse(alone(corpus / "stages/quirks" / name, fields))
    expected = ["ST305", "ST317"] if name == "placeholder-edge-cases.md" else []
    assert [item.code for item in found] == expected


@pytest.mark.third_party
def test_the_page_pasted_without_indentation_is_diagnosed_and_repaired(corpus: Path) -> None:
    path = corpus / "stages/quirks/seed-literal-flattened.md"
    found = alone(path, ("task",), "plan")
    lost = [item for item in found if item.code == "ST110"]
    assert len(lost) == 1
    assert lost[0].fix is not None
    assert {item.code for item in worse(found)} == {"ST110", "ST106"}


@pytest.mark.parametrize("form", ["pipeline.json", "pipeline.spec-form.json"])
@pytest.mark.parametrize("profile", ["documented", "strict"])
def test_the_example_pipeline_has_no_fault_but_its_join(
    corpus: Path, form: str, profile: str
) -> None:
    root = corpus / "stages"
    found = worse(pipeline(root, root / "own/feature-delivery" / form, profile))
    assert [item.code for item in found] == (["ST405"] if form == "pipeline.json" else [])


@pytest.mark.third_party
def test_the_example_of_the_page_is_whole(corpus: Path) -> None:
    assert alone(corpus / "stages/upstream/wiki/plan.md", ("task",), "plan") == []


@pytest.mark.third_party
def test_stages_of_the_source_code_lack_what_files_need(corpus: Path) -> None:
    folder = corpus / "stages/upstream/source-dialect/ralph"
    pack = Files.of({path.name: path.read_bytes() for path in sorted(folder.glob("*.md"))})
    codes = {item.code for item in worse(findings(read(pack)))}
    assert codes == {"ST201", "ST203", "ST220"}
