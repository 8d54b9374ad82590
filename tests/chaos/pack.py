"""The pack that is run: several stages, effects on the outside world, a wait, a fork, an approval.

The number of a run decides its path, so the expected path of any run is known.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NAME = "chaos"
ANSWERS = ("yes", "no", "changed")

HEAD: dict[str, Any] = {
    "completionTool": "submit",
    "completionSchema": {"type": "object", "properties": {"score": {"type": "integer"}}},
    "retryPolicy": {"maxAttempts": 3, "backoff": "linear"},
    "turnCap": 9,
    "resolutionPolicy": "retry-later",
}
ALLOWED = {
    "collect": ["read"],
    "weigh": ["grep"],
    "left": ["write"],
    "right": ["write"],
    "meet": [],
    "publish": [],
    "done": ["write"],
}


def then(*stages: str, **more: str) -> dict[str, Any]:
    way = "parallel" if more else "sequential"
    return {"nextStages": list(stages), "execution": way, **more}


STAGES: dict[str, dict[str, Any]] = {
    "collect": {"next": then("weigh")},
    "weigh": {
        "assert": [
            {
                "unless": {"path": "result.parsed.score", "op": "gte", "value": 3},
                "verdict": "retry",
                "reason": "it weighs too little",
            }
        ],
        "next": then("left", "right", "meet", join="meet"),
    },
    "left": {"next": then()},
    "right": {"next": then()},
    "meet": {"next": then("publish")},
    "publish": {"next": then("done")},
    "done": {"next": then()},
}

ARROWS = (
    "collect|then|weigh",
    "weigh|parallel|left",
    "weigh|parallel|right",
    "left|join|meet",
    "right|join|meet",
    "meet|then|publish",
    "publish|then|done",
)
PATH = dict.fromkeys(ARROWS, 1)
"""The transitions that every run takes, and how often."""


def write_pack(folder: Path) -> Path:
    """The pack's files in a folder of its own, ready to be imported."""
    stages = {name: {"file": f"stages/{name}.md", **entry} for name, entry in STAGES.items()}
    pipeline = {
        "format": "signalbox.stud-pipeline/1",
        "id": NAME,
        "name": NAME,
        "entryStage": "collect",
        "stages": stages,
    }
    (folder / "stages").mkdir(parents=True)
    (folder / "pipeline.json").write_text(json.dumps(pipeline, indent=2))
    for name in STAGES:
        head = {"id": name, "name": name.title(), **HEAD, "allowedTools": ALLOWED[name]}
        front = "".join(f"{key}: {json.dumps(value)}\n" for key, value in head.items())
        (folder / "stages" / f"{name}.md").write_text(f"---\n{front}---\nDo it.\n")
    return folder


def answer_of(number: int) -> str:
    """A person's answer in this run."""
    return ANSWERS[number % len(ANSWERS)]


def tries_again(number: int) -> bool:
    """Return True if this run waits for a second and repeats its decision."""
    return number % 2 == 1


def script_of(number: int) -> dict[str, Any]:
    """The model's replies in this run."""
    replies = [
        _call("collect", "read", file_path="notes"),
        _submit("collect"),
        _call("weigh", "grep", pattern="gold"),
        *([_submit("weigh", score=1)] if tries_again(number) else []),
        _submit("weigh", score=5),
        *(_call(side, "write", file_path=side, content="x") for side in ("left", "right")),
        *(_submit(side) for side in ("left", "right")),
        _submit("meet"),
        _call("publish", "bash", command=f"publish {answer_of(number)}"),
        _submit("publish"),
        _call("done", "write", file_path="done", content=str(number)),
        _submit("done"),
    ]
    return {"replies": replies}


def said_to(asks: dict[str, Any]) -> dict[str, Any]:
    """The body of a person's answer to a question of such a run."""
    arguments = asks["call"]["arguments"]
    match arguments["command"].split()[-1]:
        case "no":
            return {"approve": False, "reason": "Not today."}
        case "changed":
            return {"approve": True, "edited": {"command": "publish quietly"}}
        case _:
            return {"approve": True}


def _call(state: str, name: str, **arguments: str) -> dict[str, Any]:
    return {"state": state, "tool_calls": [{"name": name, "arguments": arguments}]}


def _submit(state: str, **payload: int) -> dict[str, Any]:
    return {"state": state, "tool_calls": [{"name": "submit", "arguments": payload}]}
