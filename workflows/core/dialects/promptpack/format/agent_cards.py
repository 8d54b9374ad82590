"""A2A agent cards: what a pack's agents show of themselves to others (promptpack.md 4.10).

A card has the shape of AgentCard in A2A 1.0. A pack does not know at which address its agents
answer, so `supportedInterfaces` is empty until whoever hosts them fills it in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from workflows.core.dialects.base import ExportFormat, ExportResult
from workflows.core.dialects.promptpack.format.parts import Object, Parts, word, words
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import EditRefused
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding

PLAIN = ["text/plain"]
WELL_KNOWN = ".well-known/agent-card.json"


def card(parts: Parts, key: str) -> dict[str, Any]:
    """The card of one member; KeyError where the pack has no such member.

    Name and version are the prompt's, and so is the description unless the member has its own.
    """
    member, prompt = parts.members[key], parts.prompts.get(key, {})
    name = word(prompt.get("name")) or key
    description = described(member, prompt) or name
    skill = {"id": key, "name": name, "description": description, "tags": words(member.get("tags"))}
    return {
        "name": name,
        "description": description,
        "version": word(prompt.get("version")) or word(parts.tree.get("version")),
        "supportedInterfaces": [],
        "capabilities": {},
        "defaultInputModes": words(member.get("input_modes")) or PLAIN,
        "defaultOutputModes": words(member.get("output_modes")) or PLAIN,
        "skills": [skill],
    }


def described(member: Object, prompt: Object) -> str:
    """What a member says about itself, "" where nobody wrote anything."""
    return word(member.get("description")) or word(prompt.get("description"))


def cards(parts: Parts) -> dict[str, dict[str, Any]]:
    """Every member's card, in file order."""
    return {key: card(parts, key) for key in parts.members}


def _make(source: PackSource) -> ExportResult:
    """`<member>/.well-known/agent-card.json` for each, and the entry's once more at the top."""
    parts = source.parts
    if not parts.members:
        raise EditRefused(
            "This pack publishes no agents, so there are no cards.",
            hint="Add an agent in the outline.",
        )
    made: dict[str, bytes] = {}
    for key, item in cards(parts).items():
        made[f"{_folder(key, made)}/{WELL_KNOWN}"] = _text(item)
        if key == word((parts.agents or {}).get("entry")):
            made[WELL_KNOWN] = _text(item)
    return ExportResult(files=Files.of(made), findings=_findings(source))


def _text(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _folder(key: str, made: dict[str, bytes]) -> str:
    """The member's key as the name of a folder; keys may hold what no folder's name may."""
    plain = re.sub(r"[^a-z0-9_-]+", "-", key.lower()).strip("-")[:80] or "agent"
    name, number = plain, 1
    while f"{name}/{WELL_KNOWN}" in made:
        number += 1
        name = f"{plain}-{number}"
    return name


def _findings(source: PackSource) -> tuple[Finding, ...]:
    no_address = Finding(
        code="PP408",
        level="hint",
        message="The cards name no address, because a pack does not know where it answers.",
        place=source.place("agents", element="agents"),
        hint="Fill in supportedInterfaces where the agents are hosted; A2A wants at least one.",
    )
    members = source.parts.members.items()
    found = [no_address, *(item for key, one in members for item in _about(source, key, one))]
    return tuple(replace(item, place=source.locate(item.place)) for item in found)


def _about(source: PackSource, key: str, member: Object) -> Iterator[Finding]:
    here = source.place("agents", "members", key, element=f"agent:{key}")
    if not described(member, source.parts.prompts.get(key, {})):
        yield Finding(
            code="PP409",
            level="warning",
            message=f"The card of {key!r} repeats its name, because nobody wrote a description.",
            place=here,
            hint="Say in the agent's description what it can do for others.",
        )
    if not words(member.get("tags")):
        yield Finding(
            code="PP410",
            level="warning",
            message=f"The card of {key!r} has no tags, and A2A wants at least one.",
            place=here,
            hint="Give the agent a word or two that others would search for.",
        )


CARDS = ExportFormat(
    name="a2a-cards",
    title="A2A agent cards",
    description="One agent card per published agent, as other agents look for it.",
    make=_make,
)
