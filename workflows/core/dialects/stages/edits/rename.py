"""Another id for a stage, and every mention follows it."""

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

Pointer = tuple[str | int, ...]


def rename(source: StagesSource, edit: RenameState) -> StagesSource:
    """The id in the file, the key in the pipeline, every successor, join, grant, entry and count of
    visits. A file that is called after its stage is called after it again."""
    old, new = edit.id, edit.new_id
    need_stage(source, old)
    if new == old:
        return source
    require_free(source.stages, new, "stage")
    path = source.stages[old].path
    if source.pipeline is not None:
        source = source.with_pipeline(_followed(source, old, new))
        path = source.stages[new].path
    return _renamed_file(source, path, old, new)


def _followed(source: StagesSource, old: str, new: str) -> JsonText:
    """Keys come last, so that the pointers before stay true."""
    text = text_of(source)
    for pointer in mentions(source, old):
        text = text.set(pointer, new)
    for pointer, path in _visits(text.value, ()):
        if path.startswith(f"run.visits.{old}") and _counts(path, old):
            text = text.set(pointer, f"run.visits.{new}" + path[len(f"run.visits.{old}") :])
    return text.rename(("stages", old), new)


def mentions(source: StagesSource, stage: str) -> Iterator[Pointer]:
    """Every place of the pipeline whose value is the name of this stage."""
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
    grants = source.whole().get("grants")
    for index, grant in enumerate(grants if isinstance(grants, list) else ()):
        named = grant.get("stages") if isinstance(grant, dict) else ()
        for place, name in enumerate(named if isinstance(named, list) else ()):
            if name == stage:
                yield ("grants", index, "stages", place)


def _visits(value: Any, pointer: Pointer) -> Iterator[tuple[Pointer, str]]:
    """Paths of conditions and setups that look at `run.visits`."""
    match value:
        case dict():
            for key, item in value.items():
                if key in ("path", "from") and isinstance(item, str):
                    if item.startswith("run.visits."):
                        yield (*pointer, key), item
                else:
                    yield from _visits(item, (*pointer, key))
        case list():
            for index, item in enumerate(value):
                yield from _visits(item, (*pointer, index))


def _counts(path: str, stage: str) -> bool:
    read = read_path(path)
    return read is not None and read.steps[:2] == ("visits", stage)


def _renamed_file(source: StagesSource, path: str, old: str, new: str) -> StagesSource:
    """The id inside the file, and its name if that was the id."""
    file = source.known.get(path)
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
        given = str(source.entry(new).get("file"))
        named_now = given.removesuffix(basename(path)) + basename(target)
        text = text_of(source).set(("stages", new, "file"), named_now)
        return source.moved(path, target, data).with_pipeline(text)
    return source.moved(path, target, data)
