"""SR0xx: findings of the reader."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename
from typing import TYPE_CHECKING

from workflows.core.pack.findings import MAX_FINDINGS, Finding, Level, Place
from workflows.core.pack.naming import closest_name
from workflows.core.text.json.document import pointer_text

if TYPE_CHECKING:
    from workflows.core.dialects.steps_registry.source import RegistrySource


def findings_of(source: RegistrySource) -> Iterator[Finding]:
    """Findings for invalid JSON, duplicate keys, a wrong shape, and unsupported generations."""
    if source.main not in source.files:
        yield _finding("SR001", "error", "The registry file is missing (SR-LOAD-003).", source.main)
        return
    yield from _not_json(source)
    yield from _duplicates(source)
    if source.registry is None:
        if source.problem(source.main) is None:
            yield _finding(
                "SR003",
                "error",
                "The registry is not a JSON object.",
                source.main,
                hint="It must hold agentId, version, c1 and steps.",
            )
        return
    yield from _shape(source)
    yield from _generation(source)


def _not_json(source: RegistrySource) -> Iterator[Finding]:
    for path in _json_paths(source):
        if (problem := source.problem(path)) is not None:
            yield Finding(
                code="SR001",
                level="error",
                message=f"{basename(path)} is not JSON: {problem.message}",
                place=Place(path=path, line=problem.line),
                hint="Repair this line in the text view.",
            )


def _json_paths(source: RegistrySource) -> list[str]:
    schemas = [path for path in source.files if path.endswith(".json") and "/schemas/" in path]
    return [path for path in (source.main, source.agent_path) if path in source.files] + schemas


def _duplicates(source: RegistrySource) -> Iterator[Finding]:
    for path in (source.main, source.agent_path):
        text = source.json(path)
        for duplicate in text.duplicates[:MAX_FINDINGS] if text is not None else ():
            yield Finding(
                code="SR002",
                level="warning",
                message=f"The key {duplicate.pointer[-1]!r} appears twice; the last one counts.",
                place=Place(
                    path=path, pointer=pointer_text(duplicate.pointer), line=duplicate.line
                ),
                hint="Remove or rename one of the two.",
            )


def _shape(source: RegistrySource) -> Iterator[Finding]:
    steps = source.value.get("steps")
    if not isinstance(steps, dict):
        kind = "lists its steps" if isinstance(steps, list) else "has no `steps` object"
        near = "" if "steps" in source.value else closest_name("steps", source.value)
        yield _finding(
            "SR003",
            "error",
            f"The registry {kind}, so its graph is empty.",
            source.main,
            pointer=f"/{'steps' if 'steps' in source.value else near}".removesuffix("/"),
            hint=f"Rename {near!r} to 'steps'."
            if near
            else 'Write { "initial.…": { … }, … }, with the id of each step as its key.',
        )
        return
    for id, step in steps.items():
        if not isinstance(step, dict):
            pointer = pointer_text(("steps", id))
            message = f"Step {id!r} is not an object, so it is ignored."
            yield _finding("SR003", "error", message, source.main, pointer=pointer)


def _generation(source: RegistrySource) -> Iterator[Finding]:
    match source.generation:
        case "legacy":
            yield _finding(
                "SR004",
                "warning",
                "This registry is older than 1.13. It can be drawn, but not edited or run.",
                source.main,
                hint="Change its files in the text view.",
            )
        case "B":
            yield _finding(
                "SR005",
                "warning",
                "This registry has keys of the unreleased 1.14 (`kind` and `address`). "
                "Climpt 1.13.27 cannot load it.",
                source.main,
                hint="The profile climpt runs it like the unreleased 1.14.",
            )


def _finding(
    code: str, level: Level, message: str, path: str, *, pointer: str = "", hint: str = ""
) -> Finding:
    place = Place(path=path, pointer=pointer)
    return Finding(code=code, level=level, message=message, place=place, hint=hint)
