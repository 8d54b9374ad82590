"""Answers to the requests that the read-only editor sends, from files in memory.

Addresses and bodies are those of the API, made by the same functions. Other requests need a server
and are refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlsplit

from workflows.core.dialects import dialects, recognise
from workflows.core.engine.effects import ToolSpec
from workflows.core.pack.files import Files
from workflows.core.pack.thumbnail import thumbnail_of
from workflows.core.tools.availability import open_spec
from workflows.errors import BadRequest, CallerError, NothingRecognised
from workflows.opened_packs import bodies
from workflows.opened_packs.known_tools import findings_json, findings_with_tools
from workflows.opened_packs.rehearsals import rehearsed_json
from workflows.opened_packs.view import Opened, View
from workflows.responses.error_bodies import described

PACKS = "/api/v1/packs/"
NO_BUTTON = {"can": False, "label": ""}


class NeedsServer(CallerError, code="needs_server", status=403):
    """This page has no server, so it cannot do this. Install Signalbox."""


@dataclass(frozen=True, kw_only=True)
class DemoPack:
    """An opened pack, with the columns of a stored one."""

    id: int
    name: str
    main: str
    opened: Opened
    profile: str
    changed_at: datetime
    origin: str = ""
    folder: str = ""
    head: int = 1

    @property
    def dialect(self) -> str:
        return self.opened.dialect.name

    @property
    def view(self) -> View:
        return self.opened.under(self.profile)

    @property
    def errors(self) -> int:
        return self.view.count("error")

    @property
    def warnings(self) -> int:
        return self.view.count("warning")

    def known(self) -> dict[str, ToolSpec]:
        """Every tool that the pack names: there is no server that could lack one."""
        return {tool.name: open_spec(tool.name) for tool in self.view.drawn.named_tools}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The values of each parameter, and the body of a POST or PATCH."""

    query: Mapping[str, list[str]]
    body: Mapping[str, Any]

    def one(self, name: str) -> str:
        """The value of a parameter. Raises BadRequest."""
        if name not in self.query:
            raise BadRequest(f"The parameter `{name}` is missing.", where=name)
        return self.query[name][0]

    def number(self, name: str) -> int | None:
        """The value of a parameter that is a number; None without one. Raises BadRequest."""
        if name not in self.query:
            return None
        try:
            return int(self.one(name))
        except ValueError:
            raise BadRequest("This is not a whole number.", where=name) from None


def detail(pack: DemoPack, asked: Asked) -> Any:
    """The pack as the top bar shows it."""
    graph = pack.view.graph
    top = graph.on("")
    card = bodies.card_json(
        pack,
        states=len(top.states),
        transitions=len(top.transitions),
        drawing=thumbnail_of(graph),
        last_run=None,
    )
    return bodies.detail_json(card, pack.opened, None)


def graph(pack: DemoPack, asked: Asked) -> Any:
    """The drawing, with its findings."""
    return bodies.graph_json(
        pack.view,
        pack.view,
        {},
        pack.known,
        pack=pack.id,
        revision=pack.head,
        undo=NO_BUTTON,
        redo=NO_BUTTON,
        saved_at=pack.changed_at.isoformat(),
    )


def findings(pack: DemoPack, asked: Asked) -> Any:
    """Every finding."""
    shown = findings_with_tools(pack.view, pack.known)
    return findings_json(shown, most=asked.number("per_rule"))


def files(pack: DemoPack, asked: Asked) -> Any:
    """The files, or the text of one."""
    if "path" not in asked.query:
        return bodies.file_list(pack.opened.files, pack.main)
    path = asked.one("path")
    text = bodies.file_text(pack.opened.files, path)
    return {"path": path, "revision": pack.head, **text}


Answer: TypeAlias = Callable[[DemoPack, Asked], Any]
ANSWERS: Mapping[str, Answer] = {
    "GET ": detail,
    "GET graph/": graph,
    "GET findings/": findings,
    "GET files/": files,
    "GET fields/": lambda pack, asked: bodies.form(pack.view, asked.one("element"), pack.known),
    "GET offers/": lambda pack, asked: bodies.offers(pack.view, asked.one("state")),
    "GET text-ranges/": lambda pack, asked: bodies.text_ranges(pack.view, asked.one("path")),
    "GET worst-case/": lambda pack, asked: bodies.worst_case_json(
        pack.view, asked.query.get("assume", ()), asked.query.get("session_model", [None])[0]
    ),
    "POST rehearse/": lambda pack, asked: rehearsed_json(pack.view, pack.known, **asked.body),
}
"""Method, and the address below that of the pack → the answer."""


class Demo:
    """The packs of one tree of files. Ids count from 1."""

    def __init__(self, files: Files) -> None:
        """Raises BadFiles, and NothingRecognised for files without a pack."""
        self._packs: dict[int, DemoPack] = {}
        for id, one in enumerate(recognise(files), 1):
            dialect = dialects()[one.dialect]
            self._packs[id] = DemoPack(
                id=id,
                name=one.name,
                main=one.main,
                opened=Opened(dialect, Files({path: files[path] for path in one.paths})),
                profile=dialect.profiles[0],
                changed_at=datetime.now(UTC),
            )
        if not self._packs:
            raise NothingRecognised(hint=bodies.known_formats(), where=", ".join(list(files)[:3]))

    @property
    def packs(self) -> list[dict[str, Any]]:
        """Id, name, format and main file of each pack."""
        return [
            {"id": one.id, "name": one.name, "format": one.opened.dialect.label, "main": one.main}
            for one in self._packs.values()
        ]

    def answer(self, method: str, address: str, text: str = "") -> tuple[int, Any]:
        """Status and body for a request; `text` is its body as JSON."""
        return answered(partial(self._answer, method, address, text))

    def _answer(self, method: str, address: str, text: str) -> Any:
        parts = urlsplit(address)
        asked = Asked(query=parse_qs(parts.query), body=json.loads(text or "{}"))
        if parts.path == "/api/v1/dialects/" and method == "GET":
            return bodies.dialect_list()
        id, _, rest = parts.path.removeprefix(PACKS).partition("/")
        pack = self._packs.get(int(id)) if id.isdecimal() else None
        if pack is None:
            raise NeedsServer
        if (method, rest) == ("PATCH", "") and asked.body.keys() == {"profile"}:
            pack = self._packs[pack.id] = replace(pack, profile=asked.body["profile"])
            return detail(pack, asked)
        if (made := ANSWERS.get(f"{method} {rest}")) is None:
            raise NeedsServer
        return made(pack, asked)


def answered(work: Callable[[], Any]) -> tuple[int, Any]:
    """Status 200 and the result, or those of the error."""
    try:
        return 200, work()
    except Exception as raised:
        if (known := described(raised)) is not None:
            return known
        raise
