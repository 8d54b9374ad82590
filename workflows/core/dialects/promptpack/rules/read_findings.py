"""Rules whose findings are reported when a file is read."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.promptpack.format.parts import Parts
from workflows.core.dialects.promptpack.rules.kit import pack_rule
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note


@pack_rule("PP101", "error", "Not JSON", profiles=EVERY)
def not_json(parts: Parts) -> Iterable[Note]:
    """The file is not valid JSON, so nothing can be drawn, checked or run. The message has the line
    at which parsing stopped; the cause is often just before it, such as an extra comma or a missing
    quote. Repair it in the text view."""
    return ()


@pack_rule("PP102", "error", "Not a pack", profiles=EVERY)
def not_a_pack(parts: Parts) -> Iterable[Note]:
    """The file is JSON but not an object with prompts, so it is not a PromptPack. Either the file
    name ends in .pack.json by mistake, or the content was replaced."""
    return ()


@pack_rule("PP103", "warning", "Duplicate key", profiles=EVERY)
def repeated_key(parts: Parts) -> Iterable[Note]:
    """One object has the same key twice. Parsers keep the last value and drop the other, so a
    state, prompt or event in the file may be missing from the graph. Remove or rename one of the
    two."""
    return ()


@pack_rule("PP104", "error", "Unpaired surrogate", profiles=EVERY)
def half_a_character(parts: Parts) -> Iterable[Note]:
    """JSON writes some characters, such as emoji, as a pair of escapes. One of the pair is missing
    here, so the text cannot be stored, sent or displayed. Complete the pair or remove the other
    escape in the text view."""
    return ()
