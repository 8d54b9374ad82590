"""A2A agent cards of a pack's agents (promptpack.md 4.10).

A card has the shape of AgentCard in A2A 1.0. A pack does not contain the address of its agents, so
`supportedInterfaces` is empty; the host fills it in.
"""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.text.tolerant import as_str, as_str_list

DEFAULT_MODES = ["text/plain"]


def card(parts: Parts, key: str) -> dict[str, Any]:
    """The card of one member. Raises KeyError if the pack has no such member.

    Name and version come from the prompt, and so does the description unless the member has its
    own.
    """
    member, prompt = parts.members[key], parts.prompts.get(key, {})
    name = as_str(prompt.get("name")) or key
    description = description_of(member, prompt) or name
    skill = {
        "id": key,
        "name": name,
        "description": description,
        "tags": as_str_list(member.get("tags")),
    }
    return {
        "name": name,
        "description": description,
        "version": as_str(prompt.get("version")) or as_str(parts.tree.get("version")),
        "supportedInterfaces": [],
        "capabilities": {},
        "defaultInputModes": as_str_list(member.get("input_modes")) or DEFAULT_MODES,
        "defaultOutputModes": as_str_list(member.get("output_modes")) or DEFAULT_MODES,
        "skills": [skill],
    }


def description_of(member: Object, prompt: Object) -> str:
    """The description of a member or of its prompt, "" if both have none."""
    return as_str(member.get("description")) or as_str(prompt.get("description"))


def cards(parts: Parts) -> dict[str, dict[str, Any]]:
    """The card of every member, in file order."""
    return {key: card(parts, key) for key in parts.members}
