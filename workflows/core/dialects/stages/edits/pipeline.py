"""Creation of a pipeline for stages without one, at the first transition or entry."""

from __future__ import annotations

import json
from posixpath import basename, commonpath, dirname, join, relpath
from typing import Any

from workflows.core.dialects.stages.edits.common import next_result
from workflows.core.dialects.stages.format.repair import kebab, title_of
from workflows.core.dialects.stages.graph.projection import pack_name
from workflows.core.dialects.stages.recognise import FORMAT, NAME, successors
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.text.json.document import JsonText


def with_pipeline(source: StagesSource, entry: str = "") -> StagesSource:
    """The same pack with a pipeline that names every stage. Its entry comes from a file of
    NextResults next to the stages, else it is `entry`, else the first stage."""
    if source.pipeline is not None:
        return source
    path = _free_path(source)
    text = _pipeline_text(source, path, entry).encode("utf-8")
    return source.with_pipeline(JsonText.parse(text), path)


def _free_path(source: StagesSource) -> str:
    """A path in the parent of the folder `stages`, else in the folder of the stages."""
    folders = {dirname(file.path) for file in source.stages.values()}
    folder = commonpath(folders) if folders and "" not in folders else ""
    folder = dirname(folder) if basename(folder) == "stages" else folder
    path, number = join(folder, NAME), 1
    while path in source.files:
        number += 1
        path = join(folder, f"pipeline-{number}.json")
    return path


def _pipeline_text(source: StagesSource, path: str, entry: str) -> str:
    """The text of the pipeline, with short objects on one line."""
    name = pack_name(source) or title_of(basename(dirname(path)) or "pipeline")
    stored = _next_results_file(source)
    begins = stored.get("entryStage")
    entry = begins if isinstance(begins, str) else entry or next(iter(source.stages), "")
    stages = ",\n".join(
        f"    {_json(stage)}: {{\n"
        f'      "file": {_json(relpath(file.path, dirname(path) or "."))},\n'
        f'      "next": {_one_line(_next_result_of(source, stage, stored))}\n'
        "    }"
        for stage, file in source.stages.items()
    )
    return (
        "{\n"
        f'  "format": {_json(FORMAT)},\n'
        f'  "id": {_json(kebab(name))},\n'
        f'  "name": {_json(name)},\n'
        f'  "entryStage": {_json(entry)},\n'
        f'  "stages": {{\n{stages}\n  }}\n'
        "}\n"
    )


def _next_results_file(source: StagesSource) -> dict[str, Any]:
    """The first file of NextResults among the pack's files, or {}."""
    return next(filter(None, (successors(path, data) for path, data in source.files.items())), {})


def _next_result_of(source: StagesSource, stage: str, stored: dict[str, Any]) -> dict[str, Any]:
    """The NextResult of a stage in that file, or `next` in its front matter (stages.md section
    16.2)."""
    file = source.stages[stage]
    value: Any = stored.get("transitions", {}).get(stage, file.values.get("next"))
    match value:
        case str() if value in source.stages:
            return next_result(value)
        case list() if all(stage in source.stages for stage in value):
            return next_result(*value)
        case dict() if "nextStages" in value or "cases" in value:
            return value
    return next_result()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _one_line(value: Any) -> str:
    """JSON on one line, with a space inside the brackets of objects."""
    match value:
        case dict() if value:
            return (
                "{ "
                + ", ".join(f"{_json(k)}: {_one_line(item)}" for k, item in value.items())
                + " }"
            )
        case list():
            return "[" + ", ".join(_one_line(item) for item in value) + "]"
    return _json(value)
