"""Recognition of workflow scripts by their shape. Nothing is executed."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from typing import Literal

from workflows.core.dialects.base import PackLocation
from workflows.core.dialects.workflow_scripts.format.definitions import named_definitions
from workflows.core.dialects.workflow_scripts.format.meta import read_meta
from workflows.core.dialects.workflow_scripts.format.neighbours import (
    Script,
    references,
    started_names,
)
from workflows.core.dialects.workflow_scripts.format.syntax import (
    BOM,
    MOST_BYTES,
    Node,
    parse,
    parts,
    text,
    walk,
)
from workflows.core.pack.files import Files

SUFFIXES = (".js", ".mjs", ".cjs")
FOLDERS = {
    ".claude/workflows/": "claude-code",
    ".opencode/workflows/": "opencode",
    ".qwen/workflows/": "qwen",
    ".odw/workflows/": "open",
    ".pi/workflows/": "pi",
    ".agents/workflows/": "claude-code",
    ".qoder/workflows/": "claude-code",
}
"""Folders of workflow scripts, and the profile of each."""
ANCHOR = (b"export", b"const", b"meta", b"=", b"{")
CALL = re.compile(rb"(?<![.\w$])(?:agent|parallel|pipeline|workflow)[ \t]*\(")
DECLARED = re.compile(rb"(?<![.\w$])export\s{1,100}const\s{1,100}meta\b")
CALLED = (b"agent", b"parallel", b"pipeline", b"workflow")
SPACE = b" \t\r\n\f\v"

Verdict = Literal["workflow", "broken", "no"]


def recognises(files: Files) -> list[PackLocation]:
    """Every script of the tree. A pack is one script, the scripts that it refers to, and the agent
    definitions that these name."""
    scripts = scripts_of(files)
    found = []
    for path, script in scripts.items():
        near = (path, *references(script, scripts))
        named = dict.fromkeys(name for one in near for name in named_definitions(one, files))
        found.append(
            PackLocation(
                dialect="workflow_scripts", name=name_of(path), main=path, paths=(*near, *named)
            )
        )
    return found


def scripts_of(files: Files) -> dict[str, Script]:
    """The scripts among these files, by path."""
    return {
        path: Script(
            path=path,
            name=read_meta(parse(data).root_node).name,
            base=base_of(path),
            starts=started_names(data),
        )
        for path, data in files.items()
        if path.endswith(SUFFIXES) and verdict(path, data) != "no"
    }


def base_of(path: str) -> str:
    """The folder whose files see a script: the one around its folder of workflows, else its own."""
    folder = f"/{path.rpartition('/')[0]}/"
    places = [at for one in FOLDERS if (at := folder.rfind(f"/{one}")) >= 0]
    return folder[1 : max(places)] if places else folder.strip("/")


def in_folder(path: str) -> bool:
    """True for a file in a folder of workflow scripts."""
    return any(f"/{folder}" in f"/{path}" for folder in FOLDERS)


def verdict(path: str, data: bytes) -> Verdict:
    """`broken` scripts open as packs with errors."""
    calls = CALL.search(data) is not None
    inside = in_folder(path)
    if inside and (not data.strip() or data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))):
        return "broken"
    anchored = is_anchored(data)
    if (not anchored and not calls) or len(data) > MOST_BYTES:
        return "no"
    if not anchored and not inside and DECLARED.search(data) is None:
        return "no"
    if not calls and not inside:
        return "no"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "no"
    root = parse(data).root_node
    meta = read_meta(root)
    calls = calls and (root.has_error or _calls(root))
    modules = [
        one
        for one in parts(root)
        if one.type in ("import_statement", "export_statement") and one != meta.statement
    ]
    if anchored and calls and not root.has_error and not modules:
        return "broken" if meta.computed else "workflow"
    if anchored and calls and root.has_error:
        return "broken"
    if inside and (calls or anchored):
        return "broken" if calls or meta.object is not None else "no"
    named = bool(meta.value.keys() >= {"name", "description"})
    misplaced = meta.statement is not None and (not meta.first or bool(meta.computed))
    exports = any(one.type == "export_statement" for one in modules)
    return "broken" if calls and named and misplaced and not exports else "no"


def _calls(root: Node) -> bool:
    """True if the code, outside of texts and comments, calls one of the runtime's names."""
    return any(
        text(callee).encode() in CALLED
        for one in walk(root)
        if one.type == "call_expression"
        and (callee := one.child_by_field_name("function")) is not None
        and callee.type == "identifier"
    )


def is_anchored(data: bytes) -> bool:
    """True if the text begins with `export const meta = {`, after comments."""
    place = len(BOM) if data.startswith(BOM) else 0
    for word in ANCHOR:
        place = _after_trivia(data, place)
        if not data.startswith(word, place):
            return False
        place += len(word)
    return True


def _after_trivia(data: bytes, place: int) -> int:
    """The place after white space and comments."""
    while place < len(data):
        if data[place] in SPACE:
            place += 1
        elif data.startswith(b"//", place):
            end = data.find(b"\n", place)
            place = len(data) if end < 0 else end
        elif data.startswith(b"/*", place):
            end = data.find(b"*/", place)
            place = len(data) if end < 0 else end + 2
        else:
            break
    return place


def name_of(path: str) -> str:
    """The file's name without its ending."""
    return path.rpartition("/")[2].rpartition(".")[0]


def main_of(files: Files) -> str:
    """The script of a pack to which no other one refers; the first JavaScript file if none is
    recognised."""
    found = [path for path in files if path.endswith(SUFFIXES)]
    if len(found) > 1:
        scripts = scripts_of(files)
        others = {each for one in scripts.values() for each in references(one, scripts)}
        found = [*(path for path in scripts if path not in others), *scripts, *found]
    return next(iter((*found, *files)), "workflow.js")
