"""A run of a small pack, driven by scripted answers of models, tools and people."""

from __future__ import annotations

from typing import Any

from tests.dialects.promptpack.packs import pack
from tests.dialects.promptpack.packs import source as read
from workflows.core.dialects.promptpack.program.program import PackProgram, program
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Approve, Reply, Start, ToolCall, ToolDone
from workflows.core.engine.transition import transition


class ScriptedRun:
    """A run in progress."""

    def __init__(
        self,
        changes: dict[str, Any],
        *,
        profile: str = "documented",
        inputs: dict[str, str] | None = None,
        source: PackSource | None = None,
    ) -> None:
        self.program: PackProgram = program(source or read(pack(changes)), profile)
        self.run, self.log = RunState(), list[Event]()
        self.at = 1.0
        self.send(Start(at=self.at, inputs=inputs or {}))

    def send(self, signal: Any) -> None:
        events, _ = transition(self.program, self.run, signal)
        self.log += events
        self.run = fold_all(events, self.run)

    @property
    def pending(self) -> Any:
        (effect,) = pending_effects(self.run)
        return effect

    @property
    def effects(self) -> tuple[Any, ...]:
        """All pending effects, oldest first."""
        return pending_effects(self.run)

    @property
    def state(self) -> str:
        return self.run.positions[0].state

    def model(self, text: str = "", *calls: tuple[str, dict[str, Any]]) -> None:
        made = tuple(
            ToolCall(name=name, arguments=arguments, id=f"c{number}")
            for number, (name, arguments) in enumerate(calls)
        )
        self.at += 1
        self.send(Reply(at=self.at, key=self.pending.key, text=text, tool_calls=made))

    def take(self, event: str, context: str = "") -> None:
        self.model("", ("workflow__transition", {"event": event, "context": context}))

    def types(self) -> list[str]:
        return [event.type for event in self.log]

    def last(self, type: str) -> Event:
        return next(event for event in reversed(self.log) if event.type == type)

    def pending_in(self, state: str) -> Any:
        """The pending effect of this state, if several are pending."""
        return next(effect for effect in pending_effects(self.run) if effect.state == state)

    def reply(self, state: str = "", **fields: Any) -> None:
        """Answer as the model in a state, with a value if `structured` is set."""
        effect = self.pending_in(state) if state else self.pending
        self.at += 1
        self.send(Reply(at=self.at, key=effect.key, **fields))

    def tool(self, result: str = "", *, error: str = "", state: str = "") -> None:
        """Answer as the tool of the pending call."""
        effect = self.pending_in(state) if state else self.pending
        self.at += 1
        self.send(ToolDone(at=self.at, key=effect.key, result=result, error=error))

    def person(self, **fields: Any) -> None:
        """Answer as the person of the pending question."""
        self.at += 1
        self.send(Approve(at=self.at, key=self.pending.key, **fields))

    def events_of(self, type: str) -> list[Event]:
        return [event for event in self.log if event.type == type]
