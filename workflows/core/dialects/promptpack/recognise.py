"""Detection of pack files. Bytes are searched before any parsing."""

from __future__ import annotations

import re
from posixpath import dirname

from workflows.core.dialects.base import PackLocation
from workflows.core.dialects.promptpack.format.skill_files import paths_of
from workflows.core.pack.files import Files
from workflows.core.text.json.loads import json_object

SUFFIX = ".pack.json"
_PROMPTS = re.compile(rb'"prompts"\s*:\s*\{')
_ONLY_PACKS = (b'"template_engine"', b'"system_template"')
_MARKERS = (b'"template_engine"', b'"workflow"', b'"agents"', b'"system_template"')


def recognises(files: Files) -> list[PackLocation]:
    """Every file that has the suffix of a pack or the content of one, with the files of its
    skills."""
    return [
        PackLocation(
            dialect="promptpack",
            name=name_of(path, files[path]),
            main=path,
            paths=tuple(dict.fromkeys((path, *skills_in(files, path, files[path])))),
        )
        for path in files
        if path.endswith(SUFFIX) or (path.endswith(".json") and looks_like_a_pack(files[path]))
    ]


def skills_in(files: Files, path: str, data: bytes) -> list[str]:
    """The files of the skills that a pack names by path."""
    if b'"skills"' not in data or len(files) == 1:
        return []
    return paths_of(files, dirname(path), json_object(data).get("skills"))


def looks_like_a_pack(data: bytes) -> bool:
    """Return True for an object with `prompts` and another key that only packs have, and for a text
    with both that is not valid JSON: such a pack is opened to be repaired."""
    if not _PROMPTS.search(data) or not any(word in data for word in _MARKERS):
        return False
    top = set(json_object(data))
    if not top:
        is_object = data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
        return is_object and any(word in data for word in _ONLY_PACKS)
    if "prompts" not in top or "properties" in top:
        return False
    return bool(top & {"template_engine", "workflow", "agents", "version"}) and "steps" not in top


def name_of(path: str, data: bytes) -> str:
    """The name of the pack, else the file name without its suffix."""
    name = json_object(data).get("name")
    if isinstance(name, str) and name.strip():
        return name.strip()
    stem = path.rsplit("/", 1)[-1]
    for ending in (SUFFIX, ".json"):
        if stem.endswith(ending) and stem != ending:
            return stem[: -len(ending)]
    return stem


def main_of(files: Files) -> str:
    """The pack file: the first with the suffix, else the first that looks like a pack, else the
    first."""
    named = [path for path in files if path.endswith(SUFFIX)]
    if named:
        return named[0]
    likely = [path for path in files if path.endswith(".json") and looks_like_a_pack(files[path])]
    return likely[0] if likely else next(iter(files), "")
