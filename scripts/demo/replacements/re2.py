"""RE2 as JavaScript: the part of google-re2 that `core.patterns.linear` uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from signalbox_page import linear


class error(Exception):  # noqa: N801
    """A pattern that RE2 refuses. Its argument is RE2's message."""


class Options:
    """Limits of memory do not apply here: the page's worker has its own."""


@dataclass(frozen=True)
class Pattern:
    compiled: Any
    programsize: int = 1
    """Matching takes linear time, and the page waits for nothing else."""

    def search(self, data: bytes) -> object:
        return self.compiled.matcher(data.decode()).find() or None

    def fullmatch(self, data: bytes) -> object:
        return self.compiled.matcher(data.decode()).matches() or None


def compile(data: bytes, options: Options) -> Pattern:
    compiled, problem = linear.compile(data.decode())
    if compiled is None:
        raise error(problem.encode())
    return Pattern(compiled)


def escape(text: str) -> str:
    return str(linear.escape(text))
