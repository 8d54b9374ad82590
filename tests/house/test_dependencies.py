"""Every package that the code imports is declared."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

from tests.house.test_source_tree import ROOT
from tests.support.checks import each_row

OURS = {"signalbox", "workflows", "roles", "tests", "bench", "scripts", "signalbox_page"}
SERVER = ["signalbox", "workflows", "roles"]
TESTS = ["tests", "scripts"]
BENCH = ["bench"]


@cache
def providers() -> Mapping[str, list[str]]:
    """Package → its distributions."""
    return packages_distributions()


def declared(*files: str) -> set[str]:
    """Distribution names that these files and the package with its extras ask for, normalised."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [line for file in files for line in (ROOT / file).read_text().splitlines()]
    lines += chain(project["dependencies"], *project["optional-dependencies"].values())
    names = [re.match(r"[A-Za-z0-9._-]+", line) for line in lines if line[:1].isalnum()]
    return {re.sub(r"[-_.]+", "-", name[0]).lower() for name in names if name}


IMPORT = re.compile(
    r"^\s*(?:from\s+(\w+)[\w.]*\s+import\b|import\s+(\w+)[\w.]*(?:\s+as\s+\w+)?\s*$)", re.M
)


def imported(folder: str) -> dict[str, Path]:
    """Top-level packages that the folder imports at any depth, each with one file that does."""
    return {
        first or second: path
        for path in (ROOT / folder).rglob("*.py")
        for first, second in IMPORT.findall(path.read_text(encoding="utf-8"))
    }


@each_row(
    [
        (SERVER, []),
        (TESTS, ["requirements-dev.in"]),
        (BENCH, ["requirements-dev.in", "requirements-bench.in"]),
    ]
)
def test_imported_packages_are_declared(folders: list[str], files: list[str]) -> None:
    known = declared(*files)
    undeclared = {}
    for folder in folders:
        for package, path in imported(folder).items():
            if package in OURS or package in sys.stdlib_module_names:
                continue
            names = {
                re.sub(r"[-_.]+", "-", name).lower() for name in providers().get(package, [package])
            }
            if not names & known:
                undeclared[package] = str(path.relative_to(ROOT))
    assert undeclared == {}


FRONTEND = ROOT / "frontend_static"
CANVAS_IMPORT = re.compile(
    r"""(?:^|[\s;}])(?:(?:import|export)\s(?:[^"';]*?\sfrom\s)?|import\()\s*["']([^"']+)["']""",
    re.MULTILINE,
)
STYLE_IMPORT = re.compile(r"""@import\s+(?:url\()?["']([^"']+)["']""")
TOOLS = {"@types/node", "@types/react", "@types/react-dom", "eslint", "prettier", "vitest"}
"""Development packages that are used as commands or by the compiler, without an import."""


def canvas_imports(*paths: Path) -> dict[str, str]:
    """npm packages that these files import, each with one file that does."""
    packages: dict[str, str] = {}
    for path in paths:
        pattern = STYLE_IMPORT if path.suffix == ".css" else CANVAS_IMPORT
        for name in pattern.findall(path.read_text(encoding="utf-8")):
            if not name.startswith((".", "/", "node:")):
                parts = name.split("/")[: 2 if name.startswith("@") else 1]
                packages["/".join(parts)] = str(path.relative_to(ROOT))
    return packages


def canvas_files() -> tuple[list[Path], list[Path]]:
    """Files that the bundle is built from, and files of tests and configuration."""
    sources = [
        path
        for path in (FRONTEND / "src").rglob("*")
        if path.suffix in {".ts", ".tsx", ".css"} and ".test." not in path.name
    ]
    others = list((FRONTEND / "src").rglob("*.test.*"))
    others += [path for path in FRONTEND.iterdir() if path.suffix in {".ts", ".js", ".mjs"}]
    return sources, others


def test_imported_packages_of_the_canvas_are_declared() -> None:
    manifest = json.loads((FRONTEND / "package.json").read_text(encoding="utf-8"))
    runtime, development = set(manifest["dependencies"]), set(manifest["devDependencies"])
    sources, others = canvas_files()
    imported_by_sources, imported_by_others = canvas_imports(*sources), canvas_imports(*others)
    assert len(sources) > 100
    assert "react" in imported_by_sources
    undeclared = {name: at for name, at in imported_by_sources.items() if name not in runtime}
    assert undeclared == {}
    undeclared = {
        name: at for name, at in imported_by_others.items() if name not in runtime | development
    }
    assert undeclared == {}


def test_declared_packages_of_the_canvas_are_imported() -> None:
    manifest = json.loads((FRONTEND / "package.json").read_text(encoding="utf-8"))
    sources, others = canvas_files()
    by_sources = canvas_imports(*sources)
    assert set(manifest["dependencies"]) - by_sources.keys() == set()
    assert set(manifest["devDependencies"]) - canvas_imports(*others).keys() - TOOLS == set()
