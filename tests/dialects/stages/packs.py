"""Packs for tests: small pipelines from a few values, and the packs of the corpus."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.corpus import CORPUS
from workflows.core.dialects.stages import DIALECT
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.edits import Edit
from workflows.core.pack.files import Files
from workflows.core.text import spans

HEAD = """\
---
id: {id}
name: {name}
allowedTools: [read]
completionTool: submit_{tool}
completionSchema:
  type: object
  properties:
    approved: {{ type: boolean }}
    level: {{ enum: [low, high] }}
retryPolicy: {{ maxAttempts: 2, backoff: none }}  # twice
turnCap: 6
resolutionPolicy: retry-later
owner: us
---
"""


def stage(id: str, body: str = "Do it: {{ctx.task}}\n") -> str:
    """A valid stage file."""
    return HEAD.format(id=id, name=id.capitalize(), tool=id.replace("-", "_")) + body


def to(*stages: str, join: str | None = None, parallel: bool | None = None) -> dict[str, Any]:
    """A NextResult."""
    at_once = len(stages) > 1 if parallel is None else parallel
    result: dict[str, Any] = {
        "nextStages": list(stages),
        "execution": "parallel" if at_once else "sequential",
    }
    return result if join is None else {**result, "join": join}


def when(value: Any, then: dict[str, Any], path: str = "result.parsed.approved") -> dict[str, Any]:
    """A case."""
    return {"when": {"path": path, "op": "equals", "value": value}, "then": then}


def pipeline(nexts: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A pipeline whose entry is its first stage. A value that is neither a NextResult nor `cases`
    is the whole entry; None is an entry without `next`."""
    stages: dict[str, Any] = {}
    for id, value in nexts.items():
        entry: dict[str, Any] = {"file": f"stages/{id}.md"}
        if value is not None:
            whole = not {"nextStages", "cases", "else"} & set(value)
            entry.update(value if whole else {"next": value})
        stages[id] = entry
    first = next(iter(nexts), "")
    tree = {"format": "signalbox.stud-pipeline/1", "id": "tried", "name": "Tried"}
    return {**tree, "entryStage": first, "stages": stages, **more}


def files(nexts: Mapping[str, Any], **more: Any) -> Files:
    """A pack with this pipeline and a valid file for every stage."""
    text = json.dumps(pipeline(nexts, **more), indent=2, ensure_ascii=False) + "\n"
    found = {"pipeline.json": text.encode()}
    found |= {f"stages/{id}.md": stage(id).encode() for id in nexts}
    return Files.of(found)


def source(nexts: Mapping[str, Any], **more: Any) -> StagesSource:
    return read(files(nexts, **more))


def read(pack: Mapping[str, bytes]) -> StagesSource:
    found: StagesSource = DIALECT.read(Files.of(pack))  # type: ignore[assignment]
    return found


def folder(*ids: str) -> StagesSource:
    """Stages without a pipeline."""
    return read({f"stages/{id}.md": stage(id).encode() for id in ids})


def applied(source: StagesSource, *edits: Edit) -> StagesSource:
    """The pack after these edits. Each edit is undone exactly, and its result reads the same from
    its bytes."""
    for edit in edits:
        after: StagesSource = DIALECT.apply(source, edit)  # type: ignore[assignment]
        for path, data in source.files.difference(after.files).items():
            old = source.files.get(path)
            if old is not None and data is not None:
                changes = spans.difference(old, data)
                assert spans.apply(old, changes) == data
                assert spans.apply(data, spans.inverse(old, changes)) == old
        assert drawn(read(after.files)) == drawn(after)
        source = after
    return source


def tree(source: StagesSource) -> Any:
    """The pipeline as plain values."""
    return json.loads(source.files["pipeline.json"])


def nexts(source: StagesSource) -> dict[str, Any]:
    """Stage → its `next`."""
    return {id: entry.get("next") for id, entry in tree(source)["stages"].items()}


def drawn(source: StagesSource) -> tuple[list[str], list[str], list[str]]:
    """States, transitions with their kind, and entries."""
    graph = DIALECT.graph(source, "documented")
    return (
        [state.id for state in graph.states],
        [f"{arrow.id} {arrow.kind}" for arrow in graph.transitions],
        [entry.state for entry in graph.entries],
    )


def corpus_trees() -> Iterator[tuple[str, Files]]:
    """Every folder of the corpus with stages, as a tree."""
    root = CORPUS / "stages"
    for name in ("own", "quirks", "invalid", "invalid-pipelines", "upstream"):
        paths = sorted(path for path in (root / name).rglob("*") if path.is_file())
        if paths:
            yield name, Files.of({p.relative_to(root).as_posix(): p.read_bytes() for p in paths})
