"""The pack that is run: several stages, effects on the outside world, edits of files, a command
that takes seconds, a wait, a fork, an approval.

The number of a run decides its path, so the expected path of any run is known.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NAME = "chaos"
ANSWERS = ("yes", "no", "changed")

COMMAND = "glob"
"""The tool that is bound to a command."""
EFFECTS = "effects.log"
"""File in the workspace to which the command appends what it does, for which effect, and its
process."""
SCRIPT = f"""
note() {{ echo "$1 $SIGNALBOX_EFFECT $$" >> {EFFECTS}; }}
note begin; sleep 1; note did; sleep 1; note end
"""
EDITS = {"left": 1, "right": 1, "meet": 3}
"""The number of edits of each stage, all of them of its own file."""

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
    "left": ["write", "edit"],
    "right": ["write", "edit"],
    "meet": ["edit", "glob"],
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
        *(_edit(stage, nth) for stage, count in EDITS.items() for nth in range(count)),
        *(_submit(side) for side in ("left", "right")),
        _call("meet", COMMAND, pattern="*"),
        _submit("meet"),
        _call("publish", "bash", command=f"publish {answer_of(number)}"),
        _submit("publish"),
        _call("done", "write", file_path="done", content=str(number)),
        _submit("done"),
    ]
    return {"replies": replies}


def bindings(url: str) -> dict[str, Any]:
    """The bindings of the tools. `url`: the server on which some of them have an effect."""
    outside = {"kind": "http", "settings": {"url": url, "timeout": 20}}
    command = {"command": ["sh", "-c", SCRIPT], "timeout": 60}
    return {
        **dict.fromkeys(("read", "grep", "write", "bash"), outside),
        "edit": {"kind": "files", "settings": {"operation": "edit"}},
        COMMAND: {"kind": "command", "settings": command},
    }


def edited_files() -> dict[str, str]:
    """The end of each file that a run edits. An edit that is applied twice changes it twice."""
    return {
        f"stages/{stage}.md": "".join(["Do it.", *(f" {nth}" for nth in reversed(range(count)))])
        + "\n"
        for stage, count in EDITS.items()
    }


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


def _edit(stage: str, nth: int) -> dict[str, Any]:
    return _call(
        stage,
        "edit",
        file_path=f"stages/{stage}.md",
        old_string="Do it.",
        new_string=f"Do it. {nth}",
    )


def _submit(state: str, **payload: int) -> dict[str, Any]:
    return {"state": state, "tool_calls": [{"name": "submit", "arguments": payload}]}
