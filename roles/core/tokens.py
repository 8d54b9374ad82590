"""How many tokens a text takes, roughly.

The vocabularies that would tell exactly differ from model to model and have to be fetched, so this
is an estimate and is called one wherever it is shown.
"""

from __future__ import annotations

import re

_PIECE = re.compile(r"[A-Za-z]+|\d{1,3}|\s*\n\s*|[^\sA-Za-z\d]")
LETTERS = 8
"""Latin letters that a token holds before a word is cut into several."""


def estimate(text: str) -> int:
    """Words, groups of digits, breaks and signs; a letter of another script counts as one."""
    return sum(1 + (len(found[0]) - 1) // LETTERS if found[0].isalpha() else 1
               for found in _PIECE.finditer(text))  # fmt: skip
