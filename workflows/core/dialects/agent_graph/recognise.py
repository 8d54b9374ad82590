"""Recognition of agent graphs. The bytes are checked before the JSON is parsed."""

from __future__ import annotations

import re
from posixpath import basename, dirname

from workflows.core.dialects.agent_graph.format.vocabulary import MARK
from workflows.core.dialects.base import PackLocation
from workflows.core.pack.files import Files
from workflows.core.prompts.role_templates.names import FOLDER, SUFFIX
from workflows.core.text.json.loads import json_object

ENDING = ".agents.json"
_KEYS = re.compile(rb'"(?:agent_graph|nodes)"\s*:')
_MARKED = re.compile(rb'"agent_graph"\s*:\s*-?\d')


def recognises(files: Files) -> list[PackLocation]:
    """Every file that is an agent graph, with its templates."""
    return [
        PackLocation(
            dialect="agent_graph",
            name=name_of(path, files[path]),
            main=path,
            paths=(path, *template_paths(files, dirname(path))),
        )
        for path in files
        if path.endswith(".json") and is_main(path, files[path])
    ]


def is_main(path: str, data: bytes) -> bool:
    """True for a JSON file that is marked as an agent graph. With the ending of the format, a list
    of nodes is enough, and a file that cannot be parsed counts if it has such a key: a broken pack
    is reported by a finding. Other programs use the ending too."""
    if not path.endswith(".json"):
        return False
    return looks_like_one(data) or (path.endswith(ENDING) and _may_be_one(data))


def _may_be_one(data: bytes) -> bool:
    if not _KEYS.search(data.replace(b"\0", b"")):  # also in UTF-16
        return False
    top = json_object(data)
    return not top or MARK in top or isinstance(top.get("nodes"), list)


def looks_like_one(data: bytes) -> bool:
    """True for an object with a number at the top-level key `agent_graph`."""
    if not _MARKED.search(data):
        return False
    return isinstance(json_object(data).get(MARK), int)


def template_paths(files: Files, folder: str) -> tuple[str, ...]:
    """All files in the folder of templates, including files with invalid names."""
    base = f"{folder}/{FOLDER}/" if folder else f"{FOLDER}/"
    return tuple(
        path
        for path in files
        if path.startswith(base) and path.endswith(SUFFIX) and "/" not in path.removeprefix(base)
    )


def name_of(path: str, data: bytes) -> str:
    """The pack's name, else the file name without its endings."""
    name = json_object(data).get("name")
    if isinstance(name, str) and name.strip():
        return name.strip()
    stem = basename(path)
    for ending in (ENDING, ".json"):
        if stem.endswith(ending) and stem != ending:
            return stem.removesuffix(ending)
    return stem


def main_of(files: Files) -> str:
    """The main file of a pack: by name, else by content, else the first JSON file, else the first
    file."""
    named = [path for path in files if path.endswith(ENDING)]
    if named:
        return named[0]
    texts = [path for path in files if path.endswith(".json")]
    likely = [path for path in texts if looks_like_one(files[path])]
    return next(iter((*likely, *texts, *files)), "")
