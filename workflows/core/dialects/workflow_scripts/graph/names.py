"""Ids of states: from labels, so that they stay when other lines change."""

from __future__ import annotations

import re

MOST_LENGTH = 40
_OTHERS = re.compile(r"[^a-z0-9]+")


def slug(name: str) -> str:
    """Lower case, everything else than letters and digits as `-`, at most 40 characters."""
    return _OTHERS.sub("-", name[:400].lower()).strip("-")[:MOST_LENGTH].strip("-")


def base_id(*names: str) -> str:
    """The id from the first of these names that has letters or digits."""
    return next(filter(None, map(slug, names)), "agent")
