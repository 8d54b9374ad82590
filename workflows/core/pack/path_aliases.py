"""Paths that a file system or git would take for another name.

Sources: git's `path.c` (`is_ntfs_dotgit`, `is_hfs_dotgit`) and Microsoft's "Naming Files, Paths,
and Namespaces".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

BIDI_CONTROLS = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
"""Characters that change the order in which a name is shown."""
IGNORABLE = frozenset(
    "\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u206a\u206b\u206c\u206d\u206e\u206f\ufeff\u00ad\u034f\u180e\u200b\u2060\u2061\u2062\u2063\u2064"
)
"""Characters that HFS+ leaves out of comparisons, and others that are never seen."""
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {f"{name}{digit}" for name in ("com", "lpt") for digit in "0123456789¹²³"}
)
_GIT_NAMES = frozenset({".git", ".gitmodules", ".gitattributes", ".gitignore", ".mailmap"})


def is_hidden_text(char: str) -> bool:
    """Return True for a control character, one that changes the direction of text, or one that
    breaks a line."""
    return unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") or char in BIDI_CONTROLS


def is_device(part: str) -> bool:
    """Return True for a name of a device on Windows, with any extension."""
    stem = part.partition(".")[0].rstrip(" ").casefold()
    return stem in _DEVICES or unicodedata.normalize("NFKC", stem) in _DEVICES


def is_git_alias(part: str) -> bool:
    """Return True for `.git`, and for other spellings that git or a file system reads as a name of
    git. The plain names of files that git reads, such as `.gitignore`, are no aliases."""
    visible = "".join(char for char in part if char not in IGNORABLE)
    folded = unicodedata.normalize("NFKC", visible).casefold().rstrip(". ")
    if folded == ".git" or folded.startswith("git~"):
        return True
    return folded in _GIT_NAMES and part != folded


def same_name(path: str) -> str:
    """A key that is equal for paths that a case-insensitive file system takes for one."""
    visible = "".join(char for char in path if char not in IGNORABLE)
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", visible).casefold())


def first_clash(paths: Iterable[str]) -> tuple[str, str] | None:
    """The first two paths that cannot both be written to every file system: they differ in case
    only, or one is a folder of the other."""
    first: dict[str, str] = {}
    folders: dict[str, str] = {}
    for path in paths:
        key = same_name(path)
        if key in first:
            return first[key], path
        first[key] = path
        while "/" in key:
            key = key.rpartition("/")[0]
            folders.setdefault(key, path)
    for key, path in first.items():
        if key in folders:
            return path, folders[key]
    return None
