"""The smallest dialect there is: a JSON table of states, run by the engine tests' `Machine`."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.state_machine import Machine
from workflows.core.dialects import dialects
from workflows.core.dialects.base import Dialect, SourceDefaults
from workflows.core.engine.program import Budget, CannotRun
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding, Place, Rule
from workflows.core.pack.forms import Section
from workflows.core.pack.graph import Graph
from workflows.models import Blob, Pack, Revision

MAIN = "machine.json"


@dataclass(frozen=True)
class Source(SourceDefaults):
    files: Files
    table: dict[str, Any]
    main: str = MAIN
    findings: tuple[Finding, ...] = ()
    readable: bool = True

    def locate(self, place: Place) -> Place:
        return place


@dataclass
class Tiny(Dialect):
    """A dialect that is read and run, but not drawn or edited."""

    name: str = "tiny"
    label: str = "Tiny"
    profiles: tuple[str, ...] = ("plain",)
    file_names: tuple[str, ...] = ()

    def recognises(self, files: Files) -> list[Any]:
        return []

    def read(self, files: Files) -> Source:
        return Source(files=files, table=json.loads(files[MAIN]))

    def rules(self) -> Iterable[Rule]:
        return ()

    def graph(self, source: Source, profile: str) -> Graph:
        if source.table.get("cannot"):
            return Graph(
                dialect=self.name, profile=profile, name="", entries=(), states=(), transitions=()
            )
        return self.program(source, profile).graph()

    def outline(self, source: Source) -> tuple[Section, ...]:
        return ()

    def program(self, source: Source, profile: str) -> Machine:
        if source.table.get("cannot"):
            raise CannotRun(source.table["cannot"]["why"])
        caps = {state: tuple(cap) for state, cap in source.table.get("caps", {}).items()}
        table = {state: spec for state, spec in source.table.items() if state != "caps"}
        return Machine(table=table, caps=caps, budget=Budget())

    def samples(self) -> Mapping[str, Files]:
        return {}


def register() -> None:
    """Register the dialect in addition to the discovered ones."""
    dialects().setdefault("tiny", Tiny())


def tiny_pack(table: Mapping[str, Any]) -> Pack:
    """A stored pack with one revision."""
    register()
    data = json.dumps(table).encode()
    digest = hashlib.sha256(data).hexdigest()
    Blob.objects.get_or_create(
        hash=digest, defaults={"data": zlib.compress(data), "size": len(data)}
    )
    pack = Pack.objects.create(name="Tiny", dialect="tiny", profile="plain", main=MAIN, head=1)
    Revision.objects.create(pack=pack, number=1, kind=Revision.Kind.IMPORT, manifest={MAIN: digest})
    return pack
