"""Conversion from the neutral machine to a pack."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from workflows.core.convert.conversion import Note, WrittenPack
from workflows.core.convert.neutral import (
    Input,
    Machine,
    Ref,
    Slot,
    State,
    Text,
    Tool,
    joined,
    mentions,
    pascal,
    reads,
    refs,
    slug,
    title,
    whole_prompt,
    word,
)
from workflows.core.convert.simplify import in_sequence, with_separate_ends
from workflows.core.dialects.promptpack.convert.placeholders import write_text
from workflows.core.pack.files import Files
from workflows.core.text.json.new_file import pretty

SCHEMA = "https://promptpack.org/schema/latest/promptpack.schema.json"
SYSTEM = "system"
"""The fragment at the start of every prompt, if the machine has a system text."""
DEFAULT_VERSION = "1.0.0"
DEFAULT_ROUNDS = 5
"""`max_rounds` of a prompt without one (section 2.6)."""
WORKFLOW_VERSION = 2
"""The workflow version with ends, caps and artifacts."""
_PROMPT_ID = re.compile(r"[a-z][a-z0-9_-]*")


def from_neutral(machine: Machine) -> WrittenPack:
    """Write one `*.pack.json`."""
    text = pretty(draft(machine))
    _, notes = _simplified(machine)
    path = f"{pack_id(machine)}.pack.json"
    return WrittenPack(files=Files.of({path: text.encode()}), notes=(*notes, *_notes(machine)))


def _simplified(machine: Machine) -> tuple[Machine, tuple[Note, ...]]:
    line, notes = in_sequence(machine)
    apart, more = with_separate_ends(line, lambda _: False)
    return apart, (*notes, *more)


def _notes(machine: Machine) -> Iterator[Note]:
    """Notes about placeholders that become plain words."""
    for state in machine.states:
        for ref in refs(state.prompt):
            if ref.kind == "run" or (ref.kind == "came" and ref.name):
                why = f"PromptPack has no value for “{ref.name}”; the name is written instead."
                yield Note(key=(f"state:{state.id}", "prompt"), fate="approximated", why=why)
                break


def pack_id(machine: Machine) -> str:
    return slug(machine.id)[:100]


def prompt_id(key: str) -> str:
    """The id of the prompt with this key: the key itself if it is a valid id."""
    return key if _PROMPT_ID.fullmatch(key) else slug(key, "prompt")


def event_name(label: str, prompt: Text) -> str:
    """The event of an outcome: the label if the prompt mentions it, else the label in
    PascalCase."""
    return label if mentions(prompt, label) else pascal(label)


def draft(machine: Machine) -> dict[str, Any]:
    """The whole pack as plain values."""
    machine, _ = _simplified(machine)
    pack: dict[str, Any] = {
        "$schema": SCHEMA,
        "id": pack_id(machine),
        "name": machine.name or title(machine.id),
        "version": machine.version or DEFAULT_VERSION,
    }
    if machine.description:
        pack["description"] = machine.description
    features = ["basic_substitution"]
    fragments = {name: write_text(text) for name, text in machine.fragments.items()}
    if machine.system:
        fragments = {SYSTEM: write_text(machine.system), **fragments}
    if fragments:
        features.append("fragments")
    pack["template_engine"] = {
        "version": "v1", "syntax": "{{variable}}", "features": features
    }  # fmt: skip
    if fragments:
        pack["fragments"] = fragments
    prompts: dict[str, Any] = {}
    keys = _prompt_keys(machine)
    for state in machine.states:
        if keys[state.id] not in prompts:
            prompts[keys[state.id]] = _prompt(machine, state, keys[state.id])
    pack["prompts"] = prompts
    if tools := {tool.key: _tool(tool) for tool in _tools(machine)}:
        pack["tools"] = tools
    pack["workflow"] = _workflow(machine, keys)
    return pack


def _prompt_keys(machine: Machine) -> dict[str, str]:
    """State → key of its prompt: its role, unless another state uses that key with a different
    prompt."""
    first: dict[str, State] = {}
    keys: dict[str, str] = {}
    for state in machine.states:
        key = state.role or state.id
        other = first.setdefault(key, state)
        keys[state.id] = key if _prompt_facts(other) == _prompt_facts(state) else state.id
    return keys


def _prompt_facts(state: State) -> tuple[object, ...]:
    return state.prompt, state.tools, state.turns, state.name


def _prompt(machine: Machine, state: State, key: str) -> dict[str, Any]:
    text = state.prompt
    if machine.system:
        text = joined((Ref("fragment", SYSTEM), "\n\n", *text))
    prompt: dict[str, Any] = {
        "id": prompt_id(key),
        "name": state.name or title(state.id),
        "version": machine.version or DEFAULT_VERSION,
        "system_template": write_text(text).strip() or f"{title(state.id)}.",
    }
    if variables := [_variable(each) for each in _inputs(machine, state)]:
        prompt["variables"] = variables
    if state.tools:
        prompt["tools"] = list(state.tools)
    if state.turns not in (None, DEFAULT_ROUNDS):
        prompt["tool_policy"] = {"max_rounds": state.turns}
    return prompt


def _inputs(machine: Machine, state: State) -> Iterator[Input]:
    """The inputs that the state's prompt shows. The entry also has those that no prompt shows."""
    own = {ref.name for ref in refs(whole_prompt(machine, state)) if ref.kind == "input"}
    if state.id == machine.entry:
        shown = {
            ref.name
            for each in machine.states
            for ref in refs(whole_prompt(machine, each))
            if ref.kind == "input"
        }
        own |= {each.name for each in machine.inputs} - shown
    yield from (each for each in machine.inputs_used if each.name in own)


def _variable(each: Input) -> dict[str, Any]:
    value: dict[str, Any] = {
        "name": word(each.name), "type": each.type, "required": each.required
    }  # fmt: skip
    if each.default is not None:
        value["default"] = each.default
    if each.description:
        value["description"] = each.description
    return value


def _tools(machine: Machine) -> Iterator[Tool]:
    """The tools with a description, then those that are only named."""
    keys = {tool.key for tool in machine.tools}
    yield from machine.tools
    for state in machine.states:
        for name in state.tools or ():
            if name not in keys:
                keys.add(name)
                yield Tool(key=name, name=word(name))


def _tool(tool: Tool) -> dict[str, Any]:
    value: dict[str, Any] = {
        "name": tool.name or word(tool.key),
        "description": tool.description or f"The tool {tool.key}, which the host provides.",
    }
    if tool.parameters is not None:
        value["parameters"] = tool.parameters
    return value


def _workflow(machine: Machine, keys: dict[str, str]) -> dict[str, Any]:
    states = {state.id: _state(machine, state, keys[state.id]) for state in machine.states}
    budget = {
        "max_total_visits": machine.limits.visits,
        "max_tool_calls": machine.limits.tool_calls,
        "max_wall_time_sec": machine.limits.seconds,
    }
    budget = {key: most for key, most in budget.items() if most is not None}
    value: dict[str, Any] = {
        "version": WORKFLOW_VERSION,
        "entry": machine.entry,
        "states": states,
    }
    return {**value, "engine": {"budget": budget}} if budget else value


def _state(machine: Machine, state: State, key: str) -> dict[str, Any]:
    value: dict[str, Any] = {"prompt_task": key}
    if state.description:
        value["description"] = state.description
    if not state.waits and not state.ends:
        value["control"] = "agent"
    if state.max_visits is not None:
        value["max_visits"] = state.max_visits
    if state.on_max_visits:
        value["on_max_visits"] = state.on_max_visits
    slots = dict.fromkeys((*state.writes, *reads(state)))
    if slots:
        value["artifacts"] = {word(name): _artifact(machine.slot[name]) for name in slots}
    if state.ends:
        value["terminal"] = True
    else:
        value["on_event"] = {
            transition.spelling or event_name(transition.label, state.prompt): transition.targets[0]
            for transition in state.transitions
        }
    return value


def _artifact(slot: Slot) -> dict[str, Any]:
    value: dict[str, Any] = {"type": slot.type}
    if slot.append:
        value["mode"] = "append"
    if slot.description:
        value["description"] = slot.description
    return value
