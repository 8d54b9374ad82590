"""Generated parts of the docs: import layers, command-line options, and tables of rules and
licences.

`make docs` rewrites them in place; `python -m scripts.reference --check` exits 1 if one is stale.
Both exit 1 if a package has a licence that is not allowed.
A generated part is enclosed by the marks `<!-- begin NAME -->` and `<!-- end NAME -->`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from importlinter import configuration
from importlinter.api import read_configuration

from scripts import licences
from signalbox.cli import parser
from workflows.core import rules as graph_rules
from workflows.core.dialects import dialects
from workflows.core.pack.findings import Rule
from workflows.core.rules.check import BROKEN_RULE
from workflows.rights.operations import api_rows, route_of

ROOT = Path(__file__).resolve().parents[1]
DIALECTS = ROOT / "workflows" / "core" / "dialects"


def main(argv: list[str] | None = None) -> int:
    """Rewrite stale pages, or with --check only list them. Exit 1 if --check finds one, or if a
    licence is not allowed."""
    options = argparse.ArgumentParser(prog="scripts.reference", description=__doc__)
    options.add_argument("--check", action="store_true", help="write nothing")
    check = options.parse_args(argv).check
    stale = stale_pages()
    for page, text in stale.items():
        print(f"{'stale' if check else 'wrote'} {page.relative_to(ROOT)}")
        if not check:
            page.write_text(text, encoding="utf-8")
    not_allowed = licences.problems()
    print("".join(f"{problem}\n" for problem in not_allowed), end="")
    return 1 if not_allowed or (stale and check) else 0


def stale_pages() -> dict[Path, str]:
    """Pages whose generated parts differ from the code, with their new text."""
    pages = {
        ROOT / "docs" / "architecture.md": {"layers": layers, "contracts": contracts},
        ROOT / "docs" / "cli.md": {"options": command_options},
        ROOT / "docs" / "rules.md": {"rules": general_rules},
        licences.PAGE: {
            "python": licences.python_table,
            "javascript": licences.javascript_table,
        },
        ROOT / "docs" / "security.md": {"scopes": token_scopes},
    }
    old = {page: page.read_text(encoding="utf-8") for page in pages}
    fresh = {page: _filled(old[page], parts) for page, parts in pages.items()}
    for name, dialect in dialects().items():
        page = DIALECTS / name / "README.md"
        old[page] = page.read_text(encoding="utf-8")
        fresh[page] = _retitled(old[page], dialect.rules())
    return {page: text for page, text in fresh.items() if text != old[page]}


def _filled(text: str, parts: Mapping[str, Callable[[], str]]) -> str:
    for name, make in parts.items():
        before, begin, rest = text.partition(f"<!-- begin {name} -->\n")
        _old, end, after = rest.partition(f"<!-- end {name} -->")
        if not (begin and end):
            raise ValueError(f"The page has no part {name!r}.")
        text = f"{before}{begin}{make()}\n{end}{after}"
    return text


def _retitled(text: str, rules: Iterable[Rule]) -> str:
    """The page of a dialect with the present level, title and profiles in the row of each rule."""
    for rule in rules:
        row = rf"^\| {rule.code} \| [^|]* \| (?:\\\||[^|])* \|(?: [^|]* \|)?$"
        made = f"| {rule.code} | {rule.level} | {rule.title} | {rule.held} |".replace("\\", r"\\")
        text = re.sub(row, made, text, flags=re.MULTILINE)
    return text


def general_rules() -> str:
    """The table of rules over any graph, with their help."""
    rows = ["| code | level | rule | profiles | help |", "|---|---|---|---|---|"]
    for rule in graph_rules.RULES:
        help_text = " ".join(rule.help.split())
        rows.append(f"| {rule.code} | {rule.level} | {rule.title} | {rule.held} | {help_text} |")
    rows.append(
        f"| {BROKEN_RULE} | warning | A rule failed | every | A rule raised an exception and was"
        " skipped. All other rules were checked. This is a bug in Signalbox, not in the pack. |"
    )
    rows += [
        "| IN002 | warning | A rule was stopped | every | On this pack the rule needs too"
        " much memory, or meets too deep nesting. All other rules were checked. Split the pack. |",
        "| IN003 | warning | The check was stopped | every | Checking the pack takes too long or"
        " needs too much memory, so findings of the rules are missing. Split the pack. |",
        "| IN004 | warning | The graph is cut | every | The pack has too many states or transitions"
        " to draw all, so the first are drawn. The files are complete. Split the pack. |",
    ]
    return "\n".join(rows)


def token_scopes() -> str:
    """The table of changing API operations with the scope that each needs from a token."""
    rows = ["| operation | scope |", "|---|---|"]
    for _, method, route, scope, access, *_ in map(str.split, api_rows()):
        if method != "GET" and access != "open":
            rows.append(f"| `{method} {route_of(route)}` | {scope} |")
    return "\n".join(rows)


def command_options() -> str:
    """One section per command: its summary and a table of its arguments."""
    (commands,) = (
        action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)
    )
    return "\n\n".join(_command(name, one) for name, one in commands.choices.items())


def _command(name: str, command: argparse.ArgumentParser) -> str:
    lines = [f"### signalbox {name}", "", command.description or ""]
    rows = [
        f"| {_argument(action)} | {_meaning(action)} |"
        for action in command._actions
        if action.dest != "help"
    ]
    if rows:
        lines += ["", "| argument | meaning |", "|---|---|", *rows]
    return "\n".join(lines)


def _argument(action: argparse.Action) -> str:
    value = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if not action.option_strings:
        return f"`{value}…`" if action.nargs in ("+", "*") else f"`{value}`"
    shown = ", ".join(f"`{option}`" for option in action.option_strings)
    return shown if action.nargs == 0 or action.choices else f"{shown} `{value}`"


def _meaning(action: argparse.Action) -> str:
    parts = [action.help or ""]
    if action.choices:
        parts.append(" or ".join(f"`{choice}`" for choice in action.choices))
    if action.required and action.option_strings:
        parts.append("required")
    if action.default not in (None, False, "", []):
        default = action.default[0] if isinstance(action.default, list) else action.default
        parts.append(f"default `{default}`")
    return "; ".join(part for part in parts if part)


def layers() -> str:
    """A Mermaid chart of the layer contracts in pyproject.toml. Imports point downward."""
    lines = ["```mermaid", "flowchart TB"]
    for contract in _contracts("layers"):
        root = contract["layers"][-1].partition(".")[0]
        lines.append(f"  subgraph {root}")
        rows = [_modules(row) for row in contract["layers"]]
        for number, row in enumerate(rows):
            names = " · ".join(module.partition(".")[2] for module in row)
            lines.append(f'    {root}{number}["{names}"]')
        lines += [f"    {root}{number} --> {root}{number + 1}" for number in range(len(rows) - 1)]
        lines.append("  end")
    lines += ["  signalbox --> workflows", "  workflows --> roles", "```"]
    return "\n".join(lines)


def _modules(row: str) -> list[str]:
    return [module.strip().strip("()") for module in re.split(r"[|:]", row)]


def contracts() -> str:
    """A list of all import contracts, with the modules that they forbid."""
    lines = []
    for contract in _contracts():
        match contract["type"]:
            case "layers":
                about = "the order of the picture"
            case "forbidden":
                about = f"{_named(contract['source_modules'])} without " + _named(
                    contract["forbidden_modules"]
                )
            case "independence":
                about = _named(contract["modules"])
            case other:
                about = str(other)
        lines.append(f"- **{contract['name']}**: {about}.")
    return "\n".join(lines)


def _named(modules: Iterable[str]) -> str:
    return ", ".join(f"`{module}`" for module in modules)


def _contracts(kind: str = "") -> Iterator[Mapping[str, list[str]]]:
    configuration.configure()
    for contract in read_configuration(str(ROOT / "pyproject.toml"))["contracts_options"]:
        if kind in ("", contract["type"]):
            yield contract


if __name__ == "__main__":
    sys.exit(main())
