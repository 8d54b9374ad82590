"""Each promise of the page on security names tests that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/security.md").read_text()
NAMED = re.compile(r"`(tests/[\w/]+\.py|test_\w+)`")
FUNCTION = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)


def promises() -> Iterator[tuple[str, str]]:
    """The rows of the tables with a column of tests: first cell, last cell."""
    with_tests = False
    last = ""
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if not line.startswith("|"):
            with_tests = False
        elif cells[-1] in ("test", "tests"):
            with_tests = True
        elif with_tests and not set(line) <= set("|- "):
            last = last if cells[-1] == "the same" else cells[-1]
            yield cells[0], last


def test_each_promise_names_tests_that_exist() -> None:
    functions = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in FUNCTION.findall(path.read_text())
    }
    rows = list(promises())
    assert len(rows) > 100
    unnamed = [promise for promise, tests in rows if not NAMED.search(tests)]
    assert unnamed == []
    missing = [
        name
        for name in NAMED.findall(PAGE)
        if not (ROOT / name).is_file() and name not in functions
    ]
    assert missing == []


def test_each_section_with_promises_has_a_test() -> None:
    """Of the sections, only those that promise nothing name none."""
    none = {
        section.partition("\n")[0]
        for section in re.split(r"^##+ ", PAGE, flags=re.MULTILINE)[1:]
        if not NAMED.search(section)
    }
    assert none == {"Threat model", "Not promised"}
