"""The examples of the five format documents: check, draw, rehearse and run them.

Under the profile `documented`, an example has no errors and no warnings, unless the document
contradicts itself there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import cli  # noqa: F401
from tests.documents import agent_graphs, packs, pipelines, registries
from tests.documents.example import Completed, Example
from tests.support.checks import run_checks

EXAMPLES: tuple[Example, ...] = (
    *registries.EXAMPLES,
    *pipelines.EXAMPLES,
    *packs.EXAMPLES,
    *agent_graphs.EXAMPLES,
)
pytestmark = pytest.mark.third_party


def _row(example: Example) -> Any:
    return pytest.param(example, id=example.place)


def _written(folder: Path, done: Completed) -> Path:
    for path, content in done.files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, indent=2)
        target.write_text(text, encoding="utf-8")
    return folder / done.path


def it_has_no_findings(cli: Any, pack: Path, done: Completed) -> None:  # noqa: F811
    said = cli("check", pack, "--format", "json", "--profile", "documented")
    (found,) = said.json["packs"]
    loud = [one for one in found["findings"] if one["level"] != "hint"]
    assert [one for one in loud if one["code"] not in done.admitted] == []
    assert {one["code"] for one in loud} == set(done.admitted)
    for one in loud:
        said_of_it = f"{one['message']} {one['hint']}"
        assert done.admitted[one["code"]].one in said_of_it
        assert done.admitted[one["code"]].other in said_of_it


def it_is_drawn(cli: Any, pack: Path, done: Completed) -> None:  # noqa: F811
    body = cli("graph", pack, "--profile", "documented").json
    assert {state["id"] for state in body["states"]} == done.states
    if done.transitions is None:
        return
    drawn = {(each["source"], each["label"], each["target"]) for each in body["transitions"]}
    assert drawn == done.transitions


def it_is_rehearsed(cli: Any, pack: Path, done: Completed) -> None:  # noqa: F811
    said = cli("rehearse", pack, "--json", "--profile", "documented")
    assert said.json["unreached"] == []
    assert not said.json["failed"], said.json["notes"]
    assert said.code == 0


def it_runs(cli: Any, pack: Path, done: Completed) -> None:  # noqa: F811
    script = pack.parent / "script.json"
    parts = {"replies": done.replies, "commands": done.commands, "answers": done.answers}
    script.write_text(json.dumps({key: list(value) for key, value in parts.items() if value}))
    inputs = [word for key, value in done.inputs.items() for word in ("--input", f"{key}={value}")]
    said = cli("run", pack, "--script", script, "--json", "--profile", "documented", *inputs)
    script.unlink()
    assert said.events[-1]["type"] == "run.finished", said.out + said.err
    assert said.events[-1]["status"] == "completed", said.events[-1]
    asked = [event["state"] for event in said.events if event["type"] == "model.asked"]
    assert tuple(asked) == done.walk
    assert said.code == 0


@pytest.mark.parametrize("example", [_row(example) for example in EXAMPLES])
def test_an_example_is_checked_drawn_rehearsed_and_run(
    cli: Any,  # noqa: F811
    tmp_path: Path,
    example: Example,
) -> None:
    done = example.complete()
    pack = _written(tmp_path, done)
    run_checks((cli, pack, done), it_has_no_findings, it_is_drawn, it_is_rehearsed, it_runs)
