"""A value without a case is found, with the path to the stage."""

from __future__ import annotations

import json
from typing import Any

from tests.support.checks import each_row
from workflows.core.dialects import dialects
from workflows.core.pack.files import Files
from workflows.core.rules.check import check

HEAD = """---
id: {id}
name: {id}
allowedTools: []
completionTool: submit
completionSchema:
  type: object
  properties:
    state: {{ enum: [good, bad, odd] }}
    done: {{ type: boolean }}
    text: {{ type: string }}
retryPolicy: {{ maxAttempts: 1, backoff: none }}
turnCap: 3
resolutionPolicy: retry-later
---
Go on.
"""
END = {"nextStages": ["end"], "execution": "sequential"}


def unhandled(**following: Any) -> list[str]:
    stages = {"work": following, "end": {"nextStages": [], "execution": "sequential"}}
    body = {
        "format": "signalbox.stud-pipeline/1",
        "id": "p",
        "name": "P",
        "entryStage": "work",
        "stages": {id: {"file": f"stages/{id}.md", "next": each} for id, each in stages.items()},
    }
    files = {f"stages/{id}.md": HEAD.format(id=id).encode() for id in stages}
    tree = Files.of({"pipeline.json": json.dumps(body).encode(), **files})
    dialect = dialects()["stages"]
    found = check(dialect, dialect.read(tree), "documented")
    return [finding.message for finding in found if finding.code == "GR112"]


def case(field: str, value: Any, op: str = "equals") -> dict[str, Any]:
    return {"when": {"path": f"result.parsed.{field}", "op": op, "value": value}, "then": END}


@each_row(
    [
        END,
        {"cases": [case("state", "good")], "else": END},
        {"cases": [case("done", True), case("done", False)]},
        {"cases": [case("state", "good"), case("state", "bad"), case("state", "odd")]},
        {"cases": [case("text", "x")]},
        {"cases": [case("state", "good"), case("done", True)]},
        {"cases": [case("state", "good", "notEquals")]},
    ]
)
def test_a_stage_with_a_route_for_every_answer_has_no_finding(following: dict[str, Any]) -> None:
    assert unhandled(**following) == []


def test_a_value_without_a_case_is_reported() -> None:
    (told,) = unhandled(cases=[case("state", "good"), case("state", "bad")])
    assert told == "'work' may answer 'state = \"odd\"', which no transition handles."
    assert len(unhandled(cases=[case("done", True)])) == 1
