"""Acts of people in a run, with the same words everywhere: log, story, inspector, result, lists,
streams and terminal. `frontend_static/src/run/log/people.ts` has the same words;
`tests/vectors/people.json` is the table of both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.engine.effect_events import NOT_EXECUTED

PEOPLE_EVENTS = (
    "approval.given",
    "tool.returned",
    "model.replied",
    "command.finished",
    "effect.allowed",
    "tool.allowed",
    "tool.revoked",
    "run.told",
    "run.fired",
    "transition.taken",
    "run.paused",
    "run.resumed",
    "run.finished",
    "workspace.kept",
)
"""Types of the events that have the name of a person in `by` if a person caused them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """An act of a person. `verb`: "denied"; `detail`: the reason, the answer or the message."""

    verb: str
    by: str
    detail: str = ""

    @property
    def words(self) -> str:
        """For example "denied by ada"."""
        return f"{self.verb} by {self.by}" if self.by else self.verb

    def to_json(self, n: int) -> dict[str, Any]:
        """The act of the event with this number."""
        return {"n": n, "words": self.words, "detail": self.detail}

    @property
    def sentence(self) -> str:
        """The words, and the detail if there is one."""
        return f"{self.words}: {self.detail}" if self.detail else self.words


def act_of(type: str, fields: Mapping[str, Any]) -> Act | None:
    """The act of a person that caused this event; None if no person did. A question to a person can
    be answered without a name."""
    by = str(fields.get("by") or "")
    if type not in PEOPLE_EVENTS or not (by or type == "approval.given"):
        return None
    verb, detail = verb_and_detail(type, fields)
    return Act(verb=verb, by=by, detail=detail) if verb else None


def is_denial(type: str, fields: Mapping[str, Any]) -> bool:
    """Return True if a person denied the request: nothing was called, so nothing failed."""
    act = act_of(type, fields)
    return act is not None and act.verb == "denied"


def verb_and_detail(type: str, fields: Mapping[str, Any]) -> tuple[str, str]:
    """The words of an event that a person caused; two empty ones if no person can cause it."""

    def text(name: str) -> str:
        return str(fields.get(name) or "")

    match type:
        case "approval.given" if not fields.get("approve", True) and not fields.get("event"):
            return "denied", text("text")
        case "approval.given":
            answer = _answer(fields)
            return ("answered", answer) if answer else ("approved", "")
        case "tool.returned" | "model.replied" if fields.get("error"):
            return "denied", text("error")
        case "tool.returned":
            return "answered", text("result")
        case "model.replied":
            return "answered as the model", _answer(fields)
        case "command.finished" if fields.get("exit") == NOT_EXECUTED:
            return "denied", text("stderr")
        case "command.finished":
            return "reported", f"exit {fields.get('exit')}"
        case "effect.allowed":
            return "allowed", ""
        case "tool.allowed":
            return "allowed", f"{text('name')} for the rest of this run"
        case "tool.revoked":
            return "revoked", text("name")
        case "run.told":
            return "told", f"to {text('state')}: {text('text')}"
        case "run.fired":
            return "sent", text("event")
        case "transition.taken":
            return "sent", text("label")
        case "run.finished" if fields.get("status") == "cancelled":
            return "cancelled", text("reason")
        case "run.paused" | "run.resumed":
            return type.removeprefix("run."), text("reason")
        case "workspace.kept":
            return "kept", text("branch")
        case _:
            return "", ""


def _answer(fields: Mapping[str, Any]) -> str:
    """The event and the text, the value or the called tools of an answer."""
    calls = ", ".join(str(call.get("name", "")) for call in fields.get("tool_calls") or ())
    if calls:
        return f"calls {calls}"
    written = ": ".join(str(fields[name]) for name in ("event", "text") if fields.get(name))
    if written or fields.get("structured") is None:
        return written
    return json.dumps(fields["structured"], ensure_ascii=False, separators=(",", ":"))
