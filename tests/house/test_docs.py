"""The documents agree with the code: settings, commands, rules, and the tree."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from pathlib import Path

from signalbox.cli import parser
from tests.house.test_source_tree import source_names
from tests.support.checks import each_row
from workflows.core import rules as proofs
from workflows.core.dialects import dialects
from workflows.core.pack.findings import Rule
from workflows.core.rules.check import BROKEN_RULE, STOPPED_RULE

LIMITS = {BROKEN_RULE, STOPPED_RULE, "IN003", "IN004"}
ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
SETTINGS = (ROOT / "docs" / "settings.md").read_text()
COMMANDS = (ROOT / "docs" / "cli.md").read_text()
DIALECTS = sorted(
    folder.parent.name for folder in (ROOT / "workflows/core/dialects").glob("*/__init__.py")
)


def section(title: str) -> str:
    """The text below a heading of the README, up to the next one."""
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_the_settings_page_lists_every_setting_and_no_other() -> None:
    told = set(re.findall(r"`(SIGNALBOX_[A-Z_]+)", SETTINGS))
    folders = ("signalbox", "workflows", "roles", "bench", "scripts", "tests", ".ci")
    read = {
        name
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".sh"} or path.parent.name == ".ci"
        for name in re.findall(r"[\"{](SIGNALBOX_[A-Z_]+)[\"}:]", path.read_text())
    }
    assert len(read) > 8
    assert read == told


def test_the_command_line_page_lists_every_command_and_no_other() -> None:
    rows = [row for row in COMMANDS.splitlines() if row.startswith("| `signalbox")]
    told = {name for row in rows for name in re.findall(r"`signalbox ([a-z]+)", row)}
    assert told == set(_commands())


def test_every_option_on_the_command_line_page_exists() -> None:
    for row in COMMANDS.splitlines() + section("On the command line").splitlines():
        for shown in re.findall(r"`signalbox ([^`]+)`", row):
            name = shown.split()[0]
            options = _commands()[name]._option_string_actions
            assert set(re.findall(r"--?[a-z][a-z-]*", shown)) <= set(options), shown


@each_row(DIALECTS)
def test_a_dialects_readme_lists_each_rule_with_its_title(name: str) -> None:
    folder = ROOT / "workflows" / "core" / "dialects" / name
    readme = (folder / "README.md").read_text()
    rules = dialects()[name].rules()
    assert _missing(rules, readme) == []
    codes = {
        code
        for path in folder.rglob("*.py")
        for code in re.findall(r'"([A-Z]{2}\d{3})"', path.read_text())
    }
    assert {code for code in codes if f"| {code} |" not in readme + _general()} == set()
    assert set(re.findall(r"^\| ([A-Z]{2}\d{3}) \|", readme, re.MULTILINE)) <= codes


def test_the_rules_for_every_graph_are_listed() -> None:
    assert _missing(proofs.RULES, _general()) == []
    listed = set(re.findall(r"^\| ([A-Z]{2}\d{3}) \|", _general(), re.MULTILINE))
    assert listed == {rule.code for rule in proofs.RULES} | {
        BROKEN_RULE,
        STOPPED_RULE,
        "IN003",
        "IN004",
    }


def test_the_paths_in_the_tree_of_the_readme_exist() -> None:
    tree = section("Map").split("```")[1]
    inside: list[str] = []
    named = []
    for line in tree.strip().splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        for name in re.match(r"\s*((?:[\w./]+ )+|[\w./]+)", line)[1].split():
            inside[depth:] = [name] if name.endswith("/") else []
            named.append("".join(inside[:depth]) + name)
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_architecture_page_lists_every_package() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    supporting = {"management", "migrations", "templatetags"}
    folders = [
        folder
        for root in ("workflows", "workflows/core")
        for folder in (ROOT / root).iterdir()
        if (folder / "__init__.py").exists() and folder.name not in supporting | {"core"}
    ]
    assert [one for one in folders if f"`{one.relative_to(ROOT)}/`" not in page] == []


@each_row(DIALECTS)
def test_the_page_about_dialects_lists_the_names_in_their_folders(name: str) -> None:
    page = (ROOT / "docs" / "dialects.md").read_text()
    folder = ROOT / "workflows/core/dialects" / name
    inside = {
        f"`{each}/`" if (folder / each).is_dir() else f"`{each}`" for each in source_names(folder)
    }
    assert inside | {"`convert/`", "`exports/`"} == set(
        re.findall(r"^\| (`[\w./]+`) \|", page, re.MULTILINE)
    )


@each_row(sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]))
def test_links_of_the_documents_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\[[^\]]*\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text())
    assert [link for link in links if not (document.parent / link).exists()] == []


@each_row(sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]))
def test_no_paragraph_has_more_than_five_sentences(document: Path) -> None:
    text = re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL)
    paragraphs = re.split(r"\n\s*\n|\n(?=[-*|]|\d+\. )", text)
    long = [
        paragraph
        for paragraph in paragraphs
        if not paragraph.startswith("|") and len(re.findall(r"[.!?](?=\s|$)", paragraph)) > 5
    ]
    assert long == []


def _general() -> str:
    return (ROOT / "docs" / "rules.md").read_text()


def _missing(rules: Iterable[Rule], document: str) -> list[str]:
    """Rows that the document lacks, ready to be put in."""
    rows = [f"| {rule.code} | {rule.level} | {rule.title} | {rule.held} |" for rule in rules]
    return [row for row in rows if row not in document]


def _commands() -> dict[str, argparse.ArgumentParser]:
    (commands,) = (
        action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)
    )
    return dict(commands.choices)
