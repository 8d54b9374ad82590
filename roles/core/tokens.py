"""Estimate of the number of tokens of a text.

Exact counts need the vocabulary of each model, which has to be downloaded. So every display calls
this an estimate.
"""

from __future__ import annotations

import re

_PIECE = re.compile(r"[A-Za-z]+|\d{1,3}|\s+|[^\sA-Za-z\d]")
LETTERS = 8
"""Latin letters per token of a long word."""


def estimate(text: str) -> int:
    """Words, groups of digits, line breaks and signs; a letter of another script counts as one."""
    return sum(_tokens(piece[0]) for piece in _PIECE.finditer(text))


def _tokens(piece: str) -> int:
    if piece.isspace():
        return 1 if "\n" in piece else 0
    return 1 + (len(piece) - 1) // LETTERS if piece.isalpha() else 1
