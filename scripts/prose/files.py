"""Files with prose, and the paths that are left out, read from paths.toml."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scripts.prose.fragments import KINDS, ROOT, Fragment, reader_of


@dataclass(frozen=True, slots=True)
class Exempt:
    """Paths whose texts of these kinds are not ours to rewrite."""

    path: str
    kinds: frozenset[str]
    reason: str


@dataclass(frozen=True, slots=True)
class Paths:
    """Texts that the linter leaves out."""

    exempt: tuple[Exempt, ...]

    def allows(self, fragment: Fragment) -> bool:
        """Return True if the linter reads this text."""
        return not any(
            fragment.kind in one.kinds and matches(fragment.path, one.path) for one in self.exempt
        )


def configured() -> Paths:
    """The list of paths.toml."""
    table = tomllib.loads(Path(__file__).with_name("paths.toml").read_text(encoding="utf-8"))
    return Paths(
        exempt=tuple(
            Exempt(one["path"], frozenset(one.get("kinds", KINDS)), one["reason"])
            for one in table["exempt"]
        )
    )


def matches(path: str, entry: str) -> bool:
    """Entries that end in a slash match all below; `*` matches one name, `**` any folders."""
    return _pattern(entry).fullmatch(path) is not None


@cache
def _pattern(entry: str) -> re.Pattern[str]:
    if entry.endswith("/"):
        entry += "**"
    return re.compile(
        "".join(
            {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}.get(part, re.escape(part))
            for part in re.split(r"(\*\*/|\*\*|\*)", entry)
        )
    )


def project_files(below: Iterable[str] = ()) -> list[str]:
    """Files of the project that hold prose, relative to the root; only those below these paths."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *below],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    names = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    return sorted(name for name in names if reader_of(name) is not None)
