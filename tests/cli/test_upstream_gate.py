"""The gate in a copy of upstream's repository: green with a baseline, red for one new fault."""

import json
import os
import shutil
import subprocess

import pytest

from tests.cli.test_integrations import github
from tests.support.corpus import CORPUS
from tests.support.live_server import ROOT

UPSTREAM = CORPUS / "steps-registry/_all-1.13.27"
REGISTRY = ".agent/iterator/steps_registry.json"

pytestmark = pytest.mark.third_party


@pytest.fixture
def upstream(git, tmp_path):
    """The repository with a commit. The corpus can be read only."""
    shutil.copytree(UPSTREAM, tmp_path, dirs_exist_ok=True, copy_function=shutil.copyfile)
    for folder, _, _ in os.walk(tmp_path):
        os.chmod(folder, 0o755)  # noqa: PTH101 - a copy of many folders
    git.commit()
    return tmp_path


def break_one_transition(place):
    """Point the first transition of a step to a step that does not exist. Its old target."""
    registry = json.loads(place.read_text())
    for step in registry["steps"].values():
        for rule in step.get("transitions", {}).values():
            if isinstance(rule, dict) and isinstance(rule.get("target"), str):
                old, rule["target"] = rule["target"], "nowhere"
                place.write_text(json.dumps(registry, indent=2) + "\n")
                return old
    raise AssertionError(place)


@pytest.mark.slow
def test_upstream_is_green_with_a_baseline_and_a_fault_is_one_comment(
    shell,
    cli,
    git,
    upstream,
    tmp_path,
):
    red = cli("check", ".")
    assert red.code == 1
    print(red.out.splitlines()[-1])
    assert cli("check", ".", "--write-baseline").code == 0
    assert cli("check", ".").code == 0
    base = git.commit()
    green = github(shell, tmp_path, base)
    assert green.returncode == 0, green.stdout + green.stderr
    assert "error" not in (tmp_path / "comment.md").read_text()

    git("switch", "--quiet", "--create", "fault")
    break_one_transition(tmp_path / REGISTRY)
    git("add", REGISTRY)
    git("commit", "--quiet", "--message", "fault")
    done = github(shell, tmp_path, base)
    assert done.returncode == 1, done.stdout + done.stderr
    annotations = [line for line in done.stdout.splitlines() if line.startswith("::error")]
    assert annotations
    assert all(f"file={REGISTRY}," in line and "nowhere" in line for line in annotations)
    comment = (tmp_path / "comment.md").read_text()
    assert "nowhere" in comment
    assert "```mermaid" in comment
    errors = [line for line in comment.splitlines() if line.startswith("| error |")]
    assert len(errors) == len(annotations)
    calls = post(shell, tmp_path)
    assert [call for call in calls if "--method POST" in call] == calls[1:]
    assert len(calls) == 2


def post(shell, tmp_path):
    """The calls of the comment step."""
    log = shell.programs / "calls"
    gh = shell.programs / "gh"
    gh.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {log}\n')
    gh.chmod(0o755)
    done = shell(
        str(ROOT / "integrations/github-comment.sh"),
        COMMENT="comment.md",
        NUMBER="5",
        GITHUB_REPOSITORY="owner/name",
    )
    assert isinstance(done, subprocess.CompletedProcess)
    assert done.returncode == 0, done.stderr
    return log.read_text().splitlines()
