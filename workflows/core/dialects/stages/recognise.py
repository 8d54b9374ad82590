"""Recognition of packs in a tree: pipelines with their stages, folders of stages, single stage
objects. Bytes are searched before anything is parsed."""

from __future__ import annotations

import json
import re
from posixpath import basename, dirname, join, normpath, splitext
from typing import Any

from workflows.core.dialects.base import PackLocation
from workflows.core.dialects.stages.format.stage_file import OBJECT_KEYS, REQUIRED
from workflows.core.pack.files import Files
from workflows.core.text.tolerant import as_object

FORMAT = "signalbox.stud-pipeline/1"
NAME = "pipeline.json"
MIN_KEYS = 4
"""Minimum number of the eight keys for a markdown file to be a stage. Two are enough if one is the
completion tool."""

_MARK = b"signalbox.stud-pipeline/"
_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n")
_CLOSING = re.compile(rb"\n---[ \t]*(?:\r?\n|\Z)")
_STAGE_KEYS = frozenset(key.encode() for key in REQUIRED)
_KEY = re.compile(rb"^[\"']?([A-Za-z]+)[\"']?[ \t]*:", re.MULTILINE)
MAX_HEAD = 65_536


def recognises(files: Files) -> list[PackLocation]:
    """Every pipeline with the files it names and the stages in its folders; then, by folder, the
    other stages; then each other stage object."""
    texts = [path for path in files if path.endswith((".json", ".md", ".markdown"))]
    stages = [path for path in texts if looks_like_a_stage(path, files[path])]
    folders_of_stages = {dirname(path) for path in stages}
    pipelines = {
        path: tree
        for path in texts
        if (tree := pipeline(path, files[path]))
        or (tree := unmarked_pipeline(path, files[path], folders_of_stages))
    }
    locations = []
    taken: set[str] = set()
    for main, tree in pipelines.items():
        paths = _paths(files, main, tree, stages)
        taken.update(paths)
        locations.append(_location(main, name_of(main, tree), paths))
    folders: dict[str, list[str]] = {}
    for path in stages:
        if path not in taken:
            folders.setdefault(dirname(path), []).append(path)
    for folder, own in folders.items():
        own += [path for path in texts if dirname(path) == folder and successors(path, files[path])]
        locations.append(_location(own[0], _folder_name(folder, own), tuple(own)))
    for path in texts:
        if path not in taken and (value := stage_object(path, files[path])):
            locations.append(_location(path, str(value.get("id") or basename(path)), (path,)))
    return sorted(locations, key=lambda pack: pack.main)


def _location(main: str, name: str, paths: tuple[str, ...]) -> PackLocation:
    return PackLocation(dialect="stages", name=name, main=main, paths=paths)


def pipeline(path: str, data: bytes) -> dict[str, Any] | None:
    """The value of a pipeline file; only its format if it is not valid JSON; None for any other
    file."""
    if not path.endswith(".json") or _MARK not in data:
        return None
    tree = _json(data)
    if tree is None:
        return {"format": FORMAT}
    format_name = tree.get("format")
    return tree if isinstance(format_name, str) and format_name.startswith(_MARK.decode()) else None


def unmarked_pipeline(path: str, data: bytes, folders: set[str]) -> dict[str, Any] | None:
    """The value of a `pipeline.json` without a format next to a folder of stages, so that a finding
    reports it; {} plus its format if it is empty or no JSON; None for any other file."""
    if basename(path) != NAME or join(dirname(path), "stages") not in folders:
        return None
    tree = _json(data)
    if tree is None:
        return {"format": FORMAT}
    return tree if isinstance(tree.get("stages"), dict) and "format" not in tree else None


def looks_like_a_stage(path: str, data: bytes) -> bool:
    """Return True for markdown with front matter that has several keys of a stage."""
    if not path.endswith((".md", ".markdown")):
        return False
    start = data[:MAX_HEAD]
    opening = _OPENING.match(start)
    closing = _CLOSING.search(start, opening.end()) if opening else None
    if opening is None or closing is None:
        return False
    keys = _STAGE_KEYS.intersection(_KEY.findall(start, opening.end(), closing.start()))
    return len(keys) >= MIN_KEYS or (len(keys) >= 2 and b"completionTool" in keys)


def stage_object(path: str, data: bytes) -> dict[str, Any] | None:
    """The stage object in this JSON file, or None."""
    if not path.endswith(".json") or b'"completionTool"' not in data or b'"body"' not in data:
        return None
    tree = _json(data)
    if tree is None or not {"id", "body", "completionTool"} <= tree.keys():
        return None
    return tree if not {"properties", "stages", "prompts", "steps"} & tree.keys() else None


def successors(path: str, data: bytes) -> dict[str, Any]:
    """The value of a file of NextResults next to the stages: `{entryStage, transitions: {…}}`,
    copied from a state machine. {} for any other file."""
    if not path.endswith(".json") or b'"transitions"' not in data or b'"nextStages"' not in data:
        return {}
    tree = _json(data) or {}
    return tree if isinstance(tree.get("transitions"), dict) and "steps" not in tree else {}


def _json(data: bytes) -> dict[str, Any] | None:
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return tree if isinstance(tree, dict) else None


def resolve_path(main: str, file: str) -> str:
    """The path in the tree of a file that the pipeline at `main` names."""
    return normpath(join(dirname(main), file)) if file else ""


def _paths(files: Files, main: str, tree: dict[str, Any], stages: list[str]) -> tuple[str, ...]:
    """The pipeline, the files it names, and the stages in the folders of those files."""
    entries = tree.get("stages")
    named: dict[str, None] = {main: None}
    for entry in as_object(entries).values():
        file = as_object(entry).get("file")
        if isinstance(file, str) and (path := resolve_path(main, file)) in files:
            named[path] = None
    below = f"{dirname(main)}/" if dirname(main) else ""
    folders = {dirname(path) for path in named if path != main and path.startswith(below)}
    folders.add(f"{below}stages")
    folders.discard(dirname(main))
    for path in stages:
        if dirname(path) in folders:
            named[path] = None
    return tuple(named)


def name_of(main: str, tree: dict[str, Any]) -> str:
    """The name of a pipeline, else of its folder, else of its file."""
    for key in ("name", "id"):
        if isinstance(tree.get(key), str) and tree[key].strip():
            return str(tree[key]).strip()
    return basename(dirname(main)) or splitext(basename(main))[0]


def _folder_name(folder: str, paths: list[str]) -> str:
    if len(paths) == 1:
        return splitext(basename(paths[0]))[0]
    parts = [part for part in folder.split("/") if part]
    if len(parts) > 1 and parts[-1] == "stages":
        return parts[-2]
    return parts[-1] if parts else "stages"


def main_of(files: Files) -> str:
    """The pipeline of one pack's files, else its first stage, else ""."""
    likely = [path for path in files if basename(path) == NAME]
    pipelines = [path for path, data in files.items() if pipeline(path, data) is not None]
    named = [path for path in pipelines if basename(path) == NAME]
    if named or pipelines:
        return (named or pipelines)[0]
    stages = [path for path, data in files.items() if looks_like_a_stage(path, data)]
    objects = [path for path, data in files.items() if stage_object(path, data)]
    rest = [path for path in files if path.endswith((".md", ".markdown", ".json"))]
    return next(iter((*likely, *stages, *objects, *rest)), "")


def may_be_a_stage(path: str, data: bytes) -> bool:
    """Return True if a file of a pack without a pipeline may be one of its stages. It may have few
    keys: stages are edited one key at a time. JSON that cannot be parsed is searched for keys."""
    if path.endswith((".md", ".markdown")):
        return data.removeprefix(b"\xef\xbb\xbf").startswith(b"---")
    if not path.endswith(".json"):
        return False
    tree = _json(data)
    if tree is None:
        return b'"completionTool"' in data and b'"body"' in data
    return not set(OBJECT_KEYS).isdisjoint(tree)
