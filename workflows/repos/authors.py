"""Authors of the commits of runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """The author of a commit."""

    name: str = "Signalbox"
    email: str = "signalbox@localhost"

    def environment(self) -> dict[str, str]:
        return {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", _plain(self.name)), ("EMAIL", _plain(self.email)))
        }


def _plain(text: str) -> str:
    return "".join(char for char in text if char not in "<>\n\r\0").strip() or "Signalbox"
