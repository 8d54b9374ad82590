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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("signalbox", "workflows", "roles", "scripts", "tests", "bench", "frontend_static/src")
SUFFIXES = (".py", ".ts", ".tsx", ".css", ".mjs")
LEFT_OUT = ("migrations", "node_modules", "__pycache__", "samples", "data", "vectors")
"""Folders whose file names are not module names, or are fixed by a framework or a format."""

METAPHORS = frozenset(
    """
    beginning bench beside brood circle circles desk doorbell guards halves ledger mailbox outward
    pen pens plain plate play reach ring room say scene scout setting shelf sight sights sketch spot
    stand standing stay stays stint stops stride trail truth way ways words
    """.split()  # noqa: SIM905
)
"""Words that hide what a module holds, also as a part of a longer name."""

IRREGULAR_PARTICIPLES = frozenset(
    """
    begun bound bought broken brought built caught chosen come cut done drawn felt found forgotten
    given gone grown heard held hidden kept known laid led left lent lost made meant met moved paid
    put read said seen sent set shown sought spent spoken sprung stood struck sung sworn taken
    taught thrown told torn understood woken won worn written
    """.split()  # noqa: SIM905
)
REGULAR_PARTICIPLE = re.compile(r"[a-z]{2,}(?:ing|ed)")
NOUNS = frozenset(
    "bed feed embed need seed shed speed sled weed king ping ring spring string thing wing".split()  # noqa: SIM905
)
"""Nouns that only look like participles."""

ALLOWED: Mapping[str, str] = {
    "bench": "the folder of the benchmarks",
    "canned": "the usual word for a reply that was recorded in advance",
    "embedded": "the name of the queue inside the server process, as in the setting",
    "layered": "the name of the layout algorithm",
    "naming": "a noun: the naming of new elements",
    "paging": "a noun: the division of a list into pages",
    "painting": "a noun: the drawing of the far view on a 2D canvas",
    "pending": "the word of the API for approvals and questions without an answer",
    "planning": "the name of the mode, as in the role's settings",
    "recording": "a noun: the recorded log of a run",
    "rendering": "a noun: the rendering of templates",
    "routing": "the word of channels for its URL table",
    "scene": "the word of graphics for the data that is drawn",
    "simulated": "the word of the glossary",
    "tracing": "the word of OpenTelemetry",
}
"""Names that are right although they match, each with the reason."""


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
        """Why the name is flagged; "" for a good one."""
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
    """Whether a word is a present or past participle, or looks like one and is no known noun."""
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
    """Whether a folder holds modules, directly or below."""
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
