"""The files of a pipeline as values, for the conversion report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from posixpath import dirname

from workflows.core.convert.coverage import BODY, Pointer, Tree, json_tree
from workflows.core.dialects.stages.source import StageFile, StagesSource
from workflows.core.text.json.pointer import pointer_text


def trees(source: StagesSource) -> dict[str, Tree]:
    """The pipeline and the front matter of stages as values; bodies and other files as text."""
    parts = {}
    for path, data in source.files.items():
        if source.pipeline is not None and path == source.main:
            parts[path] = json_tree(source.pipeline)
        elif path in source.stage_files:
            parts[path] = _stage(source.stage_files[path], data)
        else:
            parts[path] = Tree(value=data.decode("utf-8", "replace"), line=lambda _: 1)
    return parts


def _stage(file: StageFile, data: bytes) -> Tree:
    if file.text is not None:
        return json_tree(file.text)
    if file.front is None:
        return Tree(value=None, line=lambda _: 1, body=data.decode("utf-8", "replace"))
    value = file.front.head.value if file.front.head is not None else None

    def line(pointer: Pointer) -> int:
        return file.line("/body" if pointer == (BODY,) else pointer_text(pointer))

    return Tree(value=value, line=line, body=file.body)


def standard_values(source: StagesSource, parts: Mapping[str, Tree]) -> Mapping[str, Tree]:
    """The values that the converter writes, by the paths of this pack's files."""
    folder = f"{dirname(source.main)}/" if dirname(source.main) else ""
    result = {}
    for path, part in parts.items():
        own = source.main if path == "pipeline.json" else f"{folder}{path}"
        if own in source.files:
            result[own] = part
    return result


def element_of(source: StagesSource) -> Callable[[str, Pointer], str]:
    """A function from a place to its element."""
    boxes = {file.path: f"state:{stage}" for stage, file in source.stages.items()}

    def element(path: str, pointer: Pointer) -> str:
        if path == source.main and pointer[:1] == ("stages",) and len(pointer) > 1:
            return f"state:{pointer[1]}"
        return boxes.get(path, "pack")

    return element
