"""`signalbox import` and `signalbox export`, end to end: the same bytes, and sentences."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from signalbox.commands import server
from tests.repos.conftest import set_files
from tests.support.first_database import copy_first_database
from tests.support.live_server import ROOT, SIGNALBOX, environment
from workflows.models import Pack

SAMPLE = ROOT / "workflows/core/dialects/promptpack/samples/customer-support.pack.json"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("data")
    copy_first_database(data)
    return data


def signalbox(data: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*SIGNALBOX, *map(str, arguments)],
        cwd=ROOT,
        env=environment(data),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def on_test_database(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands in this process use the database of the test."""
    monkeypatch.setattr(server, "prepare", lambda command: None)


def test_a_file_that_exists_is_only_replaced_by_force(
    on_test_database: None, cli: Any, tmp_path: Path
) -> None:
    number = cli("import", SAMPLE).out.split()[-1]
    target = tmp_path / "out" / SAMPLE.name
    assert cli("export", number, "--to", "out").code == 0
    target.write_bytes(b"mine")
    refused = cli("export", number, "--to", "out")
    assert refused.code == 2
    assert "already exists" in refused.err
    assert target.read_bytes() == b"mine"
    assert cli("export", number, "--to", "out", "--force").code == 0
    assert target.read_bytes() == SAMPLE.read_bytes()


def test_force_deletes_what_the_pack_no_longer_has(
    on_test_database: None, cli: Any, tmp_path: Path
) -> None:
    sample = ROOT / "workflows/core/dialects/stages/samples/feature-delivery"
    number = cli("import", sample).out.split()[-1]
    assert cli("export", number, "--to", "out").code == 0
    (tmp_path / "out/stages/mine.md").write_text("mine")
    set_files(Pack.objects.get(pk=number), {"stages/handoff.md": None})
    assert cli("export", number, "--to", "out").code == 0
    assert (tmp_path / "out/stages/handoff.md").exists()
    assert cli("export", number, "--to", "out", "--force").code == 0
    assert not (tmp_path / "out/stages/handoff.md").exists()
    assert (tmp_path / "out/stages/mine.md").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("export", "nobody", "--to", "out"), "There is no pack 'nobody'."),
        (("import", "nowhere"), "nowhere does not exist."),
        (("import", ROOT / "Makefile"), "None of these files is a pack in a supported format."),
    ],
)
def test_impossible_requests_are_reported(
    on_test_database: None, cli: Any, arguments: tuple[str, ...], sentence: str
) -> None:
    done = cli(*arguments)
    assert done.code == 2
    assert sentence in done.err
