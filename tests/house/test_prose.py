"""The prose linter: old sentences raise alerts, good sentences do not, and all text is read."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from scripts.prose.command import main, subject_faults
from scripts.prose.files import configured, matches, project_files
from scripts.prose.fragments import KINDS, Fragment, fragments, masked
from scripts.prose.rules import alerts, rules
from tests.support.checks import each_row

TABLE = tomllib.loads(Path(__file__).with_name("prose_sentences.toml").read_text())
PAIRS = [(pair["kind"], pair["old"], pair["new"]) for pair in TABLE["pair"]]
GOOD = [(kind, text) for kind, texts in TABLE["good"].items() for text in texts]


def matched(kind: str, text: str) -> list[str]:
    return [alert.rule.id for alert in alerts(masked([Fragment("text", 1, kind, text)]))]


@each_row(PAIRS)
def test_an_old_sentence_raises_an_alert_and_its_rewrite_does_not(
    kind: str, old: str, new: str
) -> None:
    assert matched(kind, old) != []
    assert matched(kind, new) == []


@each_row(GOOD)
def test_a_good_sentence_raises_no_alert(kind: str, text: str) -> None:
    assert matched(kind, text) == []


def test_every_kind_has_sentences_and_every_rule_is_complete() -> None:
    assert len(PAIRS) >= 30
    assert {kind for kind, _old, _new in PAIRS} == set(KINDS) == set(TABLE["good"])
    assert len({rule.id for rule in rules()}) == len(rules())
    assert all(rule.message and rule.instead for rule in rules())


def test_all_text_of_a_file_is_read(tmp_path: Path) -> None:
    files = {
        "docs/a.md": "# Title\n\nA `said` paragraph\nof two lines.\n\n```sh\nsaid\n```\n\n- item\n",
        "workflows/core/a.py": (
            '"""Module docstring."""\n\n# A comment\n# of two lines.\nX = "two words"\n'
            'Y = f"state {X} is missing"\nZ = "one"\n\n\ndef f() -> None:\n    """Function."""\n'
            '    g("two marked words")  # prose: off\n'
        ),
        "tests/test_a.py": 'def test_a_b() -> None:\n    assert "two words"\n',
        "templates/a.html": (
            '{# A remark #}<h1 title="A title">A {{ b }} c</h1>\n<p>Two <b>bold</b>\nlines</p>'
            "<script>var said = 'two words';</script>"
        ),
        "a.css": "/* A remark */\n.said { color: red }\n",
        "a.toml": '# A remark\nkey = "two words"\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = [(one.path, one.line, one.kind, one.text) for one in fragments(files, tmp_path)]
    assert sorted(found) == sorted(
        [
            ("docs/a.md", 1, "docs", "Title"),
            ("docs/a.md", 3, "docs", "A `x` paragraph\nof two lines."),
            ("docs/a.md", 10, "docs", "item"),
            ("workflows/core/a.py", 1, "docstring", "Module docstring."),
            ("workflows/core/a.py", 3, "comment", "A comment\nof two lines."),
            ("workflows/core/a.py", 5, "finding", "two words"),
            ("workflows/core/a.py", 6, "finding", "state `x` is missing"),
            ("workflows/core/a.py", 11, "docstring", "Function."),
            ("tests/test_a.py", 1, "test", "a b"),
            ("templates/a.html", 1, "comment", "A remark"),
            ("templates/a.html", 1, "ui", "A title"),
            ("templates/a.html", 1, "ui", "A `x` c"),
            ("templates/a.html", 2, "ui", "Two bold\nlines"),
            ("a.css", 1, "comment", "A remark"),
            ("a.toml", 1, "comment", "A remark"),
        ]
    )


def test_all_text_of_typescript_is_read(tmp_path: Path) -> None:
    code = """\
// A remark
// of two lines.
import { a } from "two words";
/** What it is. */
export const label = "two words";
export const B = ({ n }: { n: number }) => (
  <p className="one two" title="Title">
    Some {n} text <b>bold</b>
  </p>
);
export const c = `has ${label} in it`;
"""
    (tmp_path / "a.tsx").write_text(code)
    (tmp_path / "a.test.ts").write_text('it("does a thing", () => f("two words")); // A remark\n')
    found = [(one.line, one.kind, one.text) for one in fragments(["a.tsx", "a.test.ts"], tmp_path)]
    assert sorted(found) == [
        (1, "comment", "A remark"),
        (1, "comment", "A remark\nof two lines."),
        (1, "test", "does a thing"),
        (4, "comment", "What it is."),
        (5, "ui", "two words"),
        (7, "ui", "Title"),
        (8, "ui", "Some `x` text `x`"),
        (8, "ui", "bold"),
        (11, "ui", "has `x` in it"),
    ]


def test_an_alert_has_its_line_and_exits_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--text", "A fine line.\nNobody is here.", "--kind", "docs"]) == 1
    assert capsys.readouterr().out.startswith("text:2: error: ")
    assert main(["--text", "A fine line."]) == 0


@each_row(
    [
        ("docs: add a glossary", True),
        ("runner/queue: release a lease on SIGTERM", True),
        ("Merge branch 'docs'", True),
        ("Workers are taken for dead", False),
        ("docs: add a glossary.", False),
        ("docs: " + "a" * 70, False),
    ]
)
def test_a_commit_subject_has_an_area_and_fits(subject: str, fits: bool) -> None:
    assert (subject_faults(subject) == []) is fits


def test_a_commit_message_is_checked(tmp_path: Path) -> None:
    message = tmp_path / "COMMIT_EDITMSG"
    message.write_text("docs: add a glossary\n\nWhy.\n# Nobody reads this line.\n")
    assert main(["--commit", str(message)]) == 0
    message.write_text("docs: add a glossary\n\nNobody had one.\n")
    assert main(["--commit", str(message)]) == 1


def test_entries_of_the_configuration_match_paths() -> None:
    assert matches("docs/a/b.md", "docs/")
    assert matches("a/migrations/b.py", "**/migrations/")
    assert matches("workflows/a.py", "workflows/*.py")
    assert not matches("workflows/core/a.py", "workflows/*.py")
    files = project_files()
    stale = [
        one.path
        for one in configured().exempt
        if not any(matches(path, one.path) for path in files)
    ]
    assert stale == []
