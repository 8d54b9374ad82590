"""What reading a file finds by itself: the findings come with the source, the help from here."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.promptpack.format.parts import Parts
from workflows.core.dialects.promptpack.rules.kit import pack_rule
from workflows.core.rules.kit import Note


@pack_rule("PP101", "error", "Not JSON")
def not_json(parts: Parts) -> Iterable[Note]:
    """The file cannot be read as JSON, so nothing can be drawn, checked or run. The message names
    the line where reading stopped; the cause often stands just before it, such as a comma too many
    or a quote that is missing. Repair it in the text view."""
    return ()


@pack_rule("PP102", "error", "Not a pack")
def not_a_pack(parts: Parts) -> Iterable[Note]:
    """The file is JSON, but not an object with prompts, so it is no PromptPack. Either the name
    ends in .pack.json by mistake, or the content was replaced by something else."""
    return ()


@pack_rule("PP103", "warning", "Key written twice")
def repeated_key(parts: Parts) -> Iterable[Note]:
    """One object has the same key twice. Every reader takes the last one and forgets the other, so
    a state, prompt or event that seems to be there is not. Remove or rename one of the two."""
    return ()


@pack_rule("PP104", "error", "Half a character")
def half_a_character(parts: Parts) -> Iterable[Note]:
    """Some characters, such as emoji, are written in JSON as two escapes that belong together. Here
    one of the two is missing, so the text cannot be stored, sent or shown. Complete the pair or
    remove what is left of it, in the text view."""
    return ()
