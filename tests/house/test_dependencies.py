"""Every package that the code imports is declared."""

from __future__ import annotations

import ast
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.house.test_source_tree import ROOT

OURS = {"signalbox", "workflows", "roles", "tests", "bench", "scripts"}
SERVER = ["signalbox", "workflows", "roles"]
TESTS = ["tests", "scripts"]
BENCH = ["bench"]


def declared(*files: str) -> set[str]:
    """Distribution names that these files ask for, normalised."""
    lines = [line for file in files for line in (ROOT / file).read_text().splitlines()]
    names = [re.match(r"[A-Za-z0-9._-]+", line) for line in lines if line[:1].isalnum()]
    return {re.sub(r"[-_.]+", "-", name[0]).lower() for name in names if name}


def imported(folder: str) -> dict[str, Path]:
    """Top-level packages that the folder imports at any depth, each with one file that does."""
    packages: dict[str, Path] = {}
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            else:
                continue
            packages.update((name.partition(".")[0], path) for name in names)
    return packages


@pytest.mark.parametrize(
    ("folders", "files"),
    [
        (SERVER, ["requirements.in"]),
        (TESTS, ["requirements.in", "requirements-dev.in"]),
        (BENCH, ["requirements.in", "requirements-dev.in", "requirements-bench.in"]),
    ],
    ids=["server", "tests", "bench"],
)
def test_imported_packages_are_declared(folders: list[str], files: list[str]) -> None:
    known, providers = declared(*files), packages_distributions()
    undeclared = {}
    for folder in folders:
        for package, path in imported(folder).items():
            if package in OURS or package in sys.stdlib_module_names:
                continue
            names = {
                re.sub(r"[-_.]+", "-", name).lower() for name in providers.get(package, [package])
            }
            if not names & known:
                undeclared[package] = str(path.relative_to(ROOT))
    assert undeclared == {}
