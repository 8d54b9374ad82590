"""The state of a node during a run: queues, status, summary and stall counters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, TypeAlias

from workflows.core.dialects.agent_graph.format.model import Node

NodeStatus: TypeAlias = Literal["idle", "failed", "stalled", "stopped"]
Json: TypeAlias = Mapping[str, Any]

SESSION_TURNS = 8
"""Number of earlier turns of a node's session to send with the next one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """All inputs of a turn. `results` are the results of the last turn's calls; with `wake`, the
    node gets a turn for them at once."""

    messages: tuple[Json, ...] = ()
    inbox: tuple[Json, ...] = ()
    results: tuple[Json, ...] = ()

    @property
    def waiting(self) -> bool:
        """True if the inputs need a turn."""
        return bool(self.messages or self.inbox or any(one.get("wake") for one in self.results))

    def then(self, later: Inputs) -> Inputs:
        """These inputs followed by later ones. Interruptions go to the front."""
        urgent = tuple(one for one in later.messages if one.get("interrupt"))
        rest = tuple(one for one in later.messages if not one.get("interrupt"))
        return Inputs(
            messages=(*urgent, *self.messages, *rest),
            inbox=(*self.inbox, *later.inbox),
            results=(*self.results, *later.results),
        )

    def to_json(self) -> dict[str, list[Json]]:
        return {
            "messages": list(self.messages),
            "inbox": list(self.inbox),
            "results": list(self.results),
        }

    @classmethod
    def of(cls, value: Json) -> Inputs:
        return cls(
            **{name: tuple(value.get(name, ())) for name in ("messages", "inbox", "results")}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeState:
    """`queued` are the inputs of the next turn. `standing` is the node's status while it has no
    turn; only a person can wake a node that is not idle. `sent` is the header hash of the session's
    last full prompt. `stall`: see stalls.py."""

    queued: Inputs = Inputs()
    turn: int = 0
    standing: NodeStatus = "idle"
    summary: str = ""
    sent: str = ""
    stall: Json = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {**asdict(replace(self, queued=Inputs())), "queued": self.queued.to_json()}

    @classmethod
    def of(cls, value: Json) -> NodeState:
        values = {item.name: value[item.name] for item in fields(cls) if item.name in value}
        return cls(**{**values, "queued": Inputs.of(value.get("queued", {}))})


def initial_state(node: Node, message: str = "") -> NodeState:
    """The state of a node before its first turn. The author's instructions are its first message,
    `message` the second."""
    begin = [text for text in (node.instructions, message) if text.strip()]
    return NodeState(queued=Inputs(messages=tuple(make_message(text) for text in begin)))


def make_message(text: str, *, role: str = "user", interrupt: bool = False) -> dict[str, Any]:
    """A message for a node's queue. `role` is `user` for a person, `system` for the run."""
    return {"role": role, "text": text, "interrupt": interrupt}
