"""`.signalbox.toml`: the settings of the command line in a repository."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from signalbox.commands.errors import Trouble
from signalbox.project.repository import root_of
from signalbox.project.selection import Selection, known_families, unknown_codes
from workflows.core.dialects import dialects

NAME = ".signalbox.toml"
LEVELS = ("error", "warning", "never")
"""Values of `fail-on`."""

MOST_BYTES = 1_000_000


MOST_COST = 1_000_000
"""USD of one run that a limit can name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The settings for the packs of a folder. Paths in them are relative to `folder`."""

    folder: Path
    profile: str | None = None
    selection: Selection = field(default_factory=Selection)
    baseline: Path | None = None
    fail_on: str = "error"
    min_coverage: float | None = None
    allowed_gaps: tuple[str, ...] = ()
    max_agents: int | None = None
    max_cost: float | None = None
    """USD of one run."""
    session_model: str | None = None
    """The model of calls that name none."""
    assume: Mapping[str, int] = field(default_factory=dict)
    """Unknown of a worst case → its number."""
    recorded_runs: Mapping[str, str] = field(default_factory=dict)
    """Pack → a file or folder with its recorded runs."""

    def profile_for(self, names: tuple[str, ...]) -> str | None:
        """The profile for a format with these profiles. None if it has no such profile."""
        return self.profile if self.profile in names else None


def project_of(argument: str, file: str | None = None) -> Project:
    """The settings for a path on the command line: those in `file` (`--config`), else in the
    nearest `.signalbox.toml` up to the root of the repository. Outside a repository the search ends
    at the working directory, or at the path's own folder. Raises Trouble for an invalid file."""
    if file is not None:
        return _read(Path(file).absolute(), file)
    path = Path.cwd() if argument == "-" else Path(os.path.normpath(Path(argument).absolute()))
    return _search(path if path.is_dir() else path.parent, Path.cwd())


@cache
def _search(folder: Path, working: Path) -> Project:
    root = root_of(folder)
    last = root or (working if folder.is_relative_to(working) else folder)
    for place in (folder, *folder.parents):
        if (place / NAME).is_file():
            return _read(place / NAME, _shown(place / NAME, working))
        if place == last:
            break
    return Project(folder=last)


def forget_settings() -> None:
    """Read settings again, because a file may have changed."""
    _search.cache_clear()


def _shown(path: Path, working: Path) -> str:
    return str(path.relative_to(working)) if path.is_relative_to(working) else str(path)


def _read(path: Path, shown: str) -> Project:
    data = path.read_bytes()
    if len(data) > MOST_BYTES:
        raise Trouble(f"{shown}: the file has more than {MOST_BYTES:,} bytes.")
    try:
        text = data.decode("utf-8-sig")
        body = tomllib.loads(text)
    except UnicodeDecodeError as bad:
        raise Trouble(f"{shown}: this is not UTF-8 text.") from bad
    except tomllib.TOMLDecodeError as bad:
        raise Trouble(f"{shown}: this is not TOML: {bad}.") from bad
    except (RecursionError, ValueError) as bad:
        raise Trouble(f"{shown}: this TOML has a value that is too deep or too long.") from bad
    return _Reader(shown=shown, text=text).project(path.parent, body)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """Checks of one file. Every problem is Trouble with the file, the line and the key."""

    shown: str
    text: str

    def project(self, folder: Path, body: Mapping[str, Any]) -> Project:
        keys = (
            "profile",
            "select",
            "ignore",
            "per-path-ignores",
            "baseline",
            "fail-on",
            "max-agents",
            "max-cost",
            "session-model",
        )
        self._only(body, "", (*keys, "assume", "rehearse", "verify"))
        assume = self._table(body, "assume")
        rehearse, verify = self._table(body, "rehearse"), self._table(body, "verify")
        self._only(rehearse, "rehearse", ("min-coverage", "allowed-gaps"))
        self._only(verify, "verify", ("runs",))
        per_path = self._table(body, "per-path-ignores")
        runs = self._table(verify, "runs", "verify")
        baseline = self._text(body, "baseline")
        return Project(
            folder=folder,
            profile=self._profile(body),
            selection=Selection(
                select=self._codes(body, "select"),
                ignore=self._codes(body, "ignore"),
                per_path={
                    pattern: self._codes(per_path, pattern, "per-path-ignores")
                    for pattern in per_path
                },
            ),
            baseline=None if baseline is None else folder / baseline,
            fail_on=self._level(body),
            max_agents=self._count(body, "max-agents"),
            max_cost=self._number(body, "max-cost", MOST_COST),
            session_model=self._text(body, "session-model"),
            assume={name: self._count(assume, name, "assume") or 0 for name in assume},
            min_coverage=self._number(rehearse, "min-coverage", 100, "rehearse"),
            allowed_gaps=self._texts(rehearse, "allowed-gaps", "rehearse"),
            recorded_runs={pack: self._text(runs, pack, "verify.runs") or "" for pack in runs},
        )

    def _only(self, body: Mapping[str, Any], table: str, keys: tuple[str, ...]) -> None:
        for key in body:
            if key not in keys:
                raise self._trouble(
                    key, table, "is an unknown key", hint=f"Known keys: {', '.join(keys)}."
                )

    def _table(self, body: Mapping[str, Any], key: str, table: str = "") -> Mapping[str, Any]:
        value = body.get(key, {})
        if not isinstance(value, dict):
            raise self._trouble(key, table, "must be a table")
        return value

    def _text(self, body: Mapping[str, Any], key: str, table: str = "") -> str | None:
        value = body.get(key)
        if value is not None and (not isinstance(value, str) or not value or "\0" in value):
            raise self._trouble(key, table, "must be a text that is not empty")
        return value

    def _texts(self, body: Mapping[str, Any], key: str, table: str = "") -> tuple[str, ...]:
        value = body.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self._trouble(key, table, "must be a list of texts")
        return tuple(value)

    def _codes(self, body: Mapping[str, Any], key: str, table: str = "") -> tuple[str, ...]:
        codes = self._texts(body, key, table)
        for code in unknown_codes(codes):
            raise self._trouble(
                key,
                table,
                f"has {code!r}, which is not a finding code or the beginning of one",
                hint=f"Codes begin with {', '.join(sorted(known_families()))}.",
            )
        return codes

    def _profile(self, body: Mapping[str, Any]) -> str | None:
        profile = self._text(body, "profile")
        names = sorted({name for dialect in dialects().values() for name in dialect.profiles})
        if profile is not None and profile not in names:
            hint = f"Profiles: {', '.join(names)}."
            raise self._trouble("profile", "", f"has the unknown profile {profile!r}", hint=hint)
        return profile

    def _level(self, body: Mapping[str, Any]) -> str:
        level = body.get("fail-on", LEVELS[0])
        if level not in LEVELS:
            raise self._trouble("fail-on", "", f"must be one of {', '.join(LEVELS)}")
        return str(level)

    def _count(self, body: Mapping[str, Any], key: str, table: str = "") -> int | None:
        value = body.get(key)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._trouble(key, table, "must be a whole number from 0")
        return value

    def _number(
        self, body: Mapping[str, Any], key: str, most: int, table: str = ""
    ) -> float | None:
        value = body.get(key)
        if value is None:
            return None
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 0 <= value <= most:
            raise self._trouble(key, table, f"must be a number from 0 to {most:,}")
        return float(value)

    def _trouble(self, key: str, table: str, problem: str, hint: str = "") -> Trouble:
        name = f"{table}.{key}" if table else key
        line = self._line(key)
        where = f"{self.shown}:{line}" if line else self.shown
        return Trouble(f"{where}: {name!r} {problem}.", hint=hint)

    def _line(self, key: str) -> int:
        """The line on which a key is written first, 0 if it cannot be found."""
        for number, line in enumerate(self.text.split("\n"), start=1):
            name = line.strip()
            name = name.strip("[]") if name.startswith("[") else name.partition("=")[0]
            names = name.strip(), name.rpartition(".")[2].strip()
            if key in (one.strip("\"'") for one in names):
                return number
        return 0
