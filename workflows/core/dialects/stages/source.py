"""A parsed pack: the pipeline, its stage files, their parse trees, and the findings of reading.

Codes: ST101 (pipeline is not JSON), ST102 (no pipeline and no stage), ST103 (duplicate key in the
pipeline), ST104 (stage file cannot be read), ST105 (no front matter), ST106 (duplicate key in a
stage file), ST107 (prompt is not UTF-8) and ST108 (lone surrogate).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from posixpath import basename, splitext
from typing import Any

from workflows.core.dialects.base import SourceDefaults
from workflows.core.dialects.stages.format.stage_file import StageFile, missing_file, read_stage
from workflows.core.dialects.stages.recognise import (
    looks_like_a_stage,
    main_of,
    may_be_a_stage,
    pipeline,
    resolve_path,
    stage_object,
)
from workflows.core.pack.files import Files
from workflows.core.pack.findings import MAX_FINDINGS, Finding, Place
from workflows.core.pack.forms import Json
from workflows.core.text.json.document import JsonText, JsonTextError, pointer_of, pointer_text
from workflows.core.text.surrogates import LONE_SURROGATE, SURROGATE_HINT, lone_surrogate
from workflows.core.text.tolerant import as_object

__all__ = ["StageFile"]


@dataclass(frozen=True, kw_only=True, eq=False)
class StagesSource(SourceDefaults):
    """A parsed pack; immutable. `pipeline` is None for stages without one, and for a pipeline that
    is not JSON; the latter is not readable."""

    files: Files
    main: str
    pipeline: JsonText | None = None
    stage_files: Mapping[str, StageFile] = field(default_factory=dict, repr=False)
    """Every stage file by its path."""
    problems: tuple[Finding, ...] = ()
    """Findings of reading the pipeline."""
    readable: bool = True
    memo: dict[str, tuple[Any, Any]] = field(default_factory=dict, repr=False)
    """Stage → its `next` and the routes read from it. Edits share this cache: an identical object
    is not read again."""

    @cached_property
    def stages(self) -> Mapping[str, StageFile]:
        """Stages by their key in the pipeline, in its order; without a pipeline by id, else by file
        name. A stage without its file is `missing`."""
        if self.pipeline is None:
            return _by_id(self.stage_files)
        return {key: self._file(key) for key in self.entries}

    def _file(self, stage: str) -> StageFile:
        path = self.path_of(stage)
        return self.stage_files.get(path) or missing_file(path)

    def path_of(self, stage: str) -> str:
        """The path of a stage's file in the pack; "" if the pipeline does not name one."""
        value = self.entry(stage).get("file")
        return resolve_path(self.main, value) if isinstance(value, str) else ""

    @cached_property
    def unused(self) -> tuple[StageFile, ...]:
        """Stage files that the pipeline does not name."""
        named = {file.path for file in self.stages.values()}
        return tuple(file for path, file in self.stage_files.items() if path not in named)

    @cached_property
    def entries(self) -> Mapping[str, Any]:
        """The value of `stages` in the pipeline; {} if it is not an object."""
        return as_object(self.whole().get("stages"))

    def entry(self, stage: str) -> Mapping[str, Json]:
        """The pipeline's entry of a stage; {} if there is none or it is not an object."""
        return as_object(self.entries.get(stage))

    def whole(self) -> Mapping[str, Json]:
        """The outermost object of the pipeline, or {}."""
        value: Any = self.pipeline.value if self.pipeline is not None else None
        return as_object(value)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Findings of reading; places in stage files name the stage."""
        stages_by_path = {file.path: key for key, file in reversed(list(self.stages.items()))}
        findings = list(self.problems)
        for path, file in self.stage_files.items():
            element = f"state:{stages_by_path[path]}" if path in stages_by_path else f"file:{path}"
            for finding in file.findings:
                findings.append(replace(finding, place=replace(finding.place, element=element)))
        return tuple(findings)

    def place(self, *pointer: str | int, element: str = "") -> Place:
        """A place in the pipeline."""
        return Place(path=self.main, pointer=pointer_text(pointer), element=element)

    def place_in(self, stage: str, *pointer: str | int) -> Place:
        """A place in a stage's own file; `body` is its body. For a missing file, the place of its
        name in the pipeline."""
        file = self.stages[stage]
        if file.missing:
            return self.place("stages", stage, "file", element=f"state:{stage}")
        return Place(path=file.path, pointer=pointer_text(pointer), element=f"state:{stage}")

    def locate(self, place: Place) -> Place:
        if place.line:
            return place
        line = 1
        if place.path in self.stage_files:
            line = self.stage_files[place.path].line(place.pointer)
        elif self.pipeline is not None and place.path == self.main:
            line = self.pipeline.line(_pointer(place.pointer))
        return replace(place, line=line)

    @cached_property
    def kept(self) -> dict[str, Any]:
        """Cached views of this source."""
        return {}

    # -- the next source ----------------------------------------------------------------------

    def with_pipeline(self, text: JsonText, path: str = "") -> StagesSource:
        """The same pack with another pipeline; at `path` if it has none yet."""
        if text is self.pipeline:
            return self
        main = self.main if self.pipeline is not None else path
        files = self.files.changed({main: text.data})
        stage_files = {**self.stage_files, **_read_named_files(files, main, text, self.stage_files)}
        return replace(
            self, files=files, main=main, pipeline=text, stage_files=stage_files,
            problems=_problems(main, text), readable=isinstance(text.value, dict),
        )  # fmt: skip

    def with_files(self, changes: Mapping[str, bytes | None]) -> StagesSource:
        """The same pack with these stage files replaced, added or (None) removed. Raises
        BadFiles."""
        stage_files = dict(self.stage_files)
        for path, data in changes.items():
            if data is None:
                stage_files.pop(path, None)
            else:
                stage_files[path] = read_stage(path, data)
        files = self.files.changed(changes)
        main = self.main if self.main in files else next(iter(stage_files), "")
        if self.pipeline is None and self.readable:
            main = main_of(files) or main
            stage_files = _without_pipeline(files, main, stage_files)
        return replace(self, files=files, main=main, stage_files=stage_files)

    def moved(self, path: str, target: str, data: bytes) -> StagesSource:
        """The same pack with a stage file at another path, at the same position in the order."""
        Files.of({target: data})
        files = {target if each == path else each: old for each, old in self.files.items()}
        stage_files = {
            target if each == path else each: file for each, file in self.stage_files.items()
        }
        stage_files[target] = read_stage(target, data)
        main = target if self.main == path else self.main
        return replace(
            self, files=Files({**files, target: data}), main=main, stage_files=stage_files
        )


def read(files: Files) -> StagesSource:
    """Parse one pack. Never raises: problems become findings."""
    main = main_of(files)
    if not main:
        finding = Finding(
            code="ST102", level="error", message="This pack has no pipeline and no stage. Add one.",
            place=Place(path=next(iter(files), "")),
            hint="Stages are markdown files that begin with front matter.",
        )  # fmt: skip
        return StagesSource(files=files, main=main, problems=(finding,), readable=False)
    if not main.endswith("pipeline.json") and pipeline(main, files[main]) is None:
        return StagesSource(files=files, main=main, stage_files=_without_pipeline(files, main, {}))
    try:
        text = JsonText.parse(files[main])
    except JsonTextError as bad:
        finding = Finding(
            code="ST101", level="error",
            message=f"{basename(main)!r} is not JSON: {bad.message}",
            place=Place(path=main, line=bad.line),
            hint=f"Correct line {bad.line}, column {bad.column} in the text view.",
        )  # fmt: skip
        return StagesSource(
            files=files, main=main, stage_files=_stages(files), problems=(finding,), readable=False
        )
    if lone_surrogate(text.data, text.value) is not None:
        finding = Finding(
            code="ST108",
            level="error",
            message=LONE_SURROGATE,
            place=Place(path=main),
            hint=SURROGATE_HINT,
        )
        return StagesSource(
            files=files, main=main, stage_files=_stages(files), problems=(finding,), readable=False
        )
    stage_files = _stages(files)
    stage_files |= _read_named_files(files, main, text, stage_files)
    return StagesSource(
        files=files, main=main, pipeline=text, stage_files=stage_files,
        problems=_problems(main, text), readable=isinstance(text.value, dict),
    )  # fmt: skip


def _without_pipeline(
    files: Files, main: str, stage_files: Mapping[str, StageFile]
) -> dict[str, StageFile]:
    """The stages of a pack without a pipeline. Those that were read before are in `stage_files`."""
    return {
        path: stage_files.get(path) or read_stage(path, data)
        for path, data in files.items()
        if path == main or may_be_a_stage(path, data)
    }


def _stages(files: Files) -> dict[str, StageFile]:
    """All files that look like stages."""
    return {
        path: read_stage(path, data)
        for path, data in files.items()
        if looks_like_a_stage(path, data) or stage_object(path, data)
    }


def _read_named_files(
    files: Files, main: str, text: JsonText, stage_files: Mapping[str, StageFile]
) -> dict[str, StageFile]:
    """Files that the pipeline names and that were not read because they do not look like stages."""
    entries = as_object(text.value).get("stages")
    named_files: dict[str, StageFile] = {}
    for entry in as_object(entries).values():
        value = as_object(entry).get("file")
        path = resolve_path(main, value) if isinstance(value, str) else ""
        if path in files and path != main and path not in stage_files:
            named_files[path] = read_stage(path, files[path])
    return named_files


def _problems(main: str, text: JsonText) -> tuple[Finding, ...]:
    findings: list[Finding] = []
    if not isinstance(text.value, dict):
        findings.append(
            Finding(
                code="ST102", level="error",
                message="The pipeline is not a JSON object.",
                place=Place(path=main, line=1),
                hint='Begin with { "format": "signalbox.stud-pipeline/1", "stages": { … } }.',
            )
        )  # fmt: skip
    for double in text.duplicates[:MAX_FINDINGS]:
        findings.append(
            Finding(
                code="ST103", level="error",
                message=f"The key {str(double.pointer[-1])!r} appears twice; the last one is used.",
                place=Place(path=main, pointer=pointer_text(double.pointer), line=double.line),
                hint="Remove one of the two in the text view.",
            )
        )  # fmt: skip
    return tuple(findings)


def _by_id(stage_files: Mapping[str, StageFile]) -> dict[str, StageFile]:
    """Stages without a pipeline, by id. Of two with the same id, the second is named by its
    file."""
    by_id: dict[str, StageFile] = {}
    for path, file in stage_files.items():
        value = file.values.get("id")
        stem = splitext(basename(path))[0]
        for key in (value, stem, path):
            if isinstance(key, str) and key and key not in by_id:
                by_id[key] = file
                break
    return by_id


def _pointer(text: str) -> tuple[str | int, ...]:
    try:
        return pointer_of(text.partition("#")[0])
    except ValueError:
        return ()
