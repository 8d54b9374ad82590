"""What handing a pack out in another form has to say: the findings come with the export."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.promptpack.format.parts import Parts
from workflows.core.dialects.promptpack.rules.kit import pack_rule
from workflows.core.rules.kit import Note


@pack_rule("PP121", "error", "Not in the version asked for")
def not_in_version(parts: Parts) -> Iterable[Note]:
    """The pack is handed out for a version of the format that came before this field. Where the
    format allows no other fields, tools for that version refuse the whole pack; elsewhere they pass
    over the field, and that is a warning only. Ask for a newer version, or take the field out."""
    return ()


@pack_rule("PP122", "error", "Otherwise in the version asked for")
def otherwise_in_version(parts: Parts) -> Iterable[Note]:
    """The pack is handed out for a version of the format that knows this field but takes fewer
    values for it, or wants another one beside it. Tools for that version refuse the pack. Ask for a
    newer version, or change the value."""
    return ()


@pack_rule("PP408", "hint", "Cards without an address")
def no_address(parts: Parts) -> Iterable[Note]:
    """An agent card tells others at which address and in which way an agent can be reached. A pack
    does not know where it will be hosted, so the list is empty in the cards made from it. Whoever
    hosts the agents fills in `supportedInterfaces`."""
    return ()


@pack_rule("PP409", "warning", "Card without a description")
def no_description(parts: Parts) -> Iterable[Note]:
    """Others choose an agent by the description on its card, and neither the agent nor its prompt
    has one, so the card repeats the name. Describe the agent in a sentence or two."""
    return ()


@pack_rule("PP410", "warning", "Card without tags")
def no_tags(parts: Parts) -> Iterable[Note]:
    """Registries and routers find an agent by the tags on its card, and A2A refuses a card without
    any. Give the agent one or more."""
    return ()
