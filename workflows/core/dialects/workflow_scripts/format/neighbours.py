"""Scripts of one tree that refer to each other: by `workflow('name')`, or because two have one
name. A pack has the scripts that its own refers to, and never one that refers back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from posixpath import dirname, join, normpath

STARTED = re.compile(
    rb"(?<![.\w$])(?:workflow\s{0,40}\(\s{0,40}|scriptPath[\"']?\s{0,40}:\s{0,40})"
    rb"[\"'`]([^\"'`\n$]{1,200})[\"'`]"
)


@dataclass(frozen=True, kw_only=True)
class Script:
    """The names by which other scripts know a script, and those that it starts. `base` is the
    folder to which its folder of workflows belongs: files below it see the script."""

    path: str
    name: str
    base: str
    starts: frozenset[str]

    @property
    def stem(self) -> str:
        return self.path.rpartition("/")[2].rpartition(".")[0]

    @property
    def folder(self) -> str:
        return dirname(self.path)


def started_names(data: bytes) -> frozenset[str]:
    """The names and paths that a script starts as workflows."""
    return frozenset(name.decode("utf-8", "replace") for name in STARTED.findall(data))


def references(main: Script, scripts: Mapping[str, Script]) -> Iterator[str]:
    """The paths of the scripts that `main` refers to."""
    for path in dict.fromkeys(_targets(main, scripts)):
        if main.path not in _targets(scripts[path], scripts):
            yield path


def child_of(main: Script, name: str, scripts: Mapping[str, Script]) -> str | None:
    """The path of the script that `workflow(name)` starts: the nearest one."""
    exact = normpath(join(main.folder, name))
    if exact in scripts and exact != main.path:
        return exact
    named = [
        one
        for one in scripts.values()
        if name in (one.name, one.stem) and one.path != main.path and _sees(main, one)
    ]
    nearest = min(
        named, key=lambda one: (one.folder != main.folder, -len(one.base), one.path), default=None
    )
    return nearest.path if nearest else None


def _targets(main: Script, scripts: Mapping[str, Script]) -> Iterator[str]:
    for name in sorted(main.starts):
        if (path := child_of(main, name, scripts)) is not None:
            yield path
    twin = min(
        (one for one in scripts.values() if _is_before(one, main)),
        key=lambda one: (one.folder != main.folder, one.path),
        default=None,
    )
    if twin is not None:
        yield twin.path


def _sees(main: Script, other: Script) -> bool:
    inside = f"{main.folder}/".startswith(f"{other.base}/" if other.base else "")
    return main.folder == other.folder or inside


def _is_before(one: Script, main: Script) -> bool:
    """True for another script that takes the name of `main`: of one folder the one whose file has
    the name, of several the one that is nearer to the files below it."""
    if one.name != main.name or not main.name or one.path == main.path:
        return False
    if one.folder == main.folder:
        return (one.stem != one.name, one.path) < (main.stem != main.name, main.path)
    return one.base != main.base and one.base.startswith(f"{main.base}/" if main.base else "")
