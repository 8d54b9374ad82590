"""`signalbox-cli`: the command line with its own requirements only, without Django, a server's
libraries or a provider's."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.house.test_dependencies import declared
from tests.support.live_server import ROOT
from tests.support.wheel import (
    PATIENCE,
    build,
    copy_checkout,
    install,
    outside_environment,
    packages,
    site_packages,
)

PROJECT = ROOT / "distributions" / "cli" / "pyproject.toml"
MOST_MEBIBYTES = 40


def project(path: Path) -> dict[str, object]:
    return tomllib.loads(path.read_text())["project"]


def test_both_distributions_have_one_version_and_one_command() -> None:
    server, cli = project(ROOT / "pyproject.toml"), project(PROJECT)
    for key in ("version", "requires-python", "scripts"):
        assert cli[key] == server[key]
    names = {Requirement(line).name.replace(".", "-") for line in cli["dependencies"]}
    assert names <= declared()


def test_both_distributions_have_the_same_package_data() -> None:
    server, cli = (
        tomllib.loads(path.read_text())["tool"]["setuptools"]
        for path in (ROOT / "pyproject.toml", PROJECT)
    )
    assert cli["package-data"] == server["package-data"]
    assert cli["packages"]["find"]["include"] == server["packages"]["find"]["include"]


def with_requirements(names: list[str]) -> dict[str, Distribution]:
    """Installed distributions with everything that they require, by name."""
    found: dict[str, Distribution] = {}
    pending = [Requirement(name) for name in names]
    while pending:
        wanted = pending.pop()
        needed = wanted.marker is None or wanted.marker.evaluate({"extra": ""})
        if needed and wanted.name not in found:
            found[wanted.name] = distribution(wanted.name)
            pending += map(Requirement, found[wanted.name].requires or [])
    return found


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment in which only the requirements of `signalbox-cli` can be imported."""
    place = tmp_path_factory.mktemp("cli")
    checkout = copy_checkout(place / "checkout", canvas=False)
    done = build(checkout / "distributions" / "cli", place / "wheels")
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (place / "wheels").glob("signalbox_cli-*.whl")
    found = install(wheel, place / "venv")
    site = site_packages(found)
    for one in with_requirements(project(PROJECT)["dependencies"]).values():
        for name in {path.parts[0] for path in one.files or []} - {"..", "__pycache__"}:
            if not (site / name).exists():
                (site / name).symlink_to(Path(str(one.locate_file(name))).resolve())
    return found


@pytest.fixture
def samples(programs: Path) -> Path:
    return packages(programs) / "workflows" / "core" / "dialects"


def signalbox(
    programs: Path, place: Path, *arguments: str | Path
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [programs / "signalbox", *arguments],
        cwd=place,
        env=outside_environment(place.with_name("home"), OPENAI_API_KEY="none"),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


@pytest.mark.slow
def test_no_library_of_the_server_can_be_imported(programs: Path, tmp_path: Path) -> None:
    for name in ("django", "pydantic_ai", "openai", "uvicorn", "cryptography", "mcp"):
        done = subprocess.run(
            [programs / "python", "-c", f"import {name}"],
            cwd=tmp_path,
            env=outside_environment(tmp_path),
            capture_output=True,
            text=True,
            check=False,
        )
        assert "ModuleNotFoundError" in done.stderr, name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("check {promptpack}", 0),
        ("check {all}", 0),
        ("check --format sarif {promptpack}", 0),
        ("check --format markdown --rehearse --verify {promptpack}", 0),
        ("check {all} --write-baseline --baseline known.json", 0),
        ("check {promptpack} --statistics", 0),
        ("check {promptpack} --since HEAD", 2),
        ("completion bash", 0),
        ("--version", 0),
        ("graph {promptpack} --format mermaid", 0),
        ("diff {promptpack} {other} --format svg", 1),
        ("edit {promptpack} --edits edits.json -o edited", 0),
        ("edit {promptpack} --edits edits.json --dry-run", 0),
        ("convert {promptpack} --to stages -o stages", 0),
        ("rehearse {promptpack}", 0),
        ("rehearse {steps_registry}", 0),
        ("run {promptpack} --driver rehearsal --input brief=x --log run.jsonl --junit j.xml", 0),
        ("run {steps_registry} --driver rehearsal --allow-commands --workspace .", 1),
        ("run {agent_graph} --driver rehearsal", 4),
    ],
)
def test_every_command_on_files_works(
    programs: Path, samples: Path, tmp_path: Path, command: str, code: int
) -> None:
    (tmp_path / "edits.json").write_text(
        json.dumps([{"type": "rename_state", "id": "draft", "new_id": "first_draft"}])
    )
    paths = {
        "promptpack": samples / "promptpack/samples/review-loop.pack.json",
        "other": samples / "promptpack/samples/release.pack.json",
        "steps_registry": samples / "steps_registry/samples/triage-bot",
        "agent_graph": samples / "agent_graph/samples/research-desk",
        "all": samples / "stages/samples",
    }
    done = signalbox(programs, tmp_path, *(part.format(**paths) for part in command.split()))
    assert done.returncode == code, done.stdout + done.stderr
    assert "not installed" not in done.stderr


@pytest.mark.slow
def test_a_recorded_run_is_verified(programs: Path, samples: Path, tmp_path: Path) -> None:
    pack = samples / "promptpack/samples/review-loop.pack.json"
    run = ("run", pack, "--driver", "rehearsal", "--input", "brief=x", "--log", "run.jsonl")
    assert signalbox(programs, tmp_path, *run).returncode == 0
    done = signalbox(programs, tmp_path, "verify", pack, "run.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", ["serve", "open", "worker", "import", "run", "mcp"])
def test_a_command_that_needs_more_names_it(
    programs: Path, samples: Path, tmp_path: Path, command: str
) -> None:
    pack = samples / "promptpack/samples/review-loop.pack.json"
    more: dict[str, tuple[str | Path, ...]] = {
        "import": (pack,),
        "mcp": (pack,),
        "run": (pack, "--input", "brief=x", "--driver", "model", "--model", "openai:gpt-6-luna"),
    }
    (tmp_path / "folder").mkdir()
    done = signalbox(programs, tmp_path / "folder", command, *more.get(command, ()))
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert re.search(r"Install (the wheel of )?`signalboxd", done.stderr), done.stderr


@pytest.mark.slow
def test_it_is_small(programs: Path) -> None:
    site = site_packages(programs)
    names = {path.resolve() for path in site.iterdir()}
    size = sum(
        file.stat().st_size
        for top in names
        for file in ([top] if top.is_file() else top.rglob("*"))
        if file.is_file() and file.suffix != ".pyc"
    )
    print(f"{size / 2**20:.1f} MiB")
    assert size < MOST_MEBIBYTES * 2**20
