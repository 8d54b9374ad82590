"""The wheel brings pages and canvas: `signalbox open` and `serve` work without a checkout."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.corpus import CORPUS, FULL
from tests.support.live_server import ROOT, SIGNALBOX
from tests.support.wheel import (
    PATIENCE,
    OpenedFolder,
    build,
    copy_checkout,
    outside_environment,
    packages,
    site_packages,
)

pytestmark = pytest.mark.slow

PACKAGES = ("signalbox", "workflows", "roles")
WEB = "signalbox/packages/workflows/web"
FOLDER = CORPUS / "promptpack" / ("promptarena" if FULL else "own")
PACK = "workflows/core/dialects/promptpack/samples/release.pack.json"
MAIN = "workflow-agent-loops.pack.json" if FULL else "full.pack.json"


def real_folder(target: Path) -> Path:
    """A copy of a folder with packs, as `git clone` makes it."""
    shutil.copytree(FOLDER, target)
    return target


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def edited_by_the_command_line(main: Path, edits: list[dict[str, str]], place: Path) -> bytes:
    """The pack's file as `signalbox edit` of this checkout writes it."""
    wanted, output = place / "edits.json", place / "edited"
    wanted.write_text(json.dumps(edits))
    subprocess.run(
        [*SIGNALBOX, "edit", main, "--edits", wanted, "-o", output], check=True, timeout=PATIENCE
    )
    return next(output.rglob(main.name)).read_bytes()


def wait_until(read: Callable[[], bytes], expected: bytes) -> None:
    deadline = time.monotonic() + 60
    while read() != expected:
        assert time.monotonic() < deadline, read().decode()
        threading.Event().wait(0.05)


def tracked_files(*folders: str) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout
    return {name for name in listed.split("\0") if name and (ROOT / name).is_file()}


def test_the_wheel_has_every_file_of_the_packages_the_pages_and_the_canvas(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    others = ("docs", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
    pages = {f"{WEB}/{name}" for name in tracked_files("templates", *others)}
    canvas = ROOT / "frontend_static" / "dist"
    built = {
        f"{WEB}/dist/{path.relative_to(canvas).as_posix()}"
        for path in canvas.rglob("*")
        if path.is_file()
    }
    assert len(pages) > 40
    assert f"{WEB}/dist/manifest.json" in built
    code = {
        name if name.startswith("signalbox/") else f"signalbox/packages/{name}"
        for name in tracked_files(*PACKAGES) - {"roles/README.md"}
    }
    assert (code | pages | built) - names == set()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"signalbox"}


def test_a_wheel_without_the_canvas_is_not_built(tmp_path: Path) -> None:
    done = build(copy_checkout(tmp_path / "checkout", canvas=False), tmp_path / "wheels")
    assert done.returncode != 0
    assert "The canvas is not built. Run `make wheel`" in done.stdout + done.stderr
    assert list(tmp_path.glob("wheels/*.whl")) == []


def test_a_folder_is_opened_drawn_rehearsed_and_edited(programs: Path, tmp_path: Path) -> None:
    folder = real_folder(tmp_path / "repository")
    before = contents(folder)
    server = OpenedFolder(programs, folder, tmp_path / "user")
    server.start()
    try:
        server.sign_in()
        packs = server.get("packs/")["results"]
        pack = next(one for one in packs if one["main"].endswith(MAIN))
        for address in ("/", f"/packs/{pack['id']}/", "/runs/", "/roles/", "/rules/", "/settings/"):
            files = server.static_files(server.page(address).decode())
            assert files, address
            assert all(server.page(file) for file in files)
        states = server.get(f"packs/{pack['id']}/graph/")["states"]
        assert server.post(f"packs/{pack['id']}/rehearse/", {"runs": 5})["runs"] == 5
        old = states[0]["id"]
        edits = [{"type": "rename_state", "id": old, "new_id": "renamed_on_the_canvas"}]
        expected = edited_by_the_command_line(folder / pack["main"], edits, tmp_path)
        server.post(f"packs/{pack['id']}/edits/", {"base": pack["head"], "edits": edits})
        wait_until((folder / pack["main"]).read_bytes, expected)
    finally:
        server.stop()
    assert contents(folder) == {**before, pack["main"]: expected}
    assert b"renamed_on_the_canvas" in expected
    assert (server.home / ".local" / "share" / "signalbox" / "folders").is_dir()
    assert list(server.elsewhere.iterdir()) == []


def test_serve_keeps_its_data_in_the_users_folder(programs: Path, tmp_path: Path) -> None:
    server = OpenedFolder(programs, tmp_path, tmp_path / "user", command="serve")
    server.start()
    try:
        server.sign_in()
        assert server.get("packs/")["results"]
    finally:
        server.stop()
    assert (server.home / ".local/share/signalbox/server/signalbox.sqlite3").is_file()
    assert list(server.elsewhere.iterdir()) == []
    assert not (site_packages(programs) / "var").exists()


def test_modules_of_a_project_with_the_same_names_are_its_own(
    programs: Path, tmp_path: Path
) -> None:
    """`workflows` and `roles` of a project in the environment, and in the working directory."""
    project = tmp_path / "project"
    for name in ("workflows", "roles"):
        for folder in (project, site_packages(programs)):
            folder.mkdir(exist_ok=True)
            (folder / f"{name}.py").write_text("OWNER = 'the project'")
    shutil.copy(packages(programs) / PACK, project)
    env = outside_environment(tmp_path)
    try:
        own = "import signalbox.cli, workflows, roles, sys; sys.exit(hasattr(workflows, 'OWNER'))"
        theirs = "import workflows, roles; print(workflows.OWNER, roles.OWNER)"
        python, signalbox = programs / "python", programs / "signalbox"
        for line in ([python, "-c", theirs], [python, "-c", own], [signalbox, "check", "."],
                     [python, "-m", "signalbox", "rehearse", "."]):  # fmt: skip
            done = subprocess.run(
                line, cwd=project, env=env, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, (line, done.stdout + done.stderr)
    finally:
        for name in ("workflows", "roles"):
            (site_packages(programs) / f"{name}.py").unlink()


@pytest.mark.parametrize("command", ["check", "graph", "rehearse"])
def test_packs_are_read_on_the_command_line(programs: Path, tmp_path: Path, command: str) -> None:
    samples = packages(programs) / "workflows/core/dialects/promptpack/samples"
    done = subprocess.run(
        [programs / "signalbox", command, samples / "release.pack.json"],
        cwd=tmp_path,
        env=outside_environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_tests_pass(programs: Path, tmp_path: Path) -> None:
    """In a folder that has the tests and none of the code."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "tests", tmp_path / "tests", ignore=ignored)
    for name in ("pyproject.toml", "requirements.txt"):  # The second names the kept databases.
        shutil.copy(ROOT / name, tmp_path)
    done = subprocess.run(
        [
            *(programs / "python", "-m", "pytest", "-q", "-n", "0", "-p", "no:playwright"),
            "tests/pages",
        ],
        cwd=tmp_path,
        env=outside_environment(
            tmp_path,
            SIGNALBOX_DATA=str(tmp_path / "data"),
            PYTHONPATH=str(packages(programs)),  # The tests import `workflows` first.
        ),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout[-5_000:] + done.stderr[-5_000:]
    assert " passed" in done.stdout
