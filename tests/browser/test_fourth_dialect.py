"""A folder with a `DIALECT` is all a new format needs: import, canvas, check, edit, export."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opening, sign_in, start_server
from tests.browser.page_actions import Canvas, import_text, pack_of
from tests.support.live_server import ROOT, LiveServer

FILE = """{
  "name": "Errands",   "entry": "go",
  "states": {
    "go":   {"title": "Go to the shop", "on": {"Arrived": "buy"}},
    "buy":  {"title": "Buy bread", "on": {"Sold out": "home"}},
    "rest": {"title": "Rest"}
  }
}
"""
DRAWN = FILE.replace('{"Sold out": "home"}', '{"Sold out": "home", "Done": "rest"}')


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program as it is, and one folder more."""
    copy = tmp_path_factory.mktemp("program")
    for item in ROOT.iterdir():
        if item.name in ("workflows", "signalbox"):
            shutil.copytree(item, copy / item.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif item.name not in (".git", "tests", "bench"):
            (copy / item.name).symlink_to(item)
    folder = copy / "workflows" / "core" / "dialects" / "flow"
    folder.mkdir()
    source = (ROOT / "tests/support/flow_dialect.py").read_text()
    (folder / "__init__.py").write_text(f"{source}\n\nDIALECT = Flow()\n")
    return copy


@pytest.fixture(scope="module")
def server(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    server = start_server(tmp_path_factory.mktemp("data"), program=program)
    yield server
    server.stop()


def signalbox(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "signalbox", *arguments],
        cwd=program, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


@pytest.mark.slow
def test_the_page_imports_draws_checks_edits_and_exports_it(
    server: LiveServer, opening: Opening
) -> None:
    page = opening(server, sign_in(server.link)).new_page()
    import_text(page, FILE, "errands.flow.json")
    canvas = Canvas(page)
    expect(canvas.state("go")).to_be_visible()
    expect(canvas.transition("go", "Arrived", "buy")).to_have_count(1)
    page.get_by_role("button", name="Show the findings").click()
    findings = page.get_by_role("list", name="Findings").locator("[data-finding]")
    expect(findings.filter(has_text="the missing 'home'")).to_be_visible()

    canvas.draw_arrow("buy", "rest", "Done")
    canvas.wait_saved()
    pack = pack_of(page)
    exported = page.request.get(f"{server.url}/api/v1/packs/{pack}/export/")
    assert json.loads(exported.text()) == json.loads(DRAWN)
    assert exported.text() == DRAWN


EDITS: list[dict[str, Any]] = [
    {"type": "connect", "source": "buy", "target": "rest", "label": "Done"}
]


@pytest.mark.slow
def test_the_command_line_checks_draws_and_edits_it(program: Path, tmp_path: Path) -> None:
    pack = tmp_path / "errands.flow.json"
    pack.write_text(FILE)
    checked = signalbox(program, "check", str(pack))
    assert checked.returncode == 1
    assert "FL001" in checked.stdout
    graph = json.loads(signalbox(program, "graph", str(pack)).stdout)
    assert graph["dialect"] == "flow"
    assert [state["id"] for state in graph["states"]] == ["go", "buy", "rest"]
    (tmp_path / "edits.json").write_text(json.dumps(EDITS))
    edited = signalbox(program, "edit", str(pack), "--edits", str(tmp_path / "edits.json"))
    assert edited.returncode == 0, edited.stderr
    assert pack.read_text() == DRAWN
