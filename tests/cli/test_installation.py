"""Signalbox installed without pages and canvas: checks work, other commands report it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.checks import quick_and_slow
from tests.support.live_server import ROOT

PACKAGES = ("signalbox", "workflows", "roles")
DATA = {".js", ".json", ".md", ".ts", ".yml"}
DIALECTS = ROOT / "workflows" / "core" / "dialects"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The modules and declared data that `pip install` puts into site-packages."""
    site = tmp_path_factory.mktemp("site-packages")
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    patterns = {name: ["**/*.py", *declared["package-data"].get(name, [])] for name in PACKAGES}
    for name, wanted in patterns.items():
        for file in {file for pattern in wanted for file in (ROOT / name).glob(pattern)}:
            target = site / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    return site


def signalbox(site: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("SIGNALBOX_")}
    return subprocess.run(
        [sys.executable, "-m", "signalbox", *map(str, arguments)],
        cwd=site,
        env={**env, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_all_that_the_dialects_read_is_installed(installed: Path) -> None:
    needed = {
        file.relative_to(ROOT)
        for file in DIALECTS.rglob("*")
        if file.is_file() and file.suffix != ".pyc"
    }
    assert {file for file in needed if not (installed / file).exists()} == set()
    assert {file.suffix for file in needed} == {".py"} | DATA


@pytest.mark.parametrize(
    "sample",
    quick_and_slow(
        ["stages/samples/feature-delivery"],
        ["promptpack/samples", "steps_registry/samples/triage-bot"],
    ),
)
def test_packs_are_checked_and_drawn(installed: Path, sample: str) -> None:
    path = installed / "workflows" / "core" / "dialects" / sample
    checked = signalbox(installed, "check", path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    if path.name != "samples":
        drawn = signalbox(installed, "graph", path)
        assert json.loads(drawn.stdout)["states"]


@pytest.mark.parametrize(
    "command",
    quick_and_slow([["serve", "--port", "0"]], [["open", "."], ["import", "."], ["export", "1"]]),
)
def test_commands_that_need_the_pages_report_it(installed: Path, command: list[str]) -> None:
    if command[0] == "export":
        command = [*command, "--to", "out"]
    said = signalbox(installed, *command)
    assert said.returncode == 2
    assert f"signalbox {command[0]} needs the pages and the canvas" in said.stderr
    assert "Install the wheel of `signalboxd` instead" in said.stderr
    assert not (installed / "var").exists()
