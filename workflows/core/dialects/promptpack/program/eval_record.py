"""The record that evals measure: replies, calls and other facts of a run.

It is kept only for packs with evals. The run's memory stores it in pieces, so that an event of a
long run does not repeat all earlier entries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workflows.core.dialects.promptpack.program.measures.base import Observation
from workflows.core.dialects.promptpack.program.outcomes import make_event
from workflows.core.dialects.promptpack.program.references import as_text
from workflows.core.dialects.promptpack.program.replies import reply_text
from workflows.core.engine.effects import CallTool, Effect
from workflows.core.engine.events import Draft
from workflows.core.engine.program import End, Outcome, Take
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Reply, Signal, ToolDone

PREFIX = "seen:"
Entry = dict[str, Any]


def record_entries(
    position: Position, signal: Signal | None, effect: Effect | None, outcome: Outcome
) -> list[Entry]:
    """Entries for the latest decision, in order."""
    entries: list[Entry] = []
    match signal, effect:
        case ToolDone(), CallTool():
            entries.append(_call(effect.name, effect.arguments, signal.result, signal.error))
    call: Mapping[str, Any] = {}
    for draft in outcome.drafts:
        fields = draft.fields
        match draft.type:
            case "tool.called":
                call = fields
            case "tool.returned":
                arguments = call.get("arguments", {})
                result, error = fields.get("result", ""), fields.get("error", "")
                entries.append(_call(str(fields.get("name", "")), arguments, result, error))
            case "check.passed" | "check.failed":
                about = {"kind": fields["kind"], "direction": fields["direction"]}
                entries.append({"check": True, **about, "fired": draft.type == "check.failed"})
            case "promptpack.skills" if "active" in fields:
                entries.append({"skills": list(fields["active"])})
            case "promptpack.step.left":
                kept = ("status", "output", "taken", "to")
                step = {name: fields[name] for name in kept if name in fields}
                entries.append({"step": str(fields["step"]).rpartition("/")[2], **step})
            case "promptpack.composition.completed":
                entries.append({"output": True, "value": fields["output"]})
                entries.append({"said": as_text(fields["output"])})
    return [{"state": position.state, **entry} for entry in entries]


def transition_entry(position: Position, outcome: Outcome) -> list[Entry]:
    """The entry of the transition that is taken now."""
    match outcome.next:
        case Take(target=target, label=label):
            return [{"move": label, "from": position.state, "to": target}]
    return []


def _call(name: str, arguments: Any, result: str, error: str) -> Entry:
    return {
        "call": True,
        "name": name,
        "arguments": arguments,
        "result": result,
        "error": error,
    }


def reply_entry(position: Position, signal: Signal | None, outcome: Outcome) -> list[Entry]:
    """The text of a model's reply. If a validator replaced the text, the replacement is
    recorded."""
    if not isinstance(signal, Reply):
        return []
    instead = [
        str(draft.fields["text"])
        for draft in outcome.drafts
        if draft.type == "check.failed" and "text" in draft.fields
    ]
    text = instead[-1] if instead else reply_text(signal)
    return [{"said": text, "state": position.state}] if text.strip() else []


def entries(run: RunState) -> list[Entry]:
    """All entries so far."""
    return [entry for key, some in run.memory.items() if key.startswith(PREFIX) for entry in some]


def record_event(run: RunState, new: list[Entry]) -> tuple[Draft, ...]:
    """The event that adds entries to the record."""
    if not new:
        return ()
    return (make_event("promptpack.recorded", run_memory={f"{PREFIX}{run.n}": new}),)


def current_turn(record: Sequence[Entry]) -> list[Entry]:
    """The entries since the end of the last turn."""
    for back, entry in enumerate(reversed(record)):
        if "turn" in entry:
            return list(record[len(record) - back :])
    return list(record)


def finished_turns(record: Sequence[Entry]) -> int:
    """The number of finished turns."""
    return sum(1 for entry in record if "turn" in entry)


def observation(
    run: RunState,
    position: Position,
    record: Sequence[Entry],
    part: Sequence[Entry],
    outcome: Outcome,
) -> Observation:
    """The measurable facts of a part of the record: a turn, or all of it."""
    replies = [
        {"text": entry["said"], "state": entry["state"]} for entry in part if "said" in entry
    ]
    texts = [one["text"] for one in replies][-1 if part is record else 0 :]
    text = "\n\n".join(texts)
    moves = [entry for entry in record if "move" in entry]
    return Observation(
        text=text,
        replies=tuple(replies),
        calls=tuple(entry for entry in part if "call" in entry),
        moves=tuple(moves),
        skills=_skills(record),
        checks=tuple(entry for entry in part if "check" in entry),
        steps={entry["step"]: entry for entry in record if "step" in entry},
        outputs=tuple(entry["value"] for entry in record if "output" in entry and "value" in entry),
        state=moves[-1]["to"] if moves else position.state,
        entry=moves[0]["from"] if moves else position.state,
        ended=isinstance(outcome.next, End) and outcome.next.status == "completed",
        seconds=run.active_seconds,
        input_tokens=run.input_tokens,
        output_tokens=run.output_tokens,
        cost=run.cost,
    )


def _skills(record: Sequence[Entry]) -> tuple[str, ...]:
    """Skills in the order of their activation."""
    names: list[str] = []
    before: list[str] = []
    for entry in record:
        if "skills" in entry:
            names += [name for name in entry["skills"] if name not in before]
            before = entry["skills"]
    return tuple(names)
