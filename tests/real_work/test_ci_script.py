"""A shell script as CI would run it: exit codes, reports and the branch."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import PACK
from tests.real_work.coder import Coder
from tests.real_work.project import check_branch, make_project, pack_of
from tests.support.git_repository import ENVIRONMENT, git
from tests.support.live_server import ROOT
from tests.support.model_server import ModelServer

SCRIPT = Path(__file__).with_name("ci.sh")


def write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value))
    return path


def command(folder: Path) -> Path:
    """A folder with the command `signalbox`."""
    folder.mkdir()
    file = folder / "signalbox"
    file.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m signalbox "$@"\n')
    file.chmod(0o755)
    return folder


@pytest.mark.slow
def test_the_script_of_a_ci_job_passes(tmp_path: Path) -> None:
    repository = make_project(tmp_path / "project")
    small, asks = copy.deepcopy(PACK), copy.deepcopy(PACK)
    small["workflow"]["engine"] = {"budget": {"max_total_visits": 2}}
    asks["workflow"]["states"]["review"]["orchestration"] = "external"
    write(repository / "failing.json", {"replies": []})
    write(repository / "looping.json", {"replies": [{"event": "Submit"}, {"event": "Reject"}]})
    write(repository / "waiting.json", {"replies": [{"event": "Submit"}]})
    with ModelServer(otherwise=Coder()) as server:
        environment = {
            **ENVIRONMENT,
            "PATH": f"{command(tmp_path / 'bin')}:{ENVIRONMENT['PATH']}",
            "TMPDIR": str(tmp_path),
            "OPENAI_BASE_URL": server.url("openai"),
            "OPENAI_API_KEY": "sk-secret-of-ci",
            "PACK": str(pack_of("agent_graph", repository, tmp_path / "packs")),
            "SMALL": str(write(tmp_path / "small.pack.json", small)),
            "ASKS": str(write(tmp_path / "asks.pack.json", asks)),
        }
        done = subprocess.run(
            ["sh", str(SCRIPT)],
            cwd=repository,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr
    assert done.stdout.endswith("CI passed\n")
    assert "a question in review (--script with answers)" in done.stderr
    check_branch(repository, "ci/repair")
    assert git(repository, "symbolic-ref", "HEAD") == "refs/heads/main"
    found = {
        name: ElementTree.parse(repository / f"{name}.xml").getroot()
        for name in ("report", "failed", "budget", "waiting")
    }
    counts = {name: (suite.get("failures"), suite.get("errors")) for name, suite in found.items()}
    assert counts == {
        "report": ("0", "0"),
        "failed": ("1", "0"),
        "budget": ("1", "0"),
        "waiting": ("0", "1"),
    }
