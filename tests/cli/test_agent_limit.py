"""The worst case in front of the findings, and the limits of a project."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.corpus import SHIPPED
from workflows.providers.model_names import DEFAULTS
from workflows.providers.prices import published_price

OWN = SHIPPED / "workflow-scripts" / "own"
COMPLAINTS = {
    "03-branch-lenses.js": ("findings=3", 61, 59),
    "04-fleet-sweep.js": ("items=21", 352, 355),
    "05-deep-question.js": ("", 97, 97),
    "06-house-review.js": ("", 70, 70),
    "07-seven-finders.js": ("findings=5", 113, 113),
    "08-money-audit.js": ("findings=30", 547, 547),
}
"""Script → an assumption, its bound, and the number of agents that the user reported."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the scripts where a coding agent keeps them."""
    folder = tmp_path / ".claude" / "workflows"
    folder.mkdir(parents=True)
    for name in COMPLAINTS:
        shutil.copy(OWN / name, folder / name)
    return tmp_path


def test_the_complaints_have_their_numbers_before_a_run_and_fail_the_limit(
    project: Path, cli: Any
) -> None:
    done = cli("check", ".", "--max-agents", "30", "--format", "json")
    assert done.code == 1
    packs = {one["path"].rpartition("/")[2]: one for one in json.loads(done.out)["packs"]}
    assert packs.keys() == COMPLAINTS.keys()
    for name, (assumed, bound, reported) in COMPLAINTS.items():
        errors = [one["code"] for one in packs[name]["findings"] if one["level"] == "error"]
        assert errors == ["WS606"], name
        options = ["--assume", assumed] if assumed else []
        text = (OWN / name).read_bytes()
        limit = ["--max-agents", "30", "--format", "json"]
        done = cli("check", "--stdin", *limit, *options, stdin=text)
        worst = json.loads(done.out)["packs"][0]["worst_case"]
        assert worst["most"] == bound
        assert abs(bound - reported) <= reported / 10
        assert done.code == 1


def test_settings_of_a_project_limit_the_agents(project: Path, cli: Any) -> None:
    script = ".claude/workflows/03-branch-lenses.js"
    settings = project / ".signalbox.toml"
    settings.write_text("max-agents = 60\nassume = { findings = 3 }\n")
    done = cli("check", script)
    assert done.code == 1
    first = done.out.splitlines()[0]
    assert first == f"{script}: at most 61 = 7 + 18*len(find.findings) agents"
    assert "A run can start 61 agents (7 + 18*len(find.findings)); max-agents is 60." in done.out
    settings.write_text("max-agents = 61\nassume = { findings = 3 }\n")
    assert cli("check", script).code == 0
    settings.write_text("max-agents = 'many'\n")
    done = cli("check", script)
    assert done.code == 2
    assert "'max-agents' must be a whole number" in done.err


def test_a_change_shows_both_bounds_and_the_line_that_raised_them(
    project: Path, cli: Any, git: Any
) -> None:
    path = ".claude/workflows/07-seven-finders.js"
    script = project / path
    text = script.read_text()
    base = git.commit()
    script.write_text(text.replace('"impact", ', '"impact", "cost", '))
    line = 1 + text[: text.index('agent("Refute')].count("\n")
    since = ("check", ".", "--since", base, "--assume", "findings=5")
    shown = cli(*since).out
    assert f"{path}: at most 113 → 148 = 8 + 28*len(find.findings) agents" in shown
    assert f"more because of line {line}" in shown
    comment = cli(*since, "--format", "markdown").out
    assert f"| **113 → 148** agents | line {line} |" in comment
    (one,) = cli(*since, "--format", "json").json["packs"]
    assert (one["worst_case_before"]["most"], one["worst_case"]["most"]) == (113, 148)
    script.write_text(text + "\n")
    assert "at most 113 = " in cli(*since).out
    assert "Worst case" not in cli(*since, "--format", "markdown").out


def test_the_limit_counts_model_calls_of_other_formats(cli: Any, pack: Path) -> None:
    done = cli("check", pack, "--max-agents", "0")
    assert done.code == 1
    assert "GR114" in done.out
    assert cli("check", pack, "--max-agents", "1000000", "--ignore", "PP").code == 0


def test_an_assumption_of_unknown_form_is_refused(project: Path, cli: Any) -> None:
    done = cli("check", ".", "--assume", "claims")
    assert done.code == 2
    assert "must be NAME=NUMBER" in done.err


def test_a_script_that_cannot_be_read_whole_has_no_bound(cli: Any, project: Path) -> None:
    text = 'export const meta = { name: "x", description: "y" };\nawait agent("do it"\nphase("P")\n'
    (project / "broken.js").write_text(text)
    done = cli("check", ".", "--max-agents", "30")
    assert done.code == 1
    assert "No upper limit: code with a syntax error" in done.out
    assert "Nothing limits the agents of a run (code with a syntax error)" in done.out
    assert "calls no agent" not in done.out


PRICED = ("--assume", "tokens=1000000", "--session-model", "sonnet")


def test_the_worst_case_in_money_fails_above_its_limit(project: Path, cli: Any) -> None:
    def checked(*options: str) -> Any:
        return cli("check", "06-house-review.js", "--format", "json", *options)

    shutil.copy(OWN / "06-house-review.js", project)
    call = published_price("anthropic", "", DEFAULTS["anthropic"]["sonnet"])
    assert call is not None
    dear = checked(*PRICED, "--max-cost", str(70 * call.output - 1))
    assert (dear.code, checked(*PRICED, "--max-cost", str(70 * call.output)).code) == (1, 0)
    (one,) = dear.json["packs"]
    assert one["worst_cost"]["most"] == pytest.approx(70 * call.output)
    assert "1,000,000 tokens at the price of output" in one["worst_cost"]["basis"]
    assert DEFAULTS["anthropic"]["sonnet"] in one["worst_cost"]["basis"]
    split = ("--assume", "input-tokens=1000000", "--assume", "output-tokens=0")
    (one,) = checked(*split, "--session-model", "sonnet").json["packs"]
    assert one["worst_cost"]["most"] == pytest.approx(70 * call.input)


def test_a_missing_number_is_named_instead_of_a_cost(project: Path, cli: Any) -> None:
    script = project / "priced.js"
    script.write_text(
        'export const meta = { name: "x", description: "y" };\n'
        'await agent("a", { model: args.model }); await agent("b", { model: "no-such-model" });\n'
        'await agent("c"); for (const one of args.files) await agent("d", { model: "haiku" });\n'
    )
    (one,) = cli("check", script, "--max-cost", "5", "--format", "json").json["packs"]
    assert one["worst_cost"]["missing"] == [
        "tokens of one call: assume tokens, or input-tokens and output-tokens",
        "models that are computed",
        "no published price of no-such-model",
        "the session's model: set session-model",
        "calls of haiku",
    ]
    assert one["worst_cost"]["most"] is None
    (project / ".signalbox.toml").write_text("max-cost = 5\n")
    done = cli("check", script)
    assert done.code == 1
    assert "Nothing limits the cost of a run (tokens of one call" in done.out
    (project / ".signalbox.toml").write_text("max-cost = nan\n")
    assert "'max-cost' must be a number from 0" in cli("check", script).err
