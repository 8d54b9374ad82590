"""The script format, read and followed. Pure: a script is a value.

`{"replies": [{"structured": {…}} | {"text": "…"} | {"tool_calls": [{"name", "arguments"}]} |
{"event": "Approve"} | {"error": "…"}], "commands": [{"exit", "stdout", "stderr"}],
"answers": [{"approve": true}], "tools": [{"result": "…"}], "repeat_last": false}`. Any entry may
say `"state"`, and is then kept for that state. A tool call with `"unread"` has arguments that are
no JSON, such as a model may write.

A recorded run that was saved as a script (`core.engine.recording`) also has `inputs`, what it was
started with; `beside`, what stood beside the pack then; `expects`, the arrows it took and how it
ended; and entries with a `turn`, counted over all answers from 1, where several things were asked
at once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from workflows.core.engine.answer_history import AnswerHistory
from workflows.core.engine.effects import (
    AskHuman,
    AskModel,
    CallTool,
    Choice,
    Effect,
    RunCommand,
)
from workflows.core.engine.program import CannotRun
from workflows.core.engine.rehearsal.answers import reply_for
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import (
    Approve,
    CommandDone,
    Reply,
    ToolCall,
    ToolDone,
    Usage,
)
from workflows.runner.drivers.script_turns import Turns

Entry = Mapping[str, Any]

_WHOSE: dict[str, tuple[type, ...]] = {"state": (str,), "turn": (int,)}
_FIELDS: dict[str, dict[str, tuple[type, ...]]] = {
    "replies": {
        "structured": (object,),
        "text": (str,),
        "tool_calls": (list,),
        "event": (str,),
        "error": (str,),
        "usage": (dict,),
        **_WHOSE,
    },
    "commands": {"exit": (int,), "stdout": (str,), "stderr": (str,), **_WHOSE},
    "answers": {
        "approve": (bool,),
        "event": (str,),
        "text": (str,),
        "structured": (object,),
        **_WHOSE,
    },
    "tools": {"result": (str,), "error": (str,), "diff": (str,), **_WHOSE},
}
_EMPTY: Entry = {}
KEPT = 64
_BESIDE = ("repeat_last", "inputs", "beside", "expects")
_ANSWERED = {
    "replies": ("model.replied", "AskModel"),
    "commands": ("command.finished", "RunCommand"),
    "answers": ("approval.given", "AskHuman"),
    "tools": ("tool.returned", "CallTool"),
}


class BadScript(CannotRun):
    """This is no script, or the run needs something that it does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptFile:
    """Entries by list name. `repeat_last`: the last entry of a list goes on for ever. `beside`: see
    `workflows.run_context`. `expects`: `transitions` and `status` that a repetition shows again,
    None where nothing is expected."""

    entries: Mapping[str, tuple[Entry, ...]]
    repeat_last: bool = False
    inputs: Mapping[str, str] = field(default_factory=dict)
    beside: Mapping[str, Any] = field(default_factory=dict)
    expects: Mapping[str, Any] | None = None
    turns: Mapping[str, Turns] = field(compare=False, repr=False)


_known: OrderedDict[int, tuple[object, ScriptFile]] = OrderedDict()
"""By identity of what was read, which is kept too, so that no other can take its place."""
_lock = Lock()


def script_of(options: Mapping[str, Any]) -> ScriptFile:
    """The script among a run's options; an empty one where there is none. A run asks for it at
    every step, so the newest few are kept. Raises BadScript."""
    body = options.get("script") or _EMPTY
    with _lock:
        known = _known.get(id(body))
        if known is not None:
            _known.move_to_end(id(body))
            return known[1]
    script = read_script(body)
    with _lock:
        _known[id(body)] = (body, script)
        while len(_known) > KEPT:
            _known.popitem(last=False)
    return script


def read_script(body: object) -> ScriptFile:
    """Check a script's shape. Raises BadScript naming the entry and field that is wrong."""
    if not isinstance(body, Mapping):
        raise BadScript("A script is an object with a list of `replies`.", code="bad_script")
    for name in body:
        if name not in (*_FIELDS, *_BESIDE):
            known = ", ".join([*_FIELDS, *_BESIDE])
            raise BadScript(f"A script has no field {name!r}; it has {known}.", code="bad_script")
    repeat = body.get("repeat_last", False)
    if not isinstance(repeat, bool):
        raise BadScript("`repeat_last` of a script is true or false.", code="bad_script")
    entries = {name: tuple(_read(name, body.get(name, []))) for name in _FIELDS}
    return ScriptFile(
        entries=entries,
        repeat_last=repeat,
        inputs=_inputs(body.get("inputs", {})),
        beside=_beside(body.get("beside", {})),
        expects=_expects(body["expects"]) if "expects" in body else None,
        turns={name: Turns(items) for name, items in entries.items()},
    )


def _beside(given: object) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return given
    raise BadScript("`beside` of a script is an object.", code="bad_script")


def _inputs(given: object) -> dict[str, str]:
    if isinstance(given, Mapping) and all(isinstance(value, str) for value in given.values()):
        return {str(name): value for name, value in given.items()}
    raise BadScript("`inputs` of a script are names and texts.", code="bad_script")


def _expects(given: object) -> Mapping[str, Any]:
    match given:
        case {"transitions": [*arrows], "status": str(status)} if all(
            isinstance(arrow, str) for arrow in arrows
        ):
            return {"transitions": arrows, "status": status}
        case _:
            raise BadScript(
                "`expects` of a script has a list of `transitions` and a `status`.",
                code="bad_script",
            )


def _read(name: str, items: object) -> Iterable[Entry]:
    if not isinstance(items, list):
        raise BadScript(f"`{name}` of a script is a list.", code="bad_script")
    for number, item in enumerate(items, start=1):
        where = f"Entry {number} of `{name}` in the script"
        if not isinstance(item, Mapping):
            raise BadScript(f"{where} is not an object.", code="bad_script")
        for key, value in item.items():
            kinds = _FIELDS[name].get(str(key))
            if kinds is None:
                known = ", ".join(_FIELDS[name])
                raise BadScript(f"{where} has {key!r}; known are {known}.", code="bad_script")
            if not isinstance(value, kinds):
                raise BadScript(f"{where} has the wrong kind of {key!r}.", code="bad_script")
        _check_calls(where, item.get("tool_calls") or [])
        yield item


def _check_calls(where: str, calls: list[Any]) -> None:
    for call in calls:
        arguments = call.get("arguments", {}) if isinstance(call, Mapping) else None
        if not isinstance(arguments, Mapping) or not isinstance(call.get("name"), str):
            raise BadScript(
                f"{where} has a tool call that is not {{name, arguments}}.", code="bad_script"
            )


def next_entry(script: ScriptFile, name: str, effect: Effect, run: RunState) -> Entry | None:
    """The entry of list `name` that answers `effect`, or None where the script has run out.

    Replays who was answered so far: each took the first entry left that is for its state or for
    any; so do the effects that are still pending, oldest first, up to this one.
    """
    answered, kind = _ANSWERED[name]
    turns = script.turns[name]
    gone = turns.after(run.answered.get(answered, AnswerHistory()))
    older = [
        item["state"]
        for key, item in run.pending.items()
        if item["effect"] == kind and key != effect.key and _older(key, effect.key)
    ]
    found = turns.next(turns.taken(gone, older) if older else gone, effect.state)
    if found is None and script.repeat_last:
        found = turns.last(effect.state)
    return None if found is None else script.entries[name][found]


def turn_of(script: ScriptFile, effect: Effect, run: RunState) -> int | None:
    """The turn in which the script answers this effect, None where it says nothing about that."""
    for name, (_, kind) in _ANSWERED.items():
        if type(effect).__name__ == kind:
            entry = next_entry(script, name, effect, run)
            return entry.get("turn") if entry else None
    return None


def _older(key: str, than: str) -> bool:
    return int(key.rpartition(":")[2]) < int(than.rpartition(":")[2])


def scripted_reply(script: ScriptFile, effect: AskModel, run: RunState, seed: object) -> Reply:
    """The script's reply to this call. Raises BadScript where it has none that can be given."""
    entry = next_entry(script, "replies", effect, run)
    if entry is None:
        count = len(script.entries["replies"])
        raise BadScript(
            f"The script has no reply left for {effect.state!r}: it has {count}, and "
            f"{len(run.answered.get('model.replied', ()))} were given before.",
            code="script_ended",
        )
    usage = _usage(entry.get("usage") or {})
    if "error" in entry:
        return Reply(
            at=run.now,
            key=effect.key,
            text=entry.get("text", ""),
            error=entry["error"],
            usage=usage,
        )
    if "event" in entry:
        made = reply_for(effect, _chosen(effect, entry["event"]), seed, run.now)
        return Reply(
            at=run.now,
            key=effect.key,
            text=entry.get("text", made.text),
            structured=made.structured,
            tool_calls=made.tool_calls,
            usage=usage,
        )
    calls = tuple(
        ToolCall(
            name=call["name"],
            arguments=call.get("arguments", {}),
            id=str(call.get("id") or f"call-{number}"),
            unread=str(call.get("unread", "")),
        )
        for number, call in enumerate(entry.get("tool_calls") or [], start=1)
    )
    return Reply(
        at=run.now,
        key=effect.key,
        text=entry.get("text", ""),
        structured=entry.get("structured"),
        tool_calls=calls,
        usage=usage,
    )


def _chosen(effect: AskModel, event: str) -> Choice:
    for same in (str, str.casefold):
        for choice in effect.choices:
            if same(choice.label) == same(event):
                return choice
    known = ", ".join(repr(choice.label) for choice in effect.choices) or "nothing"
    raise BadScript(
        f"The script takes {event!r} in {effect.state!r}, where one can take {known}.",
        code="bad_script",
    )


def _usage(body: Mapping[str, Any]) -> Usage:
    try:
        return Usage(
            input_tokens=int(body.get("input_tokens", 0)),
            output_tokens=int(body.get("output_tokens", 0)),
            cost=float(body.get("cost", 0)),
        )
    except (TypeError, ValueError):
        raise BadScript(
            "`usage` in the script counts tokens and cost.", code="bad_script"
        ) from None


def scripted_command(script: ScriptFile, effect: RunCommand, run: RunState) -> CommandDone | None:
    """The script's result of this command, or None where it has none left."""
    entry = next_entry(script, "commands", effect, run)
    if entry is None:
        return None
    return CommandDone(
        at=run.now,
        key=effect.key,
        exit=entry.get("exit", 0),
        stdout=entry.get("stdout", ""),
        stderr=entry.get("stderr", ""),
    )


def scripted_answer(script: ScriptFile, effect: AskHuman, run: RunState) -> Approve | None:
    """What the script lets a person say, or None where it has nothing left."""
    entry = next_entry(script, "answers", effect, run)
    if entry is None:
        return None
    return Approve(
        at=run.now,
        key=effect.key,
        approve=entry.get("approve", True),
        event=entry.get("event", ""),
        text=entry.get("text", ""),
        structured=entry.get("structured"),
    )


def scripted_tool(script: ScriptFile, effect: CallTool, run: RunState) -> ToolDone | None:
    """The script's result of this tool call, or None where it has none left."""
    entry = next_entry(script, "tools", effect, run)
    if entry is None:
        return None
    return ToolDone(
        at=run.now,
        key=effect.key,
        result=entry.get("result", ""),
        error=entry.get("error", ""),
        diff=entry.get("diff", ""),
    )
