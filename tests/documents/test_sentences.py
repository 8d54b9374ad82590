"""Every line of the five format documents: its verdict, and the tests that show it.

`sentences/` has a table for each document. Its columns, between tabs, are the lines, the verdict,
the first words there, tests, and a reason. `holds` and `differs` name tests by a letter for their
file and a name, or by words of one of their rows in brackets. `differs` quotes the README with the
reason. `context` promises nothing: these lines have no table, no example and no rule. `page` is
not part of the document, such as a list of links.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.documents.quotes import document

TESTS = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "sentences"
RULE = re.compile(
    r"\b(must|never|only|requires?|required|cannot|always|reject\w*|defaults?|should|allow(s|ed)"
    r"|limits?|fails?|validated|stops)\b",
    re.IGNORECASE,
)
EXAMPLE = re.compile(r'[{}\]"]|graph |flowchart |sequenceDiagram|```|curl |---$|\w+(\[.*\])? -+>+')
COUNTS = {
    "prompt-config": (15, 56, 12),
    "promptpack": (148, 5, 7),
    "prompts-and-agent-templates": (3, 42, 32),
    "stage-definitions": (66, 37, 23),
    "steps-registry": (218, 157, 22),
}
"""Document → lines of its tables, of its examples, and with a rule."""


@dataclass(frozen=True, kw_only=True)
class Row:
    first: int
    last: int
    verdict: str
    tests: tuple[tuple[Path, str], ...]
    words: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Table:
    readme: Path | None
    rows: tuple[Row, ...]


@cache
def table(name: str) -> Table:
    files: dict[str, Path] = {}
    rows: list[Row] = []
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("@ "):
            _, letter, path = line.split(" ", 2)
            files[letter] = TESTS / path if letter != "README" else TESTS.parent / path
            continue
        lines, verdict, words, tests, reason = [*line.split("\t"), "", ""][:5]
        first, _, last = lines.partition("-")
        rows.append(
            Row(
                first=int(first),
                last=int(last or first),
                verdict=verdict,
                tests=tuple(
                    _named(files, one) for one in re.findall(r"\w+(?:::\w+|\[[^]]*\])", tests)
                ),
                words=words,
                reason=reason,
            )
        )
    return Table(readme=files.get("README"), rows=tuple(rows))


def _named(files: dict[str, Path], text: str) -> tuple[Path, str]:
    letter, _, name = text.partition("::") if "::" in text else text.partition("[")
    return files[letter], name.removesuffix("]") if "::" not in text else f"def {name}("


@cache
def source(path: Path) -> str:
    """The text of a test and of the modules of tests that have its rows."""
    text = path.read_text(encoding="utf-8")
    for module, names in re.findall(r"(?m)^from (tests\.[\w.]+) import ([\w, ]*)", text):
        for name in ("", *(f"/{one}" for one in names.split(", "))):
            beside = TESTS.parent / f"{module.replace('.', '/')}{name}.py"
            text += beside.read_text(encoding="utf-8") if beside.exists() else ""
    return text


@pytest.mark.parametrize("name", COUNTS)
def test_every_test_of_a_table_exists(name: str) -> None:
    for row in table(name).rows:
        for path, words in row.tests:
            assert path.exists(), (name, row, path)
            assert words in source(path), (name, row, words)


@pytest.mark.parametrize("name", COUNTS)
def test_a_difference_is_in_the_readme_with_its_reason(name: str) -> None:
    readme = table(name).readme
    for row in table(name).rows:
        assert bool(row.reason) == (row.verdict == "differs"), row
        if row.reason:
            assert readme is not None
            assert row.reason in readme.read_text(encoding="utf-8"), row


def kinds_of(name: str) -> dict[int, str]:
    """Line → "table", "example", "rule" or "", of every line with text."""
    lines = document(name).splitlines()
    found: dict[int, str] = {}
    fenced = False
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        fenced ^= line.startswith("```") or line == "---"
        typed = any(one in ("Yes", "No") for one in lines[max(0, number - 2) : number + 2])
        if fenced or EXAMPLE.match(line):
            found[number] = "example"
        elif "|" in line or typed:
            found[number] = "table"
        else:
            found[number] = "rule" if RULE.search(line) else ""
    return found


@pytest.mark.third_party
@pytest.mark.parametrize("name", COUNTS)
def test_every_line_has_a_verdict_and_every_promise_a_test(name: str) -> None:
    lines = document(name).splitlines()
    kinds = kinds_of(name)
    covered: list[int] = []
    for row in table(name).rows:
        assert lines[row.first - 1].strip().startswith(row.words), (row, lines[row.first - 1])
        own = [number for number in range(row.first, row.last + 1) if number in kinds]
        covered += own
        assert row.verdict in ("holds", "differs", "context", "page"), row
        assert bool(row.tests) == (row.verdict in ("holds", "differs")), row
        promises = [lines[number - 1] for number in own if kinds[number]]
        assert row.verdict != "context" or promises == [], (row, promises)
    assert covered == sorted(kinds), set(kinds).symmetric_difference(covered)
    counted = tuple(list(kinds.values()).count(kind) for kind in ("table", "example", "rule"))
    assert counted == COUNTS[name]
