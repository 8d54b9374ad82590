"""A small valid pack and its changes, for the tables of rules.

Changes are named by their place: `plan.turnCap` a key of a stage's front matter (deeper with `/`),
`plan:` its prompt, `/entryStage` a place in the pipeline (`plan/` is short for its entry), and
`file stages/x.md` a whole file.
"""

from __future__ import annotations

import json
from copy import deepcopy
from functools import lru_cache
from typing import Any

from workflows.core.dialects.stages import DIALECT
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.edits import Edit
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding
from workflows.core.rules.check import check
from workflows.core.text.yaml.document import YamlText

GONE = object()
"""As a value: take this out."""
ENDS: dict[str, Any] = {"nextStages": [], "execution": "sequential"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["summary"],
    "properties": {
        "summary": {"type": "string"},
        "approved": {"type": "boolean"},
        "level": {"enum": ["low", "high"]},
        "parts": {"type": "array", "items": {"type": "string"}},
    },
}
BODIES = {
    "plan": "Plan {{ctx.task}} as {{stage.name}} of run {{ctx.workflowRunId}}.\n",
    "look": "Look at {{ctx.plan}}.\n",
    "test": "Test {{ctx.plan}}.\n",
    "verdict": "{{ctx.upstream[0].parsed.approved}} and {{ctx.upstream[1].parsed.summary}}\n",
    "done": "Write {{ctx.upstream[0].parsed.summary}} down.\n",
    "again": "Why not? {{ctx.upstream[0].verdict}} {{ctx.upstream[0].reason}}\n",
}


def to(*stages: str, **more: Any) -> dict[str, Any]:
    """A sequential step."""
    return {"nextStages": list(stages), "execution": "sequential", **more}


def fork(*stages: str, **more: Any) -> dict[str, Any]:
    """A parallel step."""
    return {"nextStages": list(stages), "execution": "parallel", **more}


def case(path: str, value: Any, then: Any, op: str = "equals") -> dict[str, Any]:
    return {"when": {"path": path, "op": op, "value": value}, "then": then}


def cases(*items: Any, otherwise: Any = ENDS) -> dict[str, Any]:
    return {"cases": list(items), "else": otherwise}


FROM_SLOT = {"plan": {"from": "slot.plan"}}
PIPELINE: dict[str, Any] = {
    "format": "signalbox.stud-pipeline/1",
    "id": "good",
    "name": "Good",
    "entryStage": "plan",
    "runInputSchema": {"type": "object", "properties": {"task": {"type": "string"}}},
    "stages": {
        "plan": {
            "file": "stages/plan.md",
            "setup": {"task": {"from": "run.input.task"}},
            "exit": {"slot": {"plan": "result.parsed.summary"}},
            "next": fork("look", "test", "verdict", join="verdict"),
        },
        "look": {"file": "stages/look.md", "setup": FROM_SLOT, "next": ENDS},
        "test": {"file": "stages/test.md", "setup": FROM_SLOT, "next": ENDS},
        "verdict": {
            "file": "stages/verdict.md",
            "next": cases(case("result.parsed.approved", True, to("done")), otherwise=to("again")),
        },
        "done": {"file": "stages/done.md", "next": ENDS},
        "again": {"file": "stages/again.md", "next": ENDS},
    },
}


def head(id: str) -> dict[str, Any]:
    """The front matter of a valid stage."""
    return {
        "id": id,
        "name": id.title(),
        "allowedTools": ["read", "grep"],
        "completionTool": f"submit_{id}",
        "completionSchema": deepcopy(SCHEMA),
        "retryPolicy": {"maxAttempts": 2, "backoff": "none"},
        "turnCap": 8,
        "resolutionPolicy": "retry-later",
    }


def written(values: dict[str, Any], body: str) -> str:
    """A stage file."""
    return f"---\n{_head_text(json.dumps(values))}---\n{body}"


@lru_cache(maxsize=512)
def _head_text(values: str) -> str:
    text = YamlText.parse(b"")
    for key, value in json.loads(values).items():
        text = text.set((key,), value)
    return text.data.decode()


def shape(nexts: dict[str, Any]) -> dict[str, Any]:
    """The valid pack with only these steps: the first stage is the entry, prompts have no
    placeholders, and stages that are not named here are removed."""
    changes: dict[str, Any] = {"/entryStage": next(iter(nexts))}
    for id in BODIES:
        changes[f"{id}:"] = "Work."
        changes[f"file stages/{id}.md"] = GONE
        changes[id] = GONE
    for id, step in nexts.items():
        del changes[f"file stages/{id}.md"]
        changes[id] = {"file": f"stages/{id}.md", "next": step}
    return changes


def pack(changes: dict[str, Any] | None = None) -> Files:
    """The valid pack with these changes."""
    tree, bodies = deepcopy(PIPELINE), dict(BODIES)
    heads = {id: head(id) for id in bodies}
    whole: dict[str, Any] = {}
    for name, value in (changes or {}).items():
        if name.startswith("file "):
            whole[name.removeprefix("file ")] = value
        elif name.startswith("/"):
            _put(tree, name[1:].split("/"), value)
        elif name.endswith(":"):
            bodies[name[:-1]] = value
        elif "." in name.split("/")[0]:
            id, _, key = name.partition(".")
            _put(heads[id], key.split("/"), value)
        else:
            _put(tree["stages"], name.split("/"), value)
    found = {"pipeline.json": json.dumps(tree, indent=2)}
    found |= {f"stages/{id}.md": written(heads[id], bodies[id]) for id in bodies}
    found |= whole
    return Files.of(
        {
            path: text if isinstance(text, bytes) else text.encode("utf-8")
            for path, text in found.items()
            if text is not GONE
        }
    )


def _put(place: Any, keys: list[str], value: Any) -> None:
    *path, last = keys
    for key in path:
        place = place[int(key)] if isinstance(place, list) else place.setdefault(key, {})
    if value is GONE:
        del place[last]
    elif isinstance(place, list):
        place[int(last)] = value
    else:
        place[last] = deepcopy(value)


def source(changes: dict[str, Any] | None = None) -> StagesSource:
    return read(pack(changes))


def read(files: Files) -> StagesSource:
    found: StagesSource = DIALECT.read(files)  # type: ignore[assignment]
    return found


def findings(pack: StagesSource, profile: str = "documented") -> list[Finding]:
    return list(check(DIALECT, pack, profile))


def codes_of(pack: StagesSource, profile: str = "documented") -> list[str]:
    """The codes of all findings except GR114, the worst-case cost that every valid loop has."""
    return [finding.code for finding in findings(pack, profile) if finding.code != "GR114"]


def codes(changes: dict[str, Any] | None = None, profile: str = "documented") -> list[str]:
    return codes_of(source(changes), profile)


def applied(pack: StagesSource, *edits: Edit) -> StagesSource:
    for edit in edits:
        pack = DIALECT.apply(pack, edit)  # type: ignore[assignment]
    return pack
