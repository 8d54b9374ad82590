"""The report of a conversion and the checks of its target: every finding of `check`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from signalbox.cli import main
from tests.core.convert.packs import NAMES, PAIRS, graphs, samples, some_of_corpus
from tests.dialects.promptpack.packs import pack, prompt
from workflows.core.convert.conversion import CannotConvert, Conversion, convert
from workflows.core.dialects import dialects
from workflows.core.pack.files import Files
from workflows.core.rules.check import check

FIVE = 5
_WORD = re.compile(r"\w+")
ORDERS = pack(
    {
        "prompts/draft": prompt(
            "draft", "Call workflow__set_artifact, then look_up.", tools=["look_up"]
        ),
        "tools": {"look_up": {"name": "look_up", "description": "Looks up."}},
        "workflow/states/draft/artifacts": {"text": {"type": "text/plain"}},
    }
)


def made_from(tree: object, target: str) -> Conversion:
    here = dialects()["promptpack"]
    files = Files.of({"good.pack.json": json.dumps(tree).encode()})
    return convert(here, here.read(files), here.profiles[0], dialects()[target])


def honest(made: Conversion) -> None:
    """Derive what the report must have from the new files alone."""
    target = dialects()[made.target]
    written = target.read(made.files)
    codes = [one.code for one in check(target, written, target.profiles[0])]
    reported = [one.code for one in made.findings if one.code != "GR115"]
    assert sorted(reported) == sorted(codes)
    names = {tool.name for tool in target.named_tools(written)}
    for one in made.findings:
        assert one.code != "GR115" or any(name in one.message for name in names)
    assert made.failing == any(one.level == "error" for one in made.findings)
    for entry in made.report:
        assert bool(entry.why) == (entry.fate != "kept"), entry


@pytest.mark.parametrize(("source", "target"), [*PAIRS, *(("agent_graph", name) for name in NAMES)])
def test_five_packs_of_every_pair_report_what_the_target_finds(source: str, target: str) -> None:
    packs = (*samples(), *graphs(), *some_of_corpus(source, 12))
    known = [one for one in packs if one.dialect == source]
    here = dialects()[source]
    done = 0
    for one in known:
        try:
            made = convert(here, one.source(), here.profiles[0], dialects()[target])
        except CannotConvert:
            continue
        honest(made)
        done += 1
        if done == FIVE:
            break
    assert done >= 2


@pytest.mark.parametrize("target", ["stages", "steps_registry"])
def test_a_prompt_that_orders_missing_tools_is_not_kept(target: str) -> None:
    made = made_from(ORDERS, target)
    (entry,) = [
        one for one in made.report if (one.element, one.feature) == ("state:draft", "prompt")
    ]
    assert entry.fate == "approximated"
    named = set(_WORD.findall(entry.why))
    assert "workflow__set_artifact" in named
    (other,) = [
        one for one in made.report if (one.element, one.feature) == ("state:review", "prompt")
    ]
    assert other.fate == "kept"


def test_a_tool_without_a_binding_fails_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "good.pack.json"
    there.write_text(json.dumps(ORDERS))
    report = tmp_path / "report.json"
    arguments = ["convert", str(there), "--to", "stages", "-o", str(tmp_path / "out")]
    assert main([*arguments, "--report", str(report)]) == 1
    assert "look_up" in capsys.readouterr().out
    assert "GR115" in {one["code"] for one in json.loads(report.read_text())["findings"]}
