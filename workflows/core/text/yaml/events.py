"""YAML text → events, by the quickest reader that reads it as YAML 1.2.

libyaml is many times quicker than ruamel.yaml, but it is a reader of YAML 1.1. Its events of a text
are the same as long as the text has no tags, anchors, aliases, directives, complex keys, or line
breaks of 1.1; every other text, and every text it finds wrong, goes to ruamel.yaml, whose words
errors are reported in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import yaml
from ruamel.yaml import YAML

_ONLY_PLAIN = re.compile(
    r"[^\t\n\r -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
    r"|^%|^\.\.\."  # directives and ends of documents
    r"|(?:^|[\s\[{,])[&*!?]"  # anchors, aliases, tags, complex keys
    r"|<<"
    r"|\t"
    r"|[|>][-+0-9]*#",  # a comment that libyaml alone takes for one
    re.MULTILINE,
)
_LOADER = getattr(yaml, "CLoader", None)


def events(text: str) -> Iterable[Any]:
    """Objects with `start_mark` and `end_mark` and the fields of their kind, named by their class.
    Raises what ruamel.yaml raises."""
    if _LOADER is not None and not _ONLY_PLAIN.search(text):
        try:
            return list(yaml.parse(text, Loader=_LOADER))
        except yaml.YAMLError:
            pass
    stream: Iterable[Any] = YAML(typ="safe", pure=True).parse(text)
    return stream
