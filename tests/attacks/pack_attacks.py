"""Packs that cost far more than their bytes suggest."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from workflows.core.dialects import dialects
from workflows.core.limits import STATES

Tree = dict[str, bytes]
START = {"s0": {"prompt_task": "x", "terminal": True}}


def promptpack(states: dict[str, Any], **more: Any) -> Tree:
    prompt = {"id": "x", "name": "x", "version": "1.0.0", "system_template": "Hello."}
    pack = {
        "id": "a",
        "name": "a",
        "version": "1.0.0",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "prompts": {"x": prompt},
        "workflow": {"version": 1, "entry": "s0", "states": states},
        **more,
    }
    return {"p.pack.json": json.dumps(pack).encode()}


def chain_of_states(count: int) -> Tree:
    """Each state leads to the next, and the last one to a missing state."""
    return promptpack(
        {f"s{n}": {"prompt_task": "x", "on_event": {"Go": f"s{n + 1}"}} for n in range(count)}
    )


def long_cycle(count: int) -> Tree:
    return promptpack(
        {
            f"s{n}": {
                "prompt_task": "x",
                "max_visits": 3,
                "on_max_visits": "s0",
                "on_event": {"Go": f"s{(n + 1) % count}"},
            }
            for n in range(count)
        }
    )


def dense(count: int, edges: int) -> Tree:
    """Every state leads to `edges` others, with a cap on each."""
    return promptpack(
        {
            f"s{n}": {
                "prompt_task": "x",
                "max_visits": 5,
                "on_max_visits": f"s{(n + 1) % count}",
                "on_event": {f"E{other}": f"s{other}" for other in range(edges)},
            }
            for n in range(count)
        }
    )


def wide_composition(steps: int, branches: int) -> Tree:
    def fork(number: int) -> dict[str, Any]:
        inner = [
            {"id": f"b{number}_{n}", "kind": "prompt", "prompt_task": "x"} for n in range(branches)
        ]
        return {"id": f"t{number}", "kind": "parallel", "branches": inner}

    composition = {"version": 1, "steps": [fork(n) for n in range(steps)]}
    return promptpack(START, compositions={"c": composition})


def dependent_steps(count: int) -> Tree:
    """Each step depends on all steps before it."""
    steps = [
        {
            "id": f"t{n}",
            "kind": "prompt",
            "prompt_task": "x",
            "depends_on": [f"t{m}" for m in range(n)],
        }
        for n in range(count)
    ]
    return promptpack(START, compositions={"c": {"version": 1, "steps": steps}})


def nested_calls(levels: int) -> Tree:
    """Each composition calls the next one twice."""
    compositions = {
        f"c{n}": {
            "version": 1,
            "steps": [
                {"id": id, "kind": "composition", "composition": f"c{n + 1}"} for id in ("a", "b")
            ],
        }
        for n in range(levels)
    }
    return promptpack({"s0": {"composition": "c0", "terminal": True}}, compositions=compositions)


def tiny_values(count: int) -> Tree:
    """A list of numbers, two bytes each."""
    (path, data), *_ = promptpack(START, metadata={"x": "HERE"}).items()
    return {path: data.replace(b'"HERE"', b"[" + b"0," * count + b"0]")}


def steps_registry(count: int) -> Tree:
    def step(number: int) -> dict[str, Any]:
        gate = {
            "allowedIntents": ["next", "repeat"],
            "intentField": "next_action.action",
            "intentSchemaRef": "#/properties/next_action/properties/action",
        }
        name = f"initial.s{number}"
        return {
            "stepId": name,
            "name": name,
            "c2": "initial",
            "c3": "s",
            "edition": "default",
            "stepKind": "work",
            "structuredGate": gate,
            "outputSchemaRef": {"file": "a.schema.json", "schema": name},
            "transitions": {
                "next": {"target": f"initial.s{(number + 1) % count}"},
                "repeat": {"target": name},
            },
        }

    steps = {f"initial.s{n}": step(n) for n in range(count)}
    whole = {"agentId": "a", "version": "1", "c1": "steps", "entryStep": "initial.s0"}
    return {"steps_registry.json": json.dumps({**whole, "steps": steps}).encode()}


def laughs(levels: int) -> Tree:
    """A stage whose aliases unfold to 9 to the power of `levels` values."""
    blank = dict(dialects()["stages"].samples()["blank"])
    path = next(path for path in blank if path.endswith(".md"))
    lines = ["a0: &a0 [1,1,1,1,1,1,1,1,1]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    head = blank[path].decode().removeprefix("---\n")
    return {**blank, path: "\n".join(["---", *lines, head]).encode()}


def references(text: str) -> Tree:
    """A composition whose step refers to other steps in a long text."""
    step = {"id": "a", "kind": "prompt", "prompt_task": "x", "input": {"q": text}}
    return promptpack(START, compositions={"c": {"version": 1, "steps": [step]}})


def prompt_of(text: str) -> Tree:
    """A prompt with a long text."""
    prompt = {"id": "x", "name": "x", "version": "1.0.0", "system_template": text}
    return promptpack(START, prompts={"x": prompt})


def events(count: int) -> Tree:
    """A state with many events, whose prompt is long."""
    names = {f"Event{number}": "s0" for number in range(count)}
    tree = prompt_of("Event1 " * 10_000)
    return {path: data.replace(b'"terminal": true', b'"on_event": ' + json.dumps(names).encode())
            for path, data in tree.items()}  # fmt: skip


def nested_fragments(levels: int) -> Tree:
    """Each fragment names the next one nine times."""
    fragments = {f"f{n}": f"{{{{f{n + 1}}}}}" * 9 for n in range(levels)} | {f"f{levels}": "x"}
    (path, data), *_ = prompt_of("{{f0}}").items()
    return {path: json.dumps({**json.loads(data), "fragments": fragments}).encode()}


ATTACKS: dict[str, tuple[Callable[[int], Tree], int, int]] = {
    "laughs": (laughs, 12, 12),
    "nested calls": (nested_calls, 30, 30),
    "dense graph": (lambda count: dense(count, count), 25, 60),
    "chain": (chain_of_states, 400, 2_000),
    "references": (lambda count: references("${" * count), 2_500, 2_500),
    "spaces in a prompt": (lambda count: prompt_of(" " * count), 120_000, 120_000),
    "many events": (events, 150, 5_000),
    "nested fragments": (nested_fragments, 5, 12),
}
"""Name → what makes it, and its size in `make test` and `make test-all`."""
GIANTS: dict[str, Callable[[], Tree]] = {
    "dense graph of 22,500": lambda: dense(150, 150),
    "100,000 states": lambda: chain_of_states(100_000),
    "long cycle": lambda: long_cycle(STATES),
    "dense graph of 250,000": lambda: dense(500, 500),
    "wide composition": lambda: wide_composition(200, 100),
    "dependent steps": lambda: dependent_steps(500),
    "tiny values": lambda: tiny_values(4_000_000),
    "steps registry": lambda: steps_registry(STATES),
}
