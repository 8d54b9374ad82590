"""Packs for the tests: a small agent that is right, with a change; and the corpus, pack by pack."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding

MAIN = ".agent/t/steps_registry.json"
SCHEMA = ".agent/t/schemas/s.json"
AGENT = ".agent/t/agent.json"
Tree = dict[str, Any]
Change = Callable[[Tree], object]


def step(id: str, kind: str, intents: list[str], rules: Tree) -> Tree:
    c2, c3 = id.split(".")
    return {
        "stepId": id,
        "name": id,
        "stepKind": kind,
        "c2": c2,
        "c3": c3,
        "edition": "default",
        "uvVariables": [],
        "usesStdin": False,
        "outputSchemaRef": {"file": "s.json", "schema": id},
        "structuredGate": {
            "allowedIntents": intents,
            "intentSchemaRef": "#/properties/next_action/properties/action",
            "intentField": "next_action.action",
        },
        "transitions": rules,
    }


def definition(intents: list[str]) -> Tree:
    action = {"type": "string", "enum": intents}
    return {
        "type": "object",
        "properties": {"next_action": {"type": "object", "properties": {"action": action}}},
    }


def tree() -> Tree:
    """registry, schema, agent and prompts of a right agent."""
    steps = {
        "initial.a": step(
            "initial.a",
            "work",
            ["next", "repeat"],
            {"next": {"target": "continuation.a"}, "repeat": {"target": "initial.a"}},
        ),
        "continuation.a": step(
            "continuation.a",
            "work",
            ["repeat", "handoff"],
            {"repeat": {"target": "continuation.a"}, "handoff": {"target": "closure.a"}},
        ),
        "closure.a": step(
            "closure.a",
            "closure",
            ["closing", "repeat"],
            {"closing": {"target": None}, "repeat": {"target": "closure.a"}},
        ),
    }
    steps["continuation.a"]["structuredGate"]["handoffFields"] = ["summary"]
    schema = {
        id: definition(item["structuredGate"]["allowedIntents"]) for id, item in steps.items()
    }
    schema["continuation.a"]["properties"]["summary"] = {"type": "string"}
    return {
        "registry": {
            "agentId": "t",
            "version": "1.0.0",
            "c1": "steps",
            "entryStep": "initial.a",
            "steps": steps,
        },
        "schema": schema,
        "agent": {
            "name": "t",
            "displayName": "T",
            "description": "",
            "version": "1.0.0",
            "parameters": {
                "issue": {
                    "type": "number",
                    "required": True,
                    "description": "Number of the issue",
                    "cli": "--issue",
                }
            },
            "runner": {
                "flow": {
                    "systemPromptPath": "prompts/system.md",
                    "prompts": {"registry": "steps_registry.json"},
                },
                "verdict": {"type": "count:iteration", "config": {"maxIterations": 10}},
                "boundaries": {"allowedTools": ["Read"], "permissionMode": "default"},
            },
        },
        "files": {
            ".agent/t/prompts/system.md": "Be brief.",
            ".agent/climpt/config/t-steps-app.yml": (
                'working_dir: ".agent/t"\napp_prompt:\n  base_dir: "prompts/steps"\n'
            ),
            ".agent/climpt/config/t-steps-user.yml": (
                'params:\n  two:\n    directiveType:\n      pattern: "^[a-z]+$"\n'
                '    layerType:\n      pattern: "^[a-z-]+$"\n'
            ),
            **{
                f".agent/t/prompts/steps/{id.replace('.', '/')}/f_default.md": f"{id}: next_action"
                for id in steps
            },
        },
    }


def pack(change: Change | None = None) -> RegistrySource:
    """The right agent with one thing changed."""
    whole = copy.deepcopy(tree())
    if change is not None:
        change(whole)
    files = {path: text.encode() for path, text in whole["files"].items()}
    for path, key in ((MAIN, "registry"), (SCHEMA, "schema"), (AGENT, "agent")):
        if whole.get(key) is not None:
            files[path] = (json.dumps(whole[key], indent=2) + "\n").encode()
    return DIALECT.read(Files.of(files))


def findings(source: RegistrySource, profile: str = "documented") -> list[Finding]:
    graph = DIALECT.graph(source, profile)
    found = list(source.findings)
    for rule in DIALECT.rules():
        found += rule.check(source, graph)
    return found


def loud(source: RegistrySource, profile: str = "documented") -> list[str]:
    """Codes above hint, each once, in order."""
    return sorted({found.code for found in findings(source, profile) if found.level != "hint"})


def put(whole: Tree, path: str, value: Any) -> None:
    """Set a value by a path like `registry/steps/initial.a/model`; `...` removes it."""
    *keys, last = path.split("/")
    node: Any = whole
    for key in keys:
        node = node[int(key)] if isinstance(node, list) else node.setdefault(key, {})
    if value is ...:
        del node[last]
    else:
        node[last] = value


def setting(*pairs: tuple[str, Any]) -> Change:
    return lambda whole: [put(whole, path, value) for path, value in pairs]


def folder(root: Path) -> Files:
    """Every file below a folder."""
    return Files.of(
        {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }
    )


def corpus_packs(corpus: Path) -> Iterator[tuple[str, RegistrySource]]:
    """Every registry of the corpus, read."""
    for name in ("steps-registry", "steps-registry-history"):
        files = folder(corpus / name)
        for found in DIALECT.recognises(files):
            yield found.main, DIALECT.read(Files.of({path: files[path] for path in found.paths}))
