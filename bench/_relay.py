"""The dialect of bench.steps: two states that request a model reply and take a transition, and a
state that forks into five such requests and joins them.

The cost of a step is therefore the cost of engine, log and worker.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects import dialects
from workflows.core.dialects.base import Dialect, SourceDefaults
from workflows.core.engine.effects import AskModel, Choice, Effect
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Ask, End, Fork, Join, Outcome, Program, Take
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Reply, Signal
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding, Place, Rule
from workflows.core.pack.graph import Graph

MAIN = "relay.txt"
OTHER = {"ping": "pong", "pong": "ping"}
CHOICES = {
    state: (Choice(label="Next", transition=f"{state}|Next|{other}", reply={"text": "Next"}),)
    for state, other in OTHER.items()
}


@dataclass(frozen=True)
class Source(SourceDefaults):
    files: Files
    main: str = MAIN
    findings: tuple[Finding, ...] = ()
    readable: bool = True

    def locate(self, place: Place) -> Place:
        return place


@dataclass(frozen=True)
class Relay(Program):
    """Both states request a reply, and every reply takes the transition."""

    def start(self, run: RunState) -> tuple[str, ...]:
        return ("ping",)

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        effect = AskModel(
            key=key,
            position=position.id,
            state=position.state,
            system="Hand over.",
            choices=CHOICES[position.state],
        )
        return Outcome(next=Ask(effect=effect))

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        match signal:
            case Reply(error=""):
                return Outcome(next=Take(target=OTHER[position.state], label="Next"))
            case _:
                return Outcome(next=End(status="failed", reason="No answer."))

    def fire(self, run: RunState, position: Position, event: str) -> Outcome | None:
        return None


BRANCHES = 5
FORKED = Draft(type="relay.forked", fields={"memory": {"forked": True}})
BRANCH = Take(target="work", label="Begin")


@dataclass(frozen=True)
class Fan(Relay):
    """`split` forks into five branches that request one reply each, and enters itself again."""

    def start(self, run: RunState) -> tuple[str, ...]:
        return ("split",)

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        if position.state == "work":
            effect = AskModel(key=key, position=position.id, state="work", system="Hand over.")
            return Outcome(next=Ask(effect=effect))
        if position.memory.get("forked"):
            return Outcome(next=Take(target="split", label="Repeat"))
        return Outcome(drafts=(FORKED,), next=Fork(takes=(BRANCH,) * BRANCHES))

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        return Outcome(next=Join())


PROGRAMS = {"two states": Relay(), "fork": Fan()}
"""Profile → program."""


@dataclass(frozen=True)
class RelayDialect(Dialect):
    name: str = "relay"
    label: str = "Relay"
    profiles: tuple[str, ...] = tuple(PROGRAMS)
    file_names: tuple[str, ...] = ()

    def recognises(self, files: Files) -> list[Any]:
        return []

    def read(self, files: Files) -> Source:
        return Source(files=files)

    def rules(self) -> Iterable[Rule]:
        return ()

    def graph(self, source: Source, profile: str) -> Graph:
        return Graph(
            dialect=self.name, profile=profile, name="Relay", entries=(), states=(), transitions=()
        )

    def program(self, source: Source, profile: str) -> Relay:
        return PROGRAMS[profile]

    def samples(self) -> Mapping[str, Files]:
        return {}


def relay_pack(profile: str = "two states") -> Any:
    """A stored pack of this dialect."""
    from workflows.actions import revision_store
    from workflows.models import Pack, Revision

    dialects().setdefault("relay", RelayDialect())  # type: ignore[abstract]
    data = b"ping pong"
    revision_store.put([data])
    pack = Pack.objects.create(name="Relay", dialect="relay", profile=profile, main=MAIN, head=1)
    Revision.objects.create(
        pack=pack, number=1, kind=Revision.Kind.IMPORT, manifest={MAIN: revision_store.digest(data)}
    )
    return pack
