"""Ways to mend a run that failed or paused, for its headline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workflows.core.engine.run import RunState

FixKind = Literal[
    "resume", "connection", "other_connection", "state", "tool", "retry", "limits", "again"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A button. `name`: the connection, the state or the tool that it opens.

    `resume` requests the answer again, `retry` continues a new run before the last step,
    `other_connection` does so with another model, `again` and `limits` start a new run with the
    same inputs.
    """

    kind: FixKind
    text: str
    name: str = ""

    def to_json(self) -> dict[str, str]:
        return {"kind": self.kind, "text": self.text, "name": self.name}


def fixes_of(run: RunState) -> tuple[Fix, ...]:
    """The likeliest first; () for a run that works or has done what it should."""
    tools = tuple(
        Fix(kind="tool", text=f"Change the tool {name}", name=name) for name in run.failed_tools
    )
    match run.status:
        case "paused" if run.unanswered:
            return (*_of_connection(run), *tools)
        case "failed" if run.model_calls or run.tool_calls:
            return (*_of_pack(run), *tools, RETRY, *(OTHER[: run.model_calls]), AGAIN)
        case "failed" | "cancelled":
            return (AGAIN,)
        case "budget_exhausted":
            return (LIMITS,)
        case _:
            return tools if run.finished else ()


RETRY = Fix(kind="retry", text="Retry from here")
AGAIN = Fix(kind="again", text="Again with these inputs…")
LIMITS = Fix(kind="limits", text="Again with other limits…")
OTHER = (Fix(kind="other_connection", text="Use another connection…"),)


def _of_connection(run: RunState) -> tuple[Fix, ...]:
    name = run.connection_at_fault
    text = f"Change the connection {name}" if name else "Open the connections"
    return (
        Fix(kind="connection", text=text, name=name),
        Fix(kind="resume", text="Try again"),
        *OTHER,
    )


def _of_pack(run: RunState) -> tuple[Fix, ...]:
    """The state whose request was refused, or whose answer cannot be read."""
    states = [place.state for place in run.positions] if run.problem else []
    return tuple(Fix(kind="state", text=f"Open {state}", name=state) for state in states[-1:])
