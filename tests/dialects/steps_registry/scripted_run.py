"""Play a recorded run: answer the effects from its script, and note what happened."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.engine.effects import AskModel, Effect, RunCommand, Wait
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold
from workflows.core.engine.program import CannotRun
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import CommandDone, Reply, Signal, Start, TimeUp
from workflows.core.engine.transition import transition
from workflows.core.pack.files import Files

MOST_SIGNALS = 400


@dataclass
class ScriptedRun:
    """The record of a run. `path` has one entry per iteration: (step, true with a model call)."""

    status: str = ""
    reason: str = ""
    code: str = ""
    path: list[tuple[str, bool]] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    run: RunState = field(default_factory=RunState)

    def see(self, events: tuple[Event, ...]) -> None:
        self.events += events
        for event in events:
            match event.type:
                case "steps_registry.iteration":
                    self.path.append((event.fields["state"], False))
                case "model.asked":
                    self.path[-1] = (self.path[-1][0], True)
                    self.prompts.append(event.fields["effect"]["messages"][-1]["text"])
                case "steps_registry.error":
                    self.code = event.fields["code"]
                case "run.finished":
                    self.status = event.fields["status"]
                    self.reason = event.fields.get("reason", "")
                    self.code = self.code or event.fields.get("code", "")


def files_of(vector: dict[str, Any], folder: str = "t") -> Files:
    """The repository that a vector describes."""
    files = {path: text.encode() for path, text in vector.get("files", {}).items()}
    base = f".agent/{folder}"
    files[f"{base}/steps_registry.json"] = json.dumps(vector["registry"], indent=2).encode()
    if "agentJson" in vector:
        files[f"{base}/agent.json"] = json.dumps(vector["agentJson"], indent=2).encode()
    return Files.of(files)


def _script(items: list[Any], number: int) -> Any:
    return items[min(number, len(items) - 1)] if items else None


def _signal(effect: Effect, vector: dict[str, Any], count: dict[str, int], at: float) -> Signal:
    match effect:
        case AskModel():
            entry = _script(vector.get("llmScript", []), count["model"])
            count["model"] += 1
            if isinstance(entry, dict) and "__throw" in entry:
                return Reply(at=at, key=effect.key, error=entry["__throw"])
            if isinstance(entry, dict) and "__text" in entry:
                return Reply(at=at, key=effect.key, text=entry["__text"])
            return Reply(at=at, key=effect.key, structured=entry)
        case RunCommand(why=why) if "process" in why:
            result = vector.get("subprocessResult") or {"code": 0, "stdout": "", "stderr": ""}
        case RunCommand():
            result = _script(vector.get("validatorCommandResults", []), count["command"])
            result = result or {"code": 0, "stdout": "", "stderr": ""}
            count["command"] += 1
        case Wait():
            return TimeUp(at=at, key=effect.key)
        case _:
            raise AssertionError(f"nothing answers {effect}")
    return CommandDone(
        at=at, key=effect.key, exit=result["code"], stdout=result["stdout"], stderr=result["stderr"]
    )


def play(vector: dict[str, Any], profile: str = "climpt") -> ScriptedRun:
    """Run a vector to its end."""
    played = ScriptedRun()
    source = DIALECT.read(files_of(vector))
    try:
        program = DIALECT.program(source, profile)
    except CannotRun as cannot:
        played.status, played.reason, played.code = "failed", cannot.message, cannot.code
        return played
    arguments = {name: str(value) for name, value in vector.get("args", {}).items()}
    run, count, at = RunState(), {"model": 0, "command": 0}, 1.0
    signals: list[Signal] = [Start(at=at, inputs=arguments)]
    for _ in range(MOST_SIGNALS):
        if not signals:
            break
        events, effects = transition(program, run, signals.pop(0))
        for event in events:
            run = fold(run, event)
        played.see(events)
        played.run = run
        at += 1.0
        signals += [_signal(effect, vector, count, at) for effect in effects]
    return played


def disagreement(vector: dict[str, Any], played: ScriptedRun) -> str:
    """The differences in path or end from upstream; "" without any."""
    expected = vector["expected"]
    if "startError" in expected:
        code = expected["startError"].get("code") or ""
        if played.path or played.status != "failed":
            return f"started, but {code} was expected"
        return "" if played.code == code else f"refused with {played.code}, not {code}"
    if played.status == "completed" and not expected["success"]:
        return f"completed, but upstream failed: {expected['reason'][:80]}"
    if played.status != "completed" and expected["success"]:
        return f"{played.status}: {played.reason[:120]}"
    codes = expected.get("errorCodes") or []
    if codes and played.code not in codes:
        return f"code {played.code} ({played.reason[:80]}), not {codes}"
    path = [(item["step"], "llm" in item) for item in expected["perIteration"]]
    ours = _with_repeats(played)
    if ours != path:
        return f"path {ours}, not {path}"
    first = expected["reason"].split("\n")[0]
    if played.reason.split("\n")[0] != first:
        return f"reason {played.reason[:90]!r}, not {first[:90]!r}"
    return ""


def _with_repeats(played: ScriptedRun) -> list[tuple[str, bool]]:
    """Upstream lists a call repeated after a rate limit twice, under one iteration number."""
    path: list[tuple[str, bool]] = []
    fresh = False
    for event in played.events:
        if event.type == "steps_registry.iteration":
            path.append((event.fields["state"], False))
            fresh = True
        elif event.type == "model.asked":
            if fresh:
                path[-1] = (path[-1][0], True)
            else:
                path.append((event.fields["state"], True))
            fresh = False
    return path


def prompt_disagreement(vector: dict[str, Any], played: ScriptedRun) -> str:
    """The differences in the prompts."""
    items = vector["expected"].get("perIteration", [])
    prompts = [item["prompt"] for item in items if "llm" in item and item.get("prompt") is not None]
    return "" if prompts == played.prompts else f"prompts {played.prompts} not {prompts}"


def detail_disagreement(vector: dict[str, Any], played: ScriptedRun) -> str:
    """The differences in permission, schema, verdict, checks and GitHub actions."""
    expected = vector["expected"]
    calls = [item for item in expected.get("perIteration", []) if "llm" in item]
    asked = [event.fields["effect"] for event in played.events if event.type == "model.asked"]
    wanted = {
        "calls": [(item["permissionMode"], item["schemaSent"]) for item in calls],
        "hooks": [hook["step"] for hook in expected.get("boundaryHooks", [])],
        "checks": [item["command"] for item in expected.get("validatorRuns", [])],
        "verdict": expected.get("verdict"),
        "outputs": {id: _own(value) for id, value in expected.get("stepContext", {}).items()},
    }
    ours = {
        "calls": [(e["parameters"]["permissionMode"], bool(e["schema"])) for e in asked],
        "hooks": _fields(played, "steps_registry.boundary", "step"),
        "checks": _commands(played),
        "verdict": next(iter(_fields(played, "artifact.set", "value")[-1:]), None),
        "outputs": {
            name.removeprefix("output:"): _own(value)
            for name, value in played.run.memory.items()
            if name.startswith("output:")
        },
    }
    unlike = [f"{key} {ours[key]} not {wanted[key]}" for key in wanted if ours[key] != wanted[key]]
    return "; ".join(unlike)


OWN = ("sessionId", "hasErrors", "errorCount")


def _own(output: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in output.items() if key not in OWN}


def _fields(played: ScriptedRun, type: str, name: str) -> list[Any]:
    return [event.fields[name] for event in played.events if event.type == type]


def _commands(played: ScriptedRun) -> list[str]:
    asked = [event.fields["effect"] for event in played.events if event.type == "command.asked"]
    return [effect["command"][-1] for effect in asked if "process" not in effect["why"]]
