"""List the names of modules, and flag those that are a bare participle or a metaphor.

    python -m scripts.module_names              # every name with its files
    python -m scripts.module_names --flagged    # only flagged names; exit code 1 if there are any

A module is named for the thing it holds, in a noun that a newcomer would search for. See
docs/style.md.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("signalbox", "workflows", "roles", "scripts", "tests", "bench", "frontend_static/src")
SUFFIXES = (".py", ".ts", ".tsx", ".css", ".mjs")
LEFT_OUT = ("migrations", "node_modules", "__pycache__", "samples", "data", "vectors")
"""Folders whose file names are not module names, or are fixed by a framework or a format."""

_WORDS: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
METAPHORS: frozenset[str] = frozenset(_WORDS["metaphors"])
IRREGULAR_PARTICIPLES: frozenset[str] = frozenset(_WORDS["irregular_participles"])
NOUNS: frozenset[str] = frozenset(_WORDS["nouns"])
ALLOWED: Mapping[str, str] = _WORDS["allowed"]
REGULAR_PARTICIPLE = re.compile(r"[a-z]{2,}(?:ing|ed)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleName:
    """The name of a module or package, without suffix and without `test_`."""

    name: str
    path: str

    @property
    def words(self) -> list[str]:
        """The words of a snake_case, kebab-case or camelCase name, in small letters."""
        spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_.-]", " ", self.name)
        return spaced.lower().split()

    @property
    def problem(self) -> str:
        """The reason for which the name is flagged; "" for a good one."""
        words = self.words
        if "_".join(words) in ALLOWED:
            return ""
        for word in words:
            if word in METAPHORS and word not in ALLOWED:
                return f"{word!r} is a metaphor"
        if len(words) == 1 and is_participle(words[0]):
            return f"{words[0]!r} is a bare participle"
        return ""


def is_participle(word: str) -> bool:
    """True for a present or past participle, and for a word that looks like one."""
    regular = REGULAR_PARTICIPLE.fullmatch(word) is not None and word not in NOUNS
    return regular or word in IRREGULAR_PARTICIPLES


def module_names(root: Path = ROOT) -> Iterator[ModuleName]:
    """Every module and package of the project, in path order."""
    for folder in FOLDERS:
        for path in [root / folder, *sorted((root / folder).rglob("*"))]:
            parts = path.relative_to(root).parts
            if any(part in LEFT_OUT or part.startswith(".") for part in parts):
                continue
            if path.suffix in SUFFIXES or _is_package(path):
                name = path.name.split(".")[0].removeprefix("test_")
                if name and not name.startswith("__"):
                    yield ModuleName(name=name, path="/".join(parts))


def _is_package(path: Path) -> bool:
    """True for a folder that holds modules, directly or below."""
    return path.is_dir() and any(each.suffix in SUFFIXES for each in path.rglob("*"))


def main() -> int:
    parser = argparse.ArgumentParser(description="List the names of modules.")
    parser.add_argument("--flagged", action="store_true", help="only flagged names")
    options = parser.parse_args()
    flagged = 0
    for module in module_names():
        problem = module.problem
        flagged += bool(problem)
        if problem or not options.flagged:
            print(f"{module.name}\t{module.path}\t{problem}".rstrip())
    return 1 if flagged and options.flagged else 0


if __name__ == "__main__":
    sys.exit(main())
