"""The script format, read and followed. Pure: a script is a value.

`{"replies": [{"structured": {…}} | {"text": "…"} | {"tool_calls": [{"name", "arguments"}]} |
{"event": "Approve"} | {"error": "…"}], "commands": [{"exit", "stdout", "stderr"}],
"answers": [{"approve": true}], "tools": [{"result": "…"}], "repeat_last": false}`. Any entry may
have a `"state"`, and is then reserved for that state. A tool call with `"unread"` has arguments
that are not valid JSON, such as a model may write.

A recorded run that was saved as a script (`core.engine.replay`) also has the run's `inputs`; its
context as `beside` (see `workflows.bindings.run_context`); its transitions and status as
`expects`; its limits as `budget`; and, if several effects were pending at once, entries with a
`turn`: the number of the answer in the run, from 1.

`expects` has any of: `transitions`, all of them in order; `states`, sequences of targets, each of
which is reached in its order, others between them; `status` at the end, "" for any; `artifacts` by
name. With `open`, a run may also wait for an answer that the script does not have, if it has used
all others.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import itemgetter
from threading import Lock
from typing import Any, assert_never

from workflows.core.engine.effects import (
    AskHuman,
    AskModel,
    CallTool,
    Choice,
    Effect,
    RunCommand,
    Wait,
)
from workflows.core.engine.program import Budget, CannotRun
from workflows.core.engine.rehearsal.answers import reply_for
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import (
    Approve,
    CommandDone,
    Reply,
    Signal,
    TimeUp,
    ToolCall,
    ToolDone,
    Usage,
)

Entry = Mapping[str, Any]

_SELECTORS: dict[str, tuple[type, ...]] = {"state": (str,), "turn": (int,)}
_FIELDS: dict[str, dict[str, tuple[type, ...]]] = {
    "replies": {
        "structured": (object,),
        "text": (str,),
        "tool_calls": (list,),
        "event": (str,),
        "error": (str,),
        "usage": (dict,),
        **_SELECTORS,
    },
    "commands": {"exit": (int,), "stdout": (str,), "stderr": (str,), **_SELECTORS},
    "answers": {
        "approve": (bool,),
        "event": (str,),
        "text": (str,),
        "structured": (object,),
        **_SELECTORS,
    },
    "tools": {"result": (str,), "error": (str,), "diff": (str,), **_SELECTORS},
}
_EMPTY: Entry = {}
CACHE_SIZE = 64
_OTHER_FIELDS = ("repeat_last", "inputs", "beside", "expects", "budget")
_ANSWER_EVENTS = {
    "replies": ("model.replied", "AskModel"),
    "commands": ("command.finished", "RunCommand"),
    "answers": ("approval.given", "AskHuman"),
    "tools": ("tool.returned", "CallTool"),
}


class BadScript(CannotRun):
    """The script is invalid, or the run needs an entry that it does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptFile:
    """Entries by list name. `repeat_last`: the last entry of a list repeats forever. `beside`: see
    `workflows.bindings.run_context`. `expects`: what a replay must reproduce, None without
    expectations."""

    entries: Mapping[str, tuple[Entry, ...]]
    repeat_last: bool = False
    inputs: Mapping[str, str] = field(default_factory=dict)
    beside: Mapping[str, Any] = field(default_factory=dict)
    expects: Mapping[str, Any] | None = None
    budget: Budget | None = None


_cache: OrderedDict[int, tuple[object, ScriptFile]] = OrderedDict()
"""By identity of the parsed body, which is stored too, so that its identity is not reused."""
_lock = Lock()


def script_of(options: Mapping[str, Any]) -> ScriptFile:
    """The script in a run's options; an empty one if there is none. A run needs it at every step,
    so the newest scripts are cached. Raises BadScript."""
    body = options.get("script") or _EMPTY
    with _lock:
        cached = _cache.get(id(body))
        if cached is not None:
            _cache.move_to_end(id(body))
            return cached[1]
    script = read_script(body)
    with _lock:
        _cache[id(body)] = (body, script)
        while len(_cache) > CACHE_SIZE:
            _cache.popitem(last=False)
    return script


def read_script(body: object) -> ScriptFile:
    """Validate a script. Raises BadScript with the wrong entry and field."""
    if not isinstance(body, Mapping):
        raise BadScript("A script is an object with a list of `replies`.", code="bad_script")
    for name in body:
        if name not in (*_FIELDS, *_OTHER_FIELDS):
            names = ", ".join([*_FIELDS, *_OTHER_FIELDS])
            raise BadScript(f"A script has no field {name!r}; use {names}.", code="bad_script")
    repeat = body.get("repeat_last", False)
    if not isinstance(repeat, bool):
        raise BadScript("`repeat_last` of a script must be true or false.", code="bad_script")
    entries = {name: tuple(_read(name, body.get(name, []))) for name in _FIELDS}
    return ScriptFile(
        entries=entries,
        repeat_last=repeat,
        inputs=_inputs(body.get("inputs", {})),
        beside=_beside(body.get("beside", {})),
        expects=_expects(body["expects"]) if "expects" in body else None,
        budget=_budget(body["budget"]) if "budget" in body else None,
    )


def _beside(value: object) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise BadScript("`beside` of a script must be an object.", code="bad_script")


def _inputs(inputs: object) -> dict[str, str]:
    if isinstance(inputs, Mapping) and all(isinstance(value, str) for value in inputs.values()):
        return {str(name): value for name, value in inputs.items()}
    raise BadScript("`inputs` of a script must map names to texts.", code="bad_script")


def _expects(value: object) -> Mapping[str, Any]:
    if isinstance(value, Mapping) and all(
        name in _EXPECTED and _EXPECTED[name](one) for name, one in value.items()
    ):
        return dict(value)
    raise BadScript(
        "`expects` of a script has any of: a list of `transitions`, lists of `states`, a `status`, "
        "`artifacts` by name, and `open`, which is true or false.",
        code="bad_script",
    )


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


_EXPECTED: Mapping[str, Callable[[object], bool]] = {
    "transitions": _are_texts,
    "states": lambda value: isinstance(value, list) and all(map(_are_texts, value)),
    "status": lambda value: isinstance(value, str),
    "artifacts": lambda value: isinstance(value, Mapping),
    "open": lambda value: isinstance(value, bool),
}


def _budget(value: object) -> Budget:
    names = [item.name for item in fields(Budget)]
    if isinstance(value, Mapping) and all(
        name in names and isinstance(limit, int | float) and not isinstance(limit, bool)
        for name, limit in value.items()
    ):
        return Budget(**value)
    raise BadScript(
        f"`budget` of a script has numbers for any of {', '.join(names)}.", code="bad_script"
    )


def _read(name: str, items: object) -> Iterable[Entry]:
    if not isinstance(items, list):
        raise BadScript(f"`{name}` of a script must be a list.", code="bad_script")
    for number, item in enumerate(items, start=1):
        where = f"Entry {number} of `{name}` in the script"
        if not isinstance(item, Mapping):
            raise BadScript(f"{where} is not an object.", code="bad_script")
        for key, value in item.items():
            kinds = _FIELDS[name].get(str(key))
            if kinds is None:
                names = ", ".join(_FIELDS[name])
                raise BadScript(f"{where} has no field {key!r}; use {names}.", code="bad_script")
            if not isinstance(value, kinds):
                raise BadScript(f"{where} has a {key!r} of the wrong type.", code="bad_script")
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
    """The entry of list `name` that answers `effect`, or None if the script has no entry left.

    Replays the answers so far: each used the first free entry for its state or for any state; so do
    the older pending effects, oldest first, and then this one.
    """
    answered, kind = _ANSWER_EVENTS[name]
    older = [
        item["state"]
        for key, item in run.pending.items()
        if item["effect"] == kind and key != effect.key and _older(key, effect.key)
    ]
    entries = script.entries[name]
    number = _turn(entries, (*run.answered.get(answered, ()), *older, effect.state))
    if number is None and script.repeat_last:
        fitting = (one for one, entry in enumerate(entries) if _fits(entry, effect.state))
        number = max(fitting, default=None)
    return None if number is None else entries[number]


def _turn(entries: Sequence[Entry], states: Sequence[str]) -> int | None:
    """Index of the entry that is left for the last of these states, after the ones before it; None
    without one."""
    free: dict[str | None, list[int]] = {}
    for number in reversed(range(len(entries))):
        free.setdefault(entries[number].get("state"), []).append(number)
    turn = None
    for state in states:
        lists = [free[key] for key in (state, None) if free.get(key)]
        turn = min(lists, key=itemgetter(-1)).pop() if lists else None
    return turn


def _fits(entry: Entry, state: str) -> bool:
    return bool(entry.get("state", state) == state)


def turn_of(script: ScriptFile, effect: Effect, run: RunState) -> int | None:
    """The turn in which the script answers this effect, None if it has no turn."""
    for name, (_, kind) in _ANSWER_EVENTS.items():
        if type(effect).__name__ == kind:
            entry = next_entry(script, name, effect, run)
            return entry.get("turn") if entry else None
    return None


def _older(key: str, than: str) -> bool:
    return int(key.rpartition(":")[2]) < int(than.rpartition(":")[2])


def scripted_reply(script: ScriptFile, effect: AskModel, run: RunState, seed: object) -> Reply:
    """The script's reply to this call. Raises BadScript if it has none."""
    entry = next_entry(script, "replies", effect, run)
    if entry is None:
        count = len(script.entries["replies"])
        raise BadScript(
            f"The script has no reply left for {effect.state!r}: it has {count}, and "
            f"{len(run.answered.get('model.replied', ()))} model calls came before. Add one.",
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
        generated = reply_for(effect, _chosen(effect, entry["event"]), seed, run.now)
        if "text" not in entry and "usage" not in entry:
            return generated
        return replace(generated, text=entry.get("text", generated.text), usage=usage)
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
    labels = ", ".join(repr(choice.label) for choice in effect.choices) or "nothing"
    raise BadScript(
        f"The script takes {event!r} in {effect.state!r}, which allows {labels}.",
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
            "`usage` in the script must hold numbers of tokens and a cost.", code="bad_script"
        ) from None


def scripted_command(script: ScriptFile, effect: RunCommand, run: RunState) -> CommandDone | None:
    """The script's result of this command, or None if it has no entry left."""
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
    """The script's answer for a person, or None if it has no entry left."""
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
    """The script's result of this tool call, or None if it has no entry left."""
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


def scripted_signal(script: ScriptFile, effect: Effect, run: RunState) -> Signal | None:
    """The script's answer to an effect, or None if it has no entry left. A wait ends at once.
    Raises BadScript."""
    match effect:
        case AskModel():
            return scripted_reply(script, effect, run, 1)
        case RunCommand():
            return scripted_command(script, effect, run)
        case AskHuman():
            return scripted_answer(script, effect, run)
        case CallTool():
            return scripted_tool(script, effect, run)
        case Wait():
            return TimeUp(at=run.now + effect.seconds, key=effect.key)
        case _:
            assert_never(effect)
