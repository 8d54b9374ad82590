"""The nesting of flow collections (`[…]`, `{…}`), counted before the text is parsed.

ruamel.yaml keeps an entry per open bracket and visits all of them for each token, so that thousands
of open brackets take it minutes.
"""

from __future__ import annotations

import re

import yaml

_BRACKET = re.compile(r"[\[\]{}]")
_LOADER = getattr(yaml, "CLoader", None)
_OPEN = (yaml.FlowSequenceStartToken, yaml.FlowMappingStartToken)
_CLOSE = (yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken)


def too_deep(text: str, most: int) -> int | None:
    """The position at which flow collections are nested deeper than `most`; None if they are not.

    Brackets are counted first, which includes those in quoted text. Where there are too many, the
    scanner of libyaml decides.
    """
    level = 0
    for match in _BRACKET.finditer(text):
        level = level + 1 if match[0] in "[{" else max(level - 1, 0)
        if level > most:
            return None if _is_shallow(text, most) else match.start()
    return None


def _is_shallow(text: str, most: int) -> bool:
    """True if libyaml reads all tokens of a text and none is nested deeper."""
    if _LOADER is None:
        return False
    level = 0
    try:
        for token in yaml.scan(text, Loader=_LOADER):
            level += isinstance(token, _OPEN) - isinstance(token, _CLOSE)
            if level > most:
                return False
    except (yaml.YAMLError, ValueError):
        return False
    return True
