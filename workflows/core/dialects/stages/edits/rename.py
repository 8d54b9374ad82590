"""Renaming a stage with all references to it."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename, dirname, join, splitext
from typing import Any

from workflows.core.dialects.stages.edits.common import file_stem, need_stage, text_of
from workflows.core.dialects.stages.edits.files import with_key
from workflows.core.dialects.stages.format.parts import plans
from workflows.core.dialects.stages.format.paths import read_path
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.edits import RenameState
from workflows.core.pack.naming import require_free
from workflows.core.text.json.document import JsonText
from workflows.core.text.tolerant import as_list

Pointer = tuple[str | int, ...]


def rename(source: StagesSource, edit: RenameState) -> StagesSource:
    """Rename the id in the file, the key in the pipeline, every successor, join, grant, the entry
    and paths to visits. A file that is named after its stage is renamed too."""
    old, new = edit.id, edit.new_id
    need_stage(source, old)
    if new == old:
        return source
    require_free(source.stages, new, "stage")
    path = source.stages[old].path
    if source.pipeline is not None:
        source = source.with_pipeline(_rename_in_pipeline(source, old, new))
        path = source.stages[new].path
    return _rename_file(source, path, old, new)


def _rename_in_pipeline(source: StagesSource, old: str, new: str) -> JsonText:
    """The renamed text. The key is renamed last, so that earlier pointers stay valid."""
    text = text_of(source).set_all(dict.fromkeys(mentions(source, old), new))
    text = text.set_all(
        {
            pointer: f"run.visits.{new}" + path[len(f"run.visits.{old}") :]
            for pointer, path in _visit_paths(text.value, ())
            if path.startswith(f"run.visits.{old}") and _is_visit_path(path, old)
        }
    )
    return text.rename(("stages", old), new)


def mentions(source: StagesSource, stage: str) -> Iterator[Pointer]:
    """Every pointer of the pipeline whose value is the name of this stage."""
    if source.whole().get("entryStage") == stage:
        yield ("entryStage",)
    text = text_of(source)
    for owner in source.stages:
        for plan in plans(source, owner):
            if plan.join == stage:
                yield (*plan.pointer, "join")
            listed = text.get((*plan.pointer, "nextStages")) if stage in plan.stages else ()
            for index, name in enumerate(listed):
                if name == stage:
                    yield (*plan.pointer, "nextStages", index)
    for index, grant in enumerate(as_list(source.whole().get("grants"))):
        named = grant.get("stages") if isinstance(grant, dict) else ()
        for place, name in enumerate(as_list(named)):
            if name == stage:
                yield ("grants", index, "stages", place)


def _visit_paths(value: Any, pointer: Pointer) -> Iterator[tuple[Pointer, str]]:
    """Paths of conditions and setups that read `run.visits`."""
    match value:
        case dict():
            for key, item in value.items():
                if key in ("path", "from") and isinstance(item, str):
                    if item.startswith("run.visits."):
                        yield (*pointer, key), item
                else:
                    yield from _visit_paths(item, (*pointer, key))
        case list():
            for index, item in enumerate(value):
                yield from _visit_paths(item, (*pointer, index))


def _is_visit_path(path: str, stage: str) -> bool:
    read = read_path(path)
    return read is not None and read.steps[:2] == ("visits", stage)


def _rename_file(source: StagesSource, path: str, old: str, new: str) -> StagesSource:
    """Rename the id inside the file, and the file if it was named after the stage."""
    file = source.stage_files.get(path)
    if file is None or (file.front is None and file.text is None):
        return source
    named = source.pipeline is None and "id" not in file.values
    data = with_key(file, ("id",), new) if file.values.get("id") == old else file.data
    stem, ending = splitext(basename(path))
    target = join(dirname(path), f"{new}{ending}")
    shared = sum(other.path == path for other in source.stages.values()) > 1
    if stem != old or shared or target in source.files or file_stem(new) != new:
        data = with_key(file, ("id",), new) if named else data
        return source if data == file.data else source.with_files({path: data})
    if source.pipeline is not None:
        file_name = str(source.entry(new).get("file"))
        named_now = file_name.removesuffix(basename(path)) + basename(target)
        text = text_of(source).set(("stages", new, "file"), named_now)
        return source.moved(path, target, data).with_pipeline(text)
    return source.moved(path, target, data)
