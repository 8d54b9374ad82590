"""An edit of a name with thousands of mentions writes a file once, not once for each mention."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from workflows.core.dialects import dialects, recognise
from workflows.core.pack.edits import (
    Disconnect,
    Edit,
    RemoveObject,
    RemoveState,
    RenameObject,
    RenameState,
    SetField,
)
from workflows.core.pack.files import Files
from workflows.core.text.json.document import JsonText
from workflows.core.text.json.node import Body
from workflows.core.text.yaml.document import YamlText

Tree = dict[str, bytes]
FEW, MANY = 40, 120


def promptpack(**more: Any) -> Tree:
    prompts = {"x": {"id": "x", "name": "x", "version": "1.0.0", "system_template": "x"}}
    body = {"id": "a", "name": "a", "version": "1.0.0", "prompts": prompts, **more}
    return {"a.pack.json": json.dumps(body).encode()}


def workflow(states: dict[str, Any]) -> Tree:
    return promptpack(workflow={"version": 1, "entry": "s", "states": states})


def tools(count: int) -> Tree:
    prompt = {"id": "x", "name": "x", "version": "1.0.0", "system_template": "x"}
    return promptpack(
        prompts={"x": {**prompt, "tools": ["t"] * count}},
        tools={"t": {"name": "t", "description": "d"}},
    )


def events(count: int) -> Tree:
    leading = {f"E{number}": "end" for number in range(count)}
    end = {"prompt_task": "x", "terminal": True}
    return workflow({"s": {"prompt_task": "x", "on_event": leading}, "end": end})


def artifacts(count: int) -> Tree:
    kept = {"note": {"type": "text"}}
    return workflow(
        {f"s{number}": {"prompt_task": "x", "artifacts": kept} for number in range(count)}
        | {"s": {"prompt_task": "x", "artifacts": kept}}
    )


def composition(count: int) -> Tree:
    steps = [{"id": "a", "kind": "prompt", "prompt_task": "x"}] + [
        {"id": f"b{number}", "kind": "prompt", "prompt_task": "x", "depends_on": ["a"]}
        for number in range(count)
    ]
    steps[-1]["input"] = {f"q{number}": "${a.output}" for number in range(count)}  # type: ignore[assignment]
    return promptpack(
        compositions={"c": {"version": 1, "steps": steps}},
        workflow={
            "version": 1,
            "entry": "s",
            "states": {"s": {"orchestration": "composition", "composition": "c", "terminal": True}},
        },
    )


def stages(*following: Any) -> Tree:
    """A pipeline with a stage for each value of `next`."""
    names = [f"s{number}" for number in range(len(following))]
    pipeline = {
        "format": "signalbox.stud-pipeline/1",
        "id": "p",
        "name": "p",
        "entryStage": "s0",
        "stages": {
            name: {"file": f"stages/{name}.md", "next": each}
            for name, each in zip(names, following, strict=True)
        },
    }
    head = "---\nid: {0}\nname: {0}\ndescription: d\ncompletionTool: done\n---\nWork.\n"
    files = {f"stages/{name}.md": head.format(name).encode() for name in names}
    return {"pipeline.json": json.dumps(pipeline).encode(), **files}


def case(number: int, *to: str) -> dict[str, Any]:
    when = {"path": f"result.parsed.f{number}", "op": "equals", "value": number}
    return {"when": when, "then": {"nextStages": list(to)}}


def cases(count: int) -> Tree:
    routes = [case(number, "s1") for number in range(count)]
    return stages({"cases": routes, "else": {"nextStages": ["s0"]}}, {"nextStages": []})


def shared_cases(count: int) -> Tree:
    routes = [case(number, "s1", "s0") for number in range(count)]
    return stages({"cases": routes, "else": {"nextStages": ["s0"]}}, {"nextStages": []})


def parallel(count: int) -> Tree:
    branches = {"nextStages": ["s1", "s2"] * count, "execution": "parallel"}
    return stages(branches, {"nextStages": []}, {"nextStages": []})


def step(name: str, **more: Any) -> dict[str, Any]:
    return {"stepId": name, "name": name, "c2": "initial", "c3": "s", "edition": "default", **more}


def registry(*steps: dict[str, Any]) -> Tree:
    body = {"agentId": "a", "version": "1", "c1": "steps", "entryStep": "a"}
    named = {each["stepId"]: each for each in steps}
    return {"steps_registry.json": json.dumps({**body, "steps": named}).encode()}


def targets(count: int) -> Tree:
    leading = {f"v{number}": "b" for number in range(count)}
    rules = {"next": {"condition": "a", "targets": leading}}
    return registry(step("a", transitions=rules), step("b"))


def steps(count: int) -> Tree:
    rules = {"next": {"target": "b"}}
    inputs = {"i": {"from": "b.text"}}
    others = [step(f"s{number}", transitions=rules, inputs=inputs) for number in range(count)]
    return registry(step("a"), step("b"), *others)


def gated_steps(count: int) -> Tree:
    """Steps with an answer schema each, whose list of intents follows the transitions."""
    names = [f"s{number}" for number in range(count)]
    more: dict[str, Any] = {
        "structuredGate": {"allowedIntents": ["next", "jump"], "intentSchemaRef": "#/properties/a"},
        "transitions": {"next": {"target": "b"}},
    }
    others = [
        step(name, **more, outputSchemaRef={"file": "a.schema.json", "schema": name})
        for name in names
    ]
    schema = {"properties": {"a": {"enum": ["next", "jump"]}}}
    schemas = {"schemas/a.schema.json": json.dumps(dict.fromkeys(names, schema)).encode()}
    return {**registry(step("a"), step("b"), *others), **schemas}


EDITS: list[tuple[Callable[[int], Tree], Edit]] = [
    (tools, RenameObject(element="tool:t", new_key="u")),
    (events, RenameState(id="end", new_id="stop")),
    (events, RemoveState(id="end")),
    (artifacts, RenameObject(element="artifact:note", new_key="memo")),
    (artifacts, RemoveObject(element="artifact:note")),
    (composition, RenameState(id="c/a", new_id="c/first")),
    (composition, RemoveState(id="c/a")),
    (cases, RenameState(id="s1", new_id="other")),
    (cases, RemoveState(id="s1")),
    (shared_cases, RemoveState(id="s1")),
    (parallel, RenameState(id="s1", new_id="other")),
    (parallel, RemoveState(id="s1")),
    (parallel, Disconnect(transition="s0|parallel|s1")),
    (targets, RenameState(id="b", new_id="other")),
    (targets, RemoveState(id="b")),
    (steps, RenameState(id="b", new_id="other")),
    (steps, RemoveState(id="b")),
    (gated_steps, RemoveState(id="b")),
]


def work(monkeypatch: pytest.MonkeyPatch, kind: type[Any], tree: Tree, edit: Edit) -> int:
    """The number of objects of a class that an edit makes."""
    [pack] = recognise(Files.of(tree))
    dialect = dialects()[pack.dialect]
    source = dialect.read(Files.of(tree))
    dialect.graph(source, dialect.profiles[0])
    made = 0
    plain = kind.__init__

    def counting(*args: Any, **settings: Any) -> None:
        nonlocal made
        made += 1
        plain(*args, **settings)

    with monkeypatch.context() as patch:
        patch.setattr(kind, "__init__", counting)
        after = dialect.apply(source, edit)
    assert after.files != source.files
    return made


@pytest.mark.parametrize(("tree", "edit"), EDITS)
def test_mentions_are_changed_in_one_rewrite(
    monkeypatch: pytest.MonkeyPatch, tree: Callable[[int], Tree], edit: Edit
) -> None:
    few = work(monkeypatch, JsonText, tree(FEW), edit)
    assert 0 < work(monkeypatch, JsonText, tree(MANY), edit) <= few


def test_new_members_of_an_object_are_put_in_together(monkeypatch: pytest.MonkeyPatch) -> None:
    def metadata(count: int) -> tuple[Tree, Edit]:
        old = {f"old{number}": number for number in range(count)}
        new = {"old0": 0, **{f"new{number}": number for number in range(count)}}
        return promptpack(metadata=old), SetField(element="pack", field="/metadata", value=new)

    few = work(monkeypatch, Body, *metadata(FEW))
    assert 0 < work(monkeypatch, Body, *metadata(MANY)) <= few


def test_scalars_of_front_matter_are_replaced_together(monkeypatch: pytest.MonkeyPatch) -> None:
    def schema(count: int) -> tuple[Tree, Edit]:
        tree = stages({"nextStages": []})
        lines = "".join(f"    p{number}: {{type: string}}\n" for number in range(count))
        head = f"---\ncompletionSchema:\n  type: object\n  properties:\n{lines}"
        tree["stages/s0.md"] = tree["stages/s0.md"].replace(b"---\n", head.encode(), 1)
        properties = {f"p{number}": {"type": "number"} for number in range(count)}
        new: Any = {"type": "object", "properties": properties}
        return tree, SetField(element="state:s0", field="/completionSchema", value=new)

    few = work(monkeypatch, YamlText, *schema(FEW))
    assert 0 < work(monkeypatch, YamlText, *schema(MANY)) <= few
