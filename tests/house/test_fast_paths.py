"""docs/architecture.md lists each fast path with its name and benchmark, and no other code has the
marks of one."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from bench.__main__ import KNOWN
from tests.support.checks import each_row

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text()
MARKS = re.compile(
    r"setswitchinterval|gc\.(?:freeze|disable|set_threshold)|object\.__(?:new|setattr)__\("
    r"|\.connection\.cursor\(\)"
)
"""Ways around the plain library: the interpreter's settings, the object model, drivers, and caches
by identity."""


def listed() -> list[tuple[str, str, str]]:
    """Place, name and benchmarks of each row."""
    section = PAGE.split("\n## Fast paths\n")[1].split("\n## ")[0]
    rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return [(row[0].strip("| `"), row[1].strip("`"), row[3].strip("| ")) for row in rows]


def names_in(file: Path) -> set[str]:
    """Functions, classes, methods as `Class.method`, and constants of a module."""
    names = set()
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
            names |= {f"{node.name}.{m.name}" for m in node.body if isinstance(m, ast.FunctionDef)}
        for target in getattr(node, "targets", [getattr(node, "target", None)]):
            if isinstance(target, ast.Name):
                names.add(target.id)
        if isinstance(node, ast.If):
            names |= {one.name for one in node.orelse if isinstance(one, ast.FunctionDef)}
    return names


@each_row(listed())
def test_a_listed_fast_path_exists_and_has_a_benchmark(
    place: str, name: str, benchmarks: str
) -> None:
    assert name in names_in(ROOT / place)
    measured = re.findall(r"`bench\.(\w+)`", benchmarks)
    assert measured or benchmarks == "`make attacks`"
    assert set(measured) <= set(KNOWN)


def test_code_with_the_marks_of_a_fast_path_is_listed() -> None:
    places = {place for place, _, _ in listed()}
    marked = {
        path.relative_to(ROOT).as_posix()
        for folder in ("workflows", "signalbox", "roles")
        for path in (ROOT / folder).rglob("*.py")
        if MARKS.search(path.read_text())
    }
    assert marked
    assert marked <= places
