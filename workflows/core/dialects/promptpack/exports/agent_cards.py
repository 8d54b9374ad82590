"""Export of a pack's agents as A2A agent cards, each at its well-known path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from workflows.core.dialects.base import ExportFormat, ExportResult
from workflows.core.dialects.promptpack.format.agent_cards import cards, description_of
from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import EditRefused
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding
from workflows.core.text.ascii_names import ascii_id
from workflows.core.text.tolerant import as_str, as_str_list

WELL_KNOWN = ".well-known/agent-card.json"


def _export(source: PackSource) -> ExportResult:
    """Write `<member>/.well-known/agent-card.json` for each member, and a copy of the entry's card
    at the top."""
    parts = source.parts
    if not parts.members:
        raise EditRefused(
            "This pack publishes no agents, so it has no agent cards.",
            hint="Add an agent in the outline.",
        )
    made: dict[str, bytes] = {}
    for key, item in cards(parts).items():
        made[f"{_folder(key, made)}/{WELL_KNOWN}"] = _text(item)
        if key == as_str((parts.agents or {}).get("entry")):
            made[WELL_KNOWN] = _text(item)
    return ExportResult(files=Files.of(made), findings=_findings(source))


def _text(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _folder(key: str, made: dict[str, bytes]) -> str:
    """A folder name for the member's key. Keys can contain characters that folder names cannot."""
    plain = ascii_id(key).lower()[:80] or "agent"
    name, number = plain, 1
    while f"{name}/{WELL_KNOWN}" in made:
        number += 1
        name = f"{plain}-{number}"
    return name


def _findings(source: PackSource) -> tuple[Finding, ...]:
    no_address = Finding(
        code="PP408",
        level="hint",
        message="The cards have no address: a pack does not contain the address of its host.",
        place=source.place("agents", element="agents"),
        hint="Fill in supportedInterfaces on the host; A2A requires at least one.",
    )
    members = source.parts.members.items()
    findings = [
        no_address,
        *(item for key, one in members for item in _member_findings(source, key, one)),
    ]
    return tuple(replace(item, place=source.locate(item.place)) for item in findings)


def _member_findings(source: PackSource, key: str, member: Object) -> Iterator[Finding]:
    here = source.place("agents", "members", key, element=f"agent:{key}")
    if not description_of(member, source.parts.prompts.get(key, {})):
        yield Finding(
            code="PP409",
            level="warning",
            message=f"The card of agent {key!r} repeats its name: it has no description.",
            place=here,
            hint="Describe in the agent's description what it does for other agents.",
        )
    if not as_str_list(member.get("tags")):
        yield Finding(
            code="PP410",
            level="warning",
            message=f"The card of agent {key!r} has no tags; A2A requires at least one.",
            place=here,
            hint="Add one or two search terms to the agent's tags.",
        )


EXPORTS = (
    ExportFormat(
        name="a2a-cards",
        title="A2A agent cards",
        description="One agent card per published agent, at its well-known path.",
        make=_export,
    ),
)
