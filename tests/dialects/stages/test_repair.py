"""Repairs: lost indentation, and stage objects as markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.checks import each_row
from tests.support.corpus import at_least
from workflows.core.dialects.stages.format.indentation import is_flattened, restore_indentation
from workflows.core.dialects.stages.format.repair import (
    DEFAULT_MARK,
    as_markdown,
    kebab,
    keys_to_confirm,
    markdown_path,
    relative_file,
    title_of,
    unknown_keys,
)
from workflows.core.dialects.stages.format.stage_file import read_stage

HEAD = """\
id: plan
name: Plan
allowedTools: [read]
completionTool: submit_plan
completionSchema:
  type: object
  required: [summary, steps, risk]
  properties:
    summary: { type: string }
    name: { type: string }
    steps:
      type: array
      items:
        type: object
        required: [title]
        properties:
          title:
            type: string
            description: What to do.
          note: { type: string }
    risk:
      enum:
        - low
        - high
retryPolicy:
  maxAttempts: 2
  backoff: none
turnCap: 20
resolutionPolicy: retry-later
"""


def flat(head: str) -> bytes:
    lines = "".join(line.lstrip(" ") for line in head.splitlines(keepends=True))
    return f"---\n{lines}---\nBody {{{{ctx.task}}}}\n".encode()


def test_lost_indentation_is_detected_and_restored() -> None:
    assert is_flattened(read_stage("a.md", flat(HEAD)))
    assert restore_indentation(flat(HEAD)) == f"---\n{HEAD}---\nBody {{{{ctx.task}}}}\n"


def test_line_ends_and_comments_of_a_restored_head_stay() -> None:
    head = HEAD.replace("turnCap: 20", "turnCap: 20  # enough").replace("\n", "\r\n")
    found = restore_indentation(flat(head).replace(b"---\n", b"---\r\n"))
    assert found is not None
    assert found.startswith(f"---\r\n{head}---\r\n")


@each_row(
    [
        HEAD,
        "id: plan\ncompletionSchema: {}\nretryPolicy: {maxAttempts: 1}\n",
        "id: plan\ncompletionSchema:\nretryPolicy:\n",
        "id: plan\ntype: object\n",
        "completionTool: done\nturnCap: 3\n",
    ]
)
def test_a_head_that_is_merely_unfinished_is_not_taken_for_flattened(head: str) -> None:
    assert not is_flattened(read_stage("a.md", f"---\n{head}---\n".encode()))


def test_ambiguous_indentation_is_not_restored() -> None:
    head = "completionSchema:\ntype: object\ntype: array\ntype: string\n"
    assert restore_indentation(f"---\n{head}---\n".encode()) is None
    assert restore_indentation(b"---\nid: [\n---\n") is None


@pytest.mark.third_party
def test_the_page_that_lost_its_indentation_is_restored(corpus: Path) -> None:
    folder = corpus / "stages"
    pasted = (folder / "quirks/seed-literal-flattened.md").read_bytes()
    found = restore_indentation(pasted)
    assert found is not None
    whole = read_stage("a.md", (folder / "upstream/wiki/plan.md").read_bytes())
    assert read_stage("b.md", found.encode()).values == whole.values


def test_every_stage_of_the_corpus_is_restored_once_its_indentation_is_gone(corpus: Path) -> None:
    restorable = 0
    for path in sorted((corpus / "stages").rglob("*.md")):
        file = read_stage("a.md", path.read_bytes())
        if file.front is None or file.front.head is None or file.findings:
            continue
        head = file.front.head.data.decode()
        if ">-" in head:
            continue
        pasted = flat(head)
        if is_flattened(read_stage("a.md", pasted)):
            found = restore_indentation(pasted)
            assert found is not None, path.name
            assert read_stage("a.md", found.encode()).values == file.values, path.name
            restorable += 1
    assert restorable >= at_least(30, 15)


OBJECT: dict[str, Any] = {
    "id": "JoinReview",
    "body": "Do ${ctx.task}.\n---\nNow.",
    "allowedTools": ["read"],
    "turnCap": 5,
    "completionTool": "submit",
    "completionSchema": {"type": "object", "properties": {"a": {"enum": ["yes", "no"]}}},
}


def test_a_stage_object_becomes_markdown_with_marked_defaults() -> None:
    file = read_stage("a.json", json.dumps(OBJECT).encode())
    made = read_stage("a.md", as_markdown(file).encode())
    assert made.body == "Do {{ctx.task}}.\n---\nNow."
    assert {key: made.values[key] for key in OBJECT if key != "body"} == {
        key: value for key, value in OBJECT.items() if key != "body"
    }
    assert made.values["name"] == "Join Review"
    assert made.values["retryPolicy"] == {"maxAttempts": 1, "backoff": "none"}
    assert made.values["resolutionPolicy"] == "retry-later"
    assert keys_to_confirm(made) == ["name", "retryPolicy", "resolutionPolicy"]
    assert as_markdown(file).count(DEFAULT_MARK) == 3


def test_absent_tools_stay_absent_because_they_mean_all() -> None:
    thin = {key: value for key, value in OBJECT.items() if key != "allowedTools"}
    made = read_stage("a.md", as_markdown(read_stage("a.json", json.dumps(thin).encode())).encode())
    assert "allowedTools" not in made.values


def test_keys_that_an_object_may_not_have_are_known() -> None:
    assert unknown_keys(read_stage("a.json", json.dumps(OBJECT).encode())) == []
    more = json.dumps({**OBJECT, "name": "x"}).encode()
    assert unknown_keys(read_stage("a.json", more)) == ["name"]


@each_row(
    [
        ("plan", "Plan", "plan"),
        ("review-tests", "Review Tests", "review-tests"),
        ("BuildA", "Build A", "build-a"),
        ("Survey_Code", "Survey Code", "survey-code"),
        ("HTTPServer2", "HTTP Server2", "http-server2"),
        ("2nd", "2nd", "stage-2nd"),
        ("", "Stage", "stage"),
        ("Prüfung", "Prüfung", "prufung"),
        ("承認", "承認", "u627fu8a8d"),
    ]
)
def test_an_id_has_a_name_and_a_kebab_form(id: str, name: str, plain: str) -> None:
    assert (title_of(id), kebab(id)) == (name, plain)


def test_names_that_are_taken_get_a_number() -> None:
    assert kebab("Plan", {"plan", "plan-2"}) == "plan-3"
    assert markdown_path("stages/plan.stage.json", {"stages/plan.md"}) == "stages/plan-2.md"


def test_a_pipeline_names_files_from_its_own_folder() -> None:
    assert relative_file("pipeline.json", "stages/a.md") == "stages/a.md"
    assert relative_file("flow/pipeline.json", "flow/stages/a.md") == "stages/a.md"
    assert relative_file("flow/pipeline.json", "own/a.md") == "../own/a.md"
