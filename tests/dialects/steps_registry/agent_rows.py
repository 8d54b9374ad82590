"""agent.json with one change each, to be judged by Climpt's two layers and by our rules."""

from __future__ import annotations

import copy
from typing import Any

from tests.dialects.steps_registry.packs import Tree, put, tree

ISSUE = "parameters/issue"
ROWS: dict[str, dict[str, Any]] = {
    "complete": {},
    "bare": {"displayName": ..., "description": ..., "version": ..., "runner/flow": ...,
             "runner/boundaries": ..., "parameters": {"issue": {"type": "number"}}},
    "no name": {"name": ...},
    "name with capitals": {"name": "Porter"},
    "name is a number": {"name": 3},
    "no display name": {"displayName": ...},
    "no description": {"description": ...},
    "no version": {"version": ...},
    "short version": {"version": "1.0"},
    "version is a number": {"version": 1},
    "no runner": {"runner": ...},
    "format of 1.11": {"runner": ..., "behavior": {"type": "iterationBudget"}},
    "unknown key": {"comment": "x"},
    "unknown key of runner": {"runner/model": "opus"},
    "no flow": {"runner/flow": ...},
    "no system prompt": {"runner/flow/systemPromptPath": ...},
    "no prompts": {"runner/flow/prompts": ...},
    "no registry": {"runner/flow/prompts": {}},
    "registry is a number": {"runner/flow/prompts/registry": 1},
    "other model": {"runner/flow/defaultModel": "gpt-4"},
    "no verdict": {"runner/verdict": ...},
    "no verdict type": {"runner/verdict/type": ...},
    "other verdict": {"runner/verdict": {"type": "when:done"}},
    "verdict of 1.12": {"runner/verdict": {"type": "iterationBudget"}},
    "no iterations": {"runner/verdict/config": {"x": 1}},
    "zero iterations": {"runner/verdict/config/maxIterations": 0},
    "no keyword": {"runner/verdict": {"type": "detect:keyword", "config": {"x": 1}}},
    "no checks": {"runner/verdict": {"type": "count:check", "config": {"x": 1}}},
    "composite without operator": {
        "runner/verdict": {
            "type": "meta:composite",
            "config": {"conditions": [{"type": "count:check", "config": {"maxChecks": 1}}]},
        }
    },
    "no boundaries": {"runner/boundaries": ...},
    "no tools": {"runner/boundaries/allowedTools": ...},
    "tools are a text": {"runner/boundaries/allowedTools": "Read"},
    "no permission mode": {"runner/boundaries/permissionMode": ...},
    "other permission mode": {"runner/boundaries/permissionMode": "ask"},
    "sandbox": {"runner/boundaries/sandbox": {"enabled": True, "network": {"mode": "none"}}},
    "other network": {"runner/boundaries/sandbox": {"network": {"mode": "open"}}},
    "other closure action": {
        "runner/integrations": {"github": {"enabled": True, "defaultClosureAction": "delete"}}
    },
    "github without enabled": {"runner/integrations": {"github": {}}},
    "worktree": {"runner/execution": {"worktree": {"enabled": True, "root": ".worktrees"}}},
    "worktree without enabled": {"runner/execution": {"worktree": {}}},
    "logging": {"runner/logging": {"directory": "logs", "format": "jsonl", "maxFiles": 3}},
    "other log format": {"runner/logging": {"directory": "logs", "format": "xml"}},
    "log without folder": {"runner/logging": {"format": "text"}},
    "log folder is a number": {"runner/logging": {"directory": 1, "format": "text"}},
    "parameter without flag": {f"{ISSUE}/cli": ...},
    "flag without hyphens": {f"{ISSUE}/cli": "issue"},
    "flag with capitals": {f"{ISSUE}/cli": "--Issue"},
    "parameter without type": {f"{ISSUE}/type": ...},
    "parameter of other type": {f"{ISSUE}/type": "date"},
    "parameter without description": {f"{ISSUE}/description": ...},
    "default of other type": {f"{ISSUE}/default": "3"},
    "default that is a flag": {f"{ISSUE}/default": True},
    "default": {f"{ISSUE}/default": 3},
    "same flag twice": {
        "parameters/other": {"type": "string", "description": "x", "cli": "--issue"}
    },
}  # fmt: skip


def agent(changes: dict[str, Any]) -> Tree:
    """The right agent.json with values set, or (`...`) removed, by path."""
    whole: Tree = copy.deepcopy(tree()["agent"])
    for path, value in changes.items():
        put(whole, path, value)
    return whole
