"""Which files are packs. Bytes are looked at before anything is parsed."""

from __future__ import annotations

import re

from workflows.core.dialects.base import PackLocation
from workflows.core.pack.files import Files
from workflows.core.text.json.loads import json_object

SUFFIX = ".pack.json"
_PROMPTS = re.compile(rb'"prompts"\s*:\s*\{')
_OURS = (b'"template_engine"', b'"workflow"', b'"agents"', b'"system_template"')


def recognises(files: Files) -> list[PackLocation]:
    """Every file that is a pack or says it is one by its name."""
    return [
        PackLocation(dialect="promptpack", name=name_of(path, data), main=path, paths=(path,))
        for path, data in files.items()
        if path.endswith(SUFFIX) or (path.endswith(".json") and looks_like_a_pack(data))
    ]


def looks_like_a_pack(data: bytes) -> bool:
    """Whether this is an object with `prompts` and something else that only packs have."""
    if not _PROMPTS.search(data) or not any(word in data for word in _OURS):
        return False
    top = set(json_object(data))
    if "prompts" not in top or "properties" in top:
        return False
    return bool(top & {"template_engine", "workflow", "agents", "version"}) and "steps" not in top


def name_of(path: str, data: bytes) -> str:
    """What the pack calls itself, else the file's name without its endings."""
    name = json_object(data).get("name")
    if isinstance(name, str) and name.strip():
        return name.strip()
    stem = path.rsplit("/", 1)[-1]
    for ending in (SUFFIX, ".json"):
        if stem.endswith(ending) and stem != ending:
            return stem[: -len(ending)]
    return stem


def main_of(files: Files) -> str:
    """The file that is the pack: one named so, else one that looks like it, else the first."""
    named = [path for path in files if path.endswith(SUFFIX)]
    if named:
        return named[0]
    likely = [path for path in files if path.endswith(".json") and looks_like_a_pack(files[path])]
    return likely[0] if likely else next(iter(files), "")
