"""The files that docs/architecture.md lists as deletable can be deleted. In a copy of the tree
without them the rest starts, imports and passes the tests that do not name them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECTION = (ROOT / "docs/architecture.md").read_text().split("\n## Deletable parts\n")[1]
ROWS = [
    " ".join(found)
    for line in SECTION.split("\n## ")[0].splitlines()
    if line.startswith("|") and (found := re.findall(r"`(\w+/[^`]+)`", line))
]
"""Patterns of each row: its files, and their tests."""
CHANGED = ("workflows", "signalbox", "roles", "tests")
PYTEST = ("-m", "pytest", "-q", "-n", "0", "-p", "no:playwright", "-m", "not slow")
CHEAP = ("tests/pages/test_health.py", "tests/core/text/test_spans.py")
START = """
import importlib, pkgutil
import django
from django.core.management import call_command
from signalbox.cli import main

django.setup()
call_command("check")
for top in ("signalbox", "workflows", "roles"):
    for module in pkgutil.walk_packages([top], f"{top}."):
        # These only work in a migration, as a program, and with PostgreSQL.
        if not any(part in module.name for part in (".migrations", "__main__", ".procrastinate")):
            importlib.import_module(module.name)
main(["--help"])
"""


def check_without(tree: Path, rows: list[str], tests: tuple[str, ...]) -> None:
    """Link the files into the tree, remove those of the rows and the tests that name them, then
    start and test the rest."""
    for path in ROOT.iterdir():
        if path.name in CHANGED:
            shutil.copytree(path, tree / path.name, copy_function=os.link)
        elif path.name != ".git":
            (tree / path.name).symlink_to(path)
    gone = [path for pattern in " ".join(rows).split() for path in tree.glob(pattern)]
    for path in gone:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    names = {path.stem for path in gone if "tests" not in path.relative_to(tree).parts}
    while names:
        naming = re.compile(rf"""[."'/]({"|".join(names)})\b""")
        left = [one for one in tree.rglob("tests/**/test_*.py") if naming.search(one.read_text())]
        names = {test.stem for test in left}
        for test in left:
            test.unlink()
    assert "usage: signalbox" in run(tree, "-c", START)
    run(tree, *PYTEST, *tests)


def run(tree: Path, *arguments: str) -> str:
    """The output of Python in the tree, which succeeds."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "signalbox.settings"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-4_000:]
    return done.stdout


def test_the_listed_files_exist() -> None:
    patterns = " ".join(ROWS).split()
    assert len(patterns) > 10
    assert [pattern for pattern in patterns if not [*ROOT.glob(pattern)]] == []


@pytest.mark.slow
def test_the_core_needs_none_of_them(tmp_path: Path) -> None:
    check_without(tmp_path, ROWS, CHEAP)


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS)
def test_the_rest_needs_no_row(tmp_path: Path, row: str) -> None:
    check_without(tmp_path, [row], CHEAP)
