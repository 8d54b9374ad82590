"""The conversation that is sent for a question: the same for every driver and every provider.

Programs record turns as they happened. Providers accept less: the user begins, no turn is empty,
the sides alternate, and names and ids have few characters. This module makes such a conversation
of the recorded one, without changing any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from workflows.core.conversation.tool_parameters import plain_parameters
from workflows.core.engine.effects import AskModel, Message, ToolSpec
from workflows.core.text.ascii_names import ascii_letters

OPENING, CONTINUATION = "Begin.", "Go on."  # prose: off
"""Text of the user where the conversation has none: at its start, and after a model's turn."""
NAME, ID = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}"), re.compile(r"[a-zA-Z0-9_-]{1,40}")
"""Names and ids that every provider accepts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The parts of a request. `names`: name on the wire → the pack's name of a tool, where they
    differ."""

    system: str
    developer: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    schema: Mapping[str, Any] | None
    parameters: Mapping[str, Any]
    names: Mapping[str, str] = field(default_factory=dict)


def conversation_of(effect: AskModel) -> Conversation:
    """The conversation for this question."""
    wire = wire_names(tool.name for tool in effect.tools)
    turns = _with_both_ends(_merged(_with_ids(_renamed(effect.messages, wire))))
    return Conversation(
        system=effect.system,
        developer=effect.developer,
        messages=turns,
        tools=tuple(
            replace(tool, name=wire[tool.name], parameters=plain_parameters(tool.parameters))
            for tool in effect.tools
        ),
        schema=effect.schema,
        parameters=effect.parameters,
        names={sent: name for name, sent in wire.items() if sent != name},
    )


def wire_names(names: Iterable[str]) -> dict[str, str]:
    """Name → name on the wire. Only characters that a provider refuses are replaced."""
    wire: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        if name in wire:
            continue
        sent = name if NAME.fullmatch(name) else _sendable(name)
        while sent in taken:
            sent = f"{sent[:55]}_{_digest(name)}"
        wire[name] = sent
        taken.add(sent)
    return wire


def _sendable(name: str) -> str:
    plain = re.sub(r"[^a-zA-Z0-9_-]", "_", ascii_letters(name))
    plain = plain if re.match(r"[a-zA-Z_]", plain) else f"_{plain}"
    return plain if len(plain) <= 64 else f"{plain[:55]}_{_digest(name)}"


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _renamed(messages: Iterable[Message], wire: Mapping[str, str]) -> Iterable[Message]:
    """Calls by their name on the wire; a tool that is no longer offered may be among them."""
    for turn in messages:
        if any(str(call.get("name", "")) not in wire for call in turn.tool_calls):
            wire = {**wire, **_more_names(turn, wire)}
        calls = [{**call, "name": wire[str(call.get("name", ""))]} for call in turn.tool_calls]
        yield replace(turn, tool_calls=tuple(calls)) if calls else turn


def _more_names(turn: Message, wire: Mapping[str, str]) -> dict[str, str]:
    names = [str(call.get("name", "")) for call in turn.tool_calls]
    return {name: sent for name, sent in wire_names([*wire, *names]).items() if name not in wire}


def _with_ids(messages: Iterable[Message]) -> Iterable[Message]:
    """Calls and results with ids that are valid, and unique in the conversation. Calls that a model
    gave one id have their results in the order of the calls."""
    used: set[str] = set()
    ids: dict[str, list[str]] = {}
    for turn in messages:
        if turn.tool_calls:
            ids = {}
            calls = []
            for call in turn.tool_calls:
                call_id = str(call.get("id", ""))
                sent = _free_id(call_id, used)
                used.add(sent)
                ids.setdefault(call_id, []).append(sent)
                calls.append({**call, "id": sent})
            turn = replace(turn, tool_calls=tuple(calls))
        elif turn.role == "tool":
            left = ids.get(turn.tool_call_id)
            turn = replace(turn, tool_call_id=left.pop(0)) if left else turn
        yield turn


def _free_id(call_id: str, used: set[str]) -> str:
    plain = call_id if ID.fullmatch(call_id) else f"call-{_digest(call_id)}"
    if plain not in used:
        return plain
    number = 2
    while f"{plain[:34]}-{number}" in used:
        number += 1
    return f"{plain[:34]}-{number}"


def _merged(messages: Iterable[Message]) -> list[Message]:
    """Turns without content are left out, and texts of the same side become one turn."""
    turns: list[Message] = []
    for turn in messages:
        if turn.role != "tool" and not turn.text.strip() and not turn.tool_calls:
            continue
        last = turns[-1] if turns else None
        if last is not None and last.role == turn.role != "tool" and not last.tool_calls:
            text = "\n\n".join(part for part in (last.text, turn.text) if part.strip())
            turns[-1] = replace(turn, text=text)
        else:
            turns.append(turn)
    return turns


def _with_both_ends(turns: list[Message]) -> tuple[Message, ...]:
    """The user begins and, unless a result of a tool ends the conversation, ends it."""
    if not turns or turns[0].role != "user":
        turns = [Message(role="user", text=OPENING), *turns]
    if turns[-1].role == "assistant" and not turns[-1].tool_calls:
        turns = [*turns, Message(role="user", text=CONTINUATION)]
    return tuple(turns)
