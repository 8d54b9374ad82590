"""Existing names, read from the API itself, so that new ones are picked up."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from tests.fuzz.populated_database import ApiUser

Places = tuple[dict[str, Any], ...]
ROWS = 4
"""Rows that are read of each list."""
VALUES = 40
"""Values of one name that are kept."""
MEANS = {
    "base": ("revision", "head"),
    "after": ("last", "revision"),
    "at": ("n",),
    "from": ("number", "revision"),
    "to": ("number", "revision", "dialect"),
    "sample": ("title",),
    "source": ("states", "source"),
    "target": ("states", "target"),
    "state": ("states", "state"),
    "states": ("states",),
    "transition": ("transitions",),
    "breakpoints": ("states", "transitions"),
    "object": ("element",),
    "connection": ("connections",),
    "role": ("agent-roles", "role"),
    "mode": ("modes",),
    "pack": ("packs",),
    "run": ("runs",),
    "as": ("name",),
}
"""Fields of requests → the fields or lists of answers that have their values."""
COSTS = {"runs": 3}
"""Numbers that are kept small, because they define an amount of work."""
HREF = re.compile(r"/api/v1/\S+")


class ValuePool:
    """`places[path template]`: parameters of real things; `values[name]`: what fields hold."""

    def __init__(self, paths: Iterable[str], person: ApiUser) -> None:
        self.places: dict[str, Places] = {}
        self.values: dict[str, list[Any]] = defaultdict(list)
        self._shapes = {path: _pattern(path) for path in paths}
        self._person = person
        self._answers: dict[str, Any] = {}
        order = sorted(self._shapes, key=lambda path: path.count("{"))
        for path in order * 2:  # rows of one list may be part of another's path
            linked = self.places.get(path, ())
            found = tuple(islice(self._found(path), ROWS))
            self.places[path] = found + tuple(place for place in linked if place not in found)
            for place in self.places[path][:ROWS]:
                self._read(path.format(**place))

    def _found(self, path: str) -> Iterator[dict[str, Any]]:
        """Parameters of a path, by what is listed at the path before its last parameter."""
        if "{" not in path:
            yield {}
            return
        above, _, rest = path.rpartition("{")
        name, _, tail = rest.partition("}")
        if tail != "/":
            shorter = f"{above}{{{name}}}/"
            yield from self.places.get(shorter) or self._found(shorter)
            return
        for place in self.places.get(above) or self._found(above):
            rows = self._answers.get(above.format(**place)) or self._rows_of(above)
            for row in _rows(rows)[:ROWS]:
                if (value := _id_of(row, name)) is not None:
                    yield {**place, name: value}

    def _rows_of(self, above: str) -> Any:
        """The list that the first segment of a path is about, or ids of one of that name."""
        start = above.split("/")[:4]
        ids = [{"id": value} for value in self.values.get(start[-1], ())]
        return self._answers.get("/".join(start) + "/") or ids

    def _read(self, href: str) -> None:
        if href in self._answers:
            return
        answer = self._person.ask("GET", href)
        if answer.status_code != 200 or "json" not in answer["Content-Type"]:
            return
        self._answers[href] = answer.json()
        self._collect(self._answers[href], href.rstrip("/").rpartition("/")[2])

    def _collect(self, value: Any, name: str) -> None:
        match value:
            case dict():
                if "id" in value:
                    self._keep(name, value["id"])
                for key, item in value.items():
                    self._collect(item, name if key == "results" else key)
            case list():
                for item in value:
                    self._collect(item, name)
            case str() if HREF.fullmatch(value):
                for path, shape in self._shapes.items():
                    if found := shape.fullmatch(value):
                        self.places[path] = (*self.places.get(path, ()), found.groupdict())
            case str() | int():
                self._keep(name, value)

    def _keep(self, name: str, value: Any) -> None:
        kept = self.values[name]
        if value not in kept and len(kept) < VALUES:
            kept.append(value)

    def place(self, path: str, chance: random.Random) -> dict[str, Any]:
        """Parameters of something real; none where there is nothing."""
        return dict(chance.choice(self.places[path])) if self.places.get(path) else {}

    def named(
        self, value: Any, chance: random.Random, name: str = "", *, given_as_text: bool = False
    ) -> Any:
        """The same value with some of the names in it being real ones: those of a query are all
        given as text."""
        match value:
            case Mapping():
                return {
                    key: self.named(item, chance, str(key), given_as_text=given_as_text)
                    for key, item in value.items()
                }
            case list():
                return [self.named(item, chance, name) for item in value]
            case int() if name in COSTS:
                return min(value, COSTS[name])
            case str() | int() if not isinstance(value, bool):
                known = [
                    item
                    for field in MEANS.get(name, (name,))
                    for item in self.values.get(field, ())
                    if type(item) is type(value) or given_as_text
                ]
                return chance.choice(known) if known and chance.random() < 0.8 else value
            case _:
                return value


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(path)))


def _rows(body: Any) -> list[Any]:
    rows = body.get("results", ()) if isinstance(body, dict) else body
    return list(rows or ())


def _id_of(row: Any, name: str) -> Any:
    if not isinstance(row, dict):
        return None
    return next((row[key] for key in (name, "id", "number", "key", "name") if key in row), None)
