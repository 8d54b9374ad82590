"""One of the two versions that are compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from posixpath import dirname
from typing import Any

from workflows.core.dialects.base import Dialect, Source
from workflows.core.pack.edits import EditRefused
from workflows.core.pack.forms import Form
from workflows.core.pack.graph import Graph, State
from workflows.core.text.json.pointer import unescape
from workflows.core.text.tolerant import as_object

NO_OBJECTS = ("file", "entry")
"""Kinds of the outline that are no objects: files are compared as files, entries in the graph."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Version:
    """A source with its graph."""

    dialect: Dialect
    source: Source
    graph: Graph
    _documents: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def states(self) -> dict[str, State]:
        return {state.id: state for state in self.graph.states}

    @cached_property
    def objects(self) -> tuple[str, ...]:
        """Elements of the outline without a state of their own, the pack itself first."""
        elements = {"pack": None}
        for section in self.dialect.outline(self.source):
            if section.kind not in NO_OBJECTS:
                elements.update((element, None) for element, _ in section.items)
        return tuple(element for element in elements if not self._is_drawn(element))

    def _is_drawn(self, element: str) -> bool:
        """True for a prompt or agent that is also a state."""
        kind, _, key = element.partition(":")
        state = self.states.get(key)
        return state is not None and state.kind == kind

    def form(self, element: str) -> Form | None:
        try:
            return self.dialect.fields(self.source, element, self.graph.profile)
        except EditRefused:
            return None

    def document(self, path: str) -> Any:
        """The JSON value of a file; None for other files."""
        if path not in self._documents:
            self._documents[path] = json_value(self.source.files.get(path))
        return self._documents[path]

    def tree(self, state: State) -> Any:
        """The value of a state in its file."""
        value = self.document(state.place.path)
        for key in state.place.pointer.split("/")[1:]:
            value = as_object(value).get(unescape(key))
        return value

    def path_in(self, other: Version, path: str) -> str:
        """The path of this file in the other version, which may have another name or folder."""
        here, there = self.source.main, other.source.main
        if path == here:
            return there
        folder = f"{dirname(here)}/" if dirname(here) else ""
        new = f"{dirname(there)}/" if dirname(there) else ""
        return new + path.removeprefix(folder) if path.startswith(folder) else path


def json_value(data: bytes | None) -> Any:
    """A JSON object or list; None for anything else."""
    try:
        value = json.loads(data or b"")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def versions(
    dialect: Dialect,
    before: Any,
    after: Any,
    profile: str,
    graphs: tuple[Graph, Graph] | None = None,
) -> tuple[Version, Version]:
    """Both versions with their graphs, which are drawn if they are not given."""
    was, now = graphs or (dialect.graph(before, profile), dialect.graph(after, profile))
    return (
        Version(dialect=dialect, source=before, graph=was),
        Version(dialect=dialect, source=after, graph=now),
    )


def wire_differences(
    was: Mapping[str, Any], now: Mapping[str, Any], but: tuple[str, ...]
) -> dict[str, tuple[Any, Any]]:
    """Fields of the drawing that differ."""
    return {
        name: (was[name], item)
        for name, item in now.items()
        if name not in but and was[name] != item
    }
