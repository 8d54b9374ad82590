"""Packs that a machine has broken, one place at a time: a field that a gate, a condition, an
assertion or an artifact reads is renamed, its value leaves the enum, or another schema is used; the
agent or phase that an answer leads to is renamed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from workflows.core.dialects import dialects
from workflows.core.dialects.stages.format.predicates import paths, subconditions
from workflows.core.dialects.stages.rules.conditions import conditions
from workflows.core.dialects.stages.rules.kit import set_in_stage
from workflows.core.dialects.stages.rules.pipeline_facts import facts_of
from workflows.core.pack.files import Files

Change = Callable[[Any], None]
Broken = tuple[str, Files]
"""The description of the change, and the changed files."""


def broken(dialect: str, files: Files) -> Iterator[Broken]:
    """Every broken version of a pack."""
    makers: dict[str, Callable[[Files], Iterator[Broken]]] = {
        "steps_registry": _registries,
        "stages": _pipelines,
        "promptpack": _promptpacks,
        "agent_graph": _agent_graphs,
        "climpt_workflow": _workflows,
    }
    if dialect in makers:
        yield from makers[dialect](files)


# -- JSON ----------------------------------------------------------------------------------------


def _changed(files: Files, path: str, change: Change) -> Files:
    tree = json.loads(files[path].decode("utf-8-sig"))
    change(tree)
    return files.changed({path: json.dumps(tree, indent=2).encode()})


def _at(value: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        value = value[int(key)] if isinstance(value, list) else (value or {}).get(key)
    return value


def _rename(holder: Any, name: str) -> None:
    """Rename a key where it is, and where it is required."""
    renamed = {f"{key}x" if key == name else key: item for key, item in holder.items()}
    holder.clear()
    holder.update(renamed)


def _rename_property(schema: Any, keys: tuple[str, ...]) -> None:
    """Rename the property at these names, also where the schema requires it."""
    holder = _object(schema, keys[:-1])
    _rename(holder["properties"], keys[-1])
    required = holder.get("required", [])
    holder["required"] = [f"{one}x" if one == keys[-1] else one for one in required]


def _object(schema: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        schema = schema.get("properties", {}).get(key) if isinstance(schema, dict) else None
    return schema


# -- steps registries ----------------------------------------------------------------------------


def _registries(files: Files) -> Iterator[Broken]:
    source = dialects()["steps_registry"].read(files)
    for step in source.steps.values():
        path = _schema_file(files, step)
        field = tuple(str((step.gate or {}).get("intentField", "")).split("."))
        intents = _enum(files, step, field) if path else None
        if not intents:
            continue
        gate = ("steps", step.id, "structuredGate")
        name = step.reference[1]
        for intent in step.allowed:
            change = _without_value(name, field, intent)
            yield f"{step.id}: {intent} leaves the enum", _changed(files, path, change)
        for key in ("intentField", *(("targetField",) if "jump" in step.allowed else ())):
            if isinstance(step.gate.get(key), str):
                change = _longer((*gate, key))
                yield f"{step.id}: {key} renamed", _changed(files, source.main, change)
        change = _with_renamed(name, field)
        yield f"{step.id}: the property of the intent renamed", _changed(files, path, change)
        for other in source.steps.values():
            if other.reference and other.reference[0] == step.reference[0]:
                foreign = _enum(files, other, field)
                if foreign is not None and foreign != intents:
                    change = _set(
                        ("steps", step.id, "outputSchemaRef", "schema"), other.reference[1]
                    )
                    yield f"{step.id}: schema of {other.id}", _changed(files, source.main, change)
        yield from _broken_conditions(files, source.main, path, step)


def _broken_conditions(files: Files, main: str, path: str, step: Any) -> Iterator[Broken]:
    for intent, rule in step.rules.items():
        names = [one for one in step.handoff_fields if one.split(".")[-1] == rule.get("condition")]
        if not isinstance(rule.get("targets"), dict) or not names or intent not in step.allowed:
            continue
        keys, name = tuple(names[0].split(".")), step.reference[1]
        at = ("steps", step.id)
        change = _longer((*at, "transitions", intent, "condition"))
        yield f"{step.id}: the condition of {intent} renamed", _changed(files, main, change)
        index = str(step.handoff_fields.index(names[0]))
        change = _set((*at, "structuredGate", "handoffFields", index), f"else.{keys[-1]}")
        yield f"{step.id}: {names[0]} from elsewhere", _changed(files, main, change)
        values = _enum(files, step, keys)
        if values is None:
            continue
        change = _with_renamed(name, keys)
        yield f"{step.id}: the property {names[0]} renamed", _changed(files, path, change)
        for value in values.intersection(rule["targets"]):
            change = _without_value(name, keys, value)
            yield f"{step.id}: {value} leaves {names[0]}", _changed(files, path, change)


def _schema_file(files: Files, step: Any) -> str:
    """The schema file of a step, "" without one."""
    if step.reference is None or step.gate is None:
        return ""
    return next((path for path in files if path.endswith(f"/{step.reference[0]}")), "")


def _enum(files: Files, step: Any, keys: tuple[str, ...]) -> set[str] | None:
    """The values that the step's schema lists at these names; None for another schema there."""
    tree = json.loads(files[_schema_file(files, step)]) if _schema_file(files, step) else None
    leaf = _object(_definition(tree, step.reference[1]), keys) if tree else None
    return set(leaf["enum"]) if isinstance(leaf, dict) and "enum" in leaf else None


def _definition(tree: Any, name: str) -> Any:
    plain = name.rpartition("/")[2]
    places = (tree.get("definitions"), tree.get("$defs"), tree)
    return next((one[plain] for one in places if isinstance(one, dict) and plain in one), None)


def _without_value(name: str, keys: tuple[str, ...], value: str) -> Change:
    return lambda tree: _object(_definition(tree, name), keys)["enum"].remove(value)


def _with_renamed(name: str, keys: tuple[str, ...]) -> Change:
    return lambda tree: _rename_property(_definition(tree, name), keys)


def _set(keys: tuple[str, ...], value: Any) -> Change:
    def change(tree: Any) -> None:
        for key in keys[:-1]:
            tree = tree[int(key)] if isinstance(tree, list) else tree[key]
        tree[int(keys[-1]) if isinstance(tree, list) else keys[-1]] = value

    return change


def _longer(keys: tuple[str, ...]) -> Change:
    return lambda tree: _set(keys, f"{_at(tree, keys)}x")(tree)


# -- pipelines -----------------------------------------------------------------------------------


def _pipelines(files: Files) -> Iterator[Broken]:
    dialect = dialects()["stages"]
    source = dialect.read(files)
    if not source.readable:
        return
    facts = facts_of(source)
    reads: dict[str, dict[tuple[str, ...], Any]] = {}
    for condition in conditions(facts):
        for simple, pointer in _comparisons(condition.value, condition.pointer):
            steps = _parsed(next(iter(paths(simple))).path)
            if steps and _object(_schema(facts, condition.stage), steps) is not None:
                reads.setdefault(condition.stage, {})[steps] = simple.get("value")
                edit = set_in_stage(condition.stage, *pointer, "path", value=f"{simple['path']}x")
                yield (
                    f"{condition.stage}: {simple['path']} renamed",
                    dialect.apply(source, edit).files,
                )
    for stage, leaving in facts.declared("exit"):
        for part in ("slot", "output"):
            for name, text in leaving.get(part, {}).items():
                keys = tuple(str(text).split("."))
                if keys[:2] == ("result", "parsed") and keys[2:]:
                    edit = set_in_stage(stage, "exit", part, name, value=f"{text}x")
                    yield f"{stage}: exit.{name} renamed", dialect.apply(source, edit).files
                    reads.setdefault(stage, {}).setdefault(keys[2:], None)
    for stage, by_path in reads.items():
        for keys, value in by_path.items():
            schema: Any = deepcopy(_schema(facts, stage))
            if _object(schema, keys) is None:
                continue
            _rename_property(schema, keys)
            edit = set_in_stage(stage, "completionSchema", value=schema)
            yield (
                f"{stage}: the property {'.'.join(keys)} renamed",
                dialect.apply(source, edit).files,
            )
            if value is None or isinstance(value, list):
                continue
            schema = deepcopy(_schema(facts, stage))
            _object(schema, keys[:-1])["properties"][keys[-1]] = {"enum": ["something else"]}
            edit = set_in_stage(stage, "completionSchema", value=schema)
            yield f"{stage}: {value!r} leaves the enum", dialect.apply(source, edit).files
        other = {"type": "object", "properties": {"unrelated": {"type": "string"}}}
        edit = set_in_stage(stage, "completionSchema", value=other)
        yield f"{stage}: another schema", dialect.apply(source, edit).files


def _schema(facts: Any, stage: str) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = facts.values(stage).get("completionSchema") or {}
    return schema


def _parsed(path: Any) -> tuple[str, ...]:
    whole = (path.root, *path.steps)
    names = all(isinstance(one, str) for one in whole)
    return whole[2:] if names and whole[:2] == ("result", "parsed") else ()


def _comparisons(value: Any, pointer: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    if isinstance(value, dict) and isinstance(value.get("path"), str):
        yield value, pointer
    for inner, part in subconditions(value):
        yield from _comparisons(part, (*pointer, *inner))


# -- PromptPacks ---------------------------------------------------------------------------------


def _promptpacks(files: Files) -> Iterator[Broken]:
    source = dialects()["promptpack"].read(files)
    if not source.readable:
        return
    parts = source.parts
    for name in parts.artifacts:
        if any(f"{{{{artifacts.{name}}}}}" in text for _, text, _ in parts.templates):
            change = _with_renamed_artifact(name)
            yield f"artifact {name} renamed", _changed(files, source.main, change)
    for composition, body in parts.compositions.items():
        for index, step in enumerate(body.get("steps") or []):
            if "output_schema" in step and f"${{{step['id']}.output." in json.dumps(body):
                at = ("compositions", composition, "steps", str(index), "output_schema")
                change = _set(at, "")
                yield f"{step['id']} answers with text", _changed(files, source.main, change)
                change = _with_other_schema(at)
                yield f"{step['id']}: another schema", _changed(files, source.main, change)


def _with_renamed_artifact(name: str) -> Change:
    def change(tree: Any) -> None:
        for state in tree["workflow"]["states"].values():
            if name in state.get("artifacts", {}):
                _rename(state["artifacts"], name)

    return change


def _with_other_schema(at: tuple[str, ...]) -> Change:
    def change(tree: Any) -> None:
        schema = {"type": "object", "properties": {"unrelated": {"type": "string"}}}
        tree.setdefault("metadata", {})["unrelated"] = schema
        _set(at, "#/metadata/unrelated")(tree)

    return change


# -- agents and phases that answers lead to ------------------------------------------------------


def _agent_graphs(files: Files) -> Iterator[Broken]:
    main = dialects()["agent_graph"].read(files).main
    tree = json.loads(files[main])
    edges = [("edges", str(n), end) for n, _ in enumerate(tree["edges"]) for end in ("from", "to")]
    yield from _renamed(files, main, [*edges, *([("entry",)] if "entry" in tree else [])])


def _workflows(files: Files) -> Iterator[Broken]:
    source = dialects()["climpt_workflow"].read(files)
    tree = json.loads(files[source.main])
    outcomes = [one.pointer for agent in source.parts.agents.values() for one in agent.outcomes()]
    closing = [("agents", id, "closeCondition") for id in tree["agents"]]
    phases = [("phases", id, "agent") for id in tree["phases"]]
    labels = [("labelMapping", label) for label in tree["labelMapping"]]
    yield from _renamed(files, source.main, [*outcomes, *closing, *phases, *labels])


def _renamed(files: Files, main: str, names: list[tuple[str, ...]]) -> Iterator[Broken]:
    tree = json.loads(files[main])
    for keys in names:
        if _at(tree, keys) is not None:
            yield f"{'/'.join(keys)} renamed", _changed(files, main, _longer(keys))
