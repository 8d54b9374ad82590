"""Runs that the runtimes of vendors have recorded, as logs of this program.

Claude Code writes `workflows/<run>.json` at the end of a run, with the script and the labels of its
agents, and their answers into `subagents/workflows/<run>/journal.jsonl`. opencode-workflows writes
a folder with `run.json`, `script.js` and `agents/<index>.json`. Both were read from their files;
neither is documented. The script runs again in QuickJS with the recorded answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.dialects.workflow_scripts.program.program import ARGS, ScriptProgram, program
from workflows.core.dialects.workflow_scripts.source import ScriptSource, read
from workflows.core.engine.effects import AskModel
from workflows.core.engine.events import Event
from workflows.core.engine.fold import pending_effects
from workflows.core.engine.replay.recording import InvalidRecording
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply, Signal, Start, Usage
from workflows.core.engine.transition import advance
from workflows.core.text.json.loads import json_lines, json_object
from workflows.core.text.tolerant import as_object, as_str

Near = Callable[[str], bytes | None]
RUN_ID = re.compile(r"wf_[A-Za-z0-9_-]{1,100}\Z")
MOST_AGENTS = 2_000
NO_USAGE = Usage()


@dataclass(frozen=True, kw_only=True)
class Answered:
    """An agent of a recorded run. `at`: seconds; None for an agent without a time. `prompt`: ""
    if the runtime keeps none."""

    label: str = ""
    phase: str = ""
    prompt: str = ""
    model: str = ""
    result: Any = None
    error: str = ""
    at: float | None = None
    usage: Usage = NO_USAGE


@dataclass(frozen=True, kw_only=True)
class Record:
    """A recorded run. `script` is None if the runtime keeps none. `named`: its agents have labels
    or prompts; others are matched by their order."""

    runtime: str
    script: bytes | None
    agents: tuple[Answered, ...]
    args: Any = None
    has_args: bool = False
    started: float = 0.0
    named: bool = True


def recorded_run(
    source: ScriptSource, profile: str, body: Any, near: Near
) -> tuple[Event, ...] | None:
    """The log of a run in this format. None for JSON that is no such run. Raises InvalidRecording
    if the script of the run cannot be repeated."""
    record = _record(body, near)
    return None if record is None else _log(record, source, profile)


def _record(body: Any, near: Near) -> Record | None:
    match body:
        case {"workflowProgress": [*progress], "script": str(script)}:
            journal = near(f"../subagents/workflows/{_id(body)}/journal.jsonl") or b""
            results = _results(json_lines(journal))
            return Record(
                runtime="claude-code",
                script=script.encode(),
                agents=tuple(_claude_agents(progress, results)),
                args=body.get("args"),
                has_args=body.get("args") is not None,
                started=_seconds(body.get("startTime")) or 0.0,
            )
        case {"runId": str(), "agentCount": int(), "transcriptDir": str()}:
            return Record(
                runtime="opencode",
                script=near("script.js"),
                agents=tuple(_opencode_agents(body["agentCount"], near)),
                started=_seconds(body.get("startedAt")) or 0.0,
            )
        case [{"type": "started" | "result", "agentId": str()}, *_]:
            results = _results(body)
            return Record(
                runtime="claude-code",
                script=None,
                agents=tuple(Answered(result=one) for one in results.values()),
                named=False,
            )
    return None


def _id(body: Mapping[str, Any]) -> str:
    """The id of a run, which is a name of a folder."""
    id = as_str(body.get("runId"))
    if not RUN_ID.match(id):
        raise InvalidRecording(f"The id of the run is {id[:60]!r}.")
    return id


def _results(lines: Iterable[Any]) -> dict[str, Any]:
    """Agent → its answer, in the order in which they started."""
    found: dict[str, Any] = {}
    for line in map(as_object, lines):
        agent = as_str(line.get("agentId"))
        if line.get("type") == "started":
            found.setdefault(agent, None)
        elif line.get("type") == "result":
            found[agent] = line.get("result")
    return found


def _claude_agents(progress: Iterable[Any], results: Mapping[str, Any]) -> Iterable[Answered]:
    for one in map(as_object, progress):
        if one.get("type") == "workflow_agent":
            tokens = one.get("tokens")
            yield Answered(
                label=as_str(one.get("label")),
                phase=as_str(one.get("phaseTitle")),
                model=as_str(one.get("model")),
                result=results.get(as_str(one.get("agentId"))),
                error=as_str(one.get("error")),
                at=_seconds(one.get("startedAt")),
                usage=Usage(input_tokens=tokens if isinstance(tokens, int) else 0),
            )


def _opencode_agents(count: int, near: Near) -> Iterable[Answered]:
    for index in range(min(count, MOST_AGENTS)):
        one = json_object(near(f"agents/{index}.json") or b"")
        usage = as_object(one.get("usage"))
        read = [usage.get(name) for name in ("input", "cacheRead", "cacheWrite")]
        written = [usage.get(name) for name in ("output", "reasoning")]
        cost = usage.get("cost")
        yield Answered(
            label=as_str(one.get("label")),
            phase=as_str(one.get("phase")),
            prompt=as_str(one.get("prompt")),
            model=as_str(one.get("model")),
            result=one.get("result"),
            error=as_str(one.get("error")),
            at=_seconds(one.get("startedAt")),
            usage=Usage(
                input_tokens=sum(each for each in read if isinstance(each, int)),
                output_tokens=sum(each for each in written if isinstance(each, int)),
                cost=float(cost) if isinstance(cost, int | float) else 0.0,
            ),
        )


def _seconds(milliseconds: Any) -> float | None:
    known = isinstance(milliseconds, int | float) and not isinstance(milliseconds, bool)
    return milliseconds / 1_000 if known else None


def _log(record: Record, source: ScriptSource, profile: str) -> tuple[Event, ...]:
    if record.script is not None:
        source = read(source.files.changed({source.main: record.script}), source.main)
    repeated = program(source, profile)
    given = record.args if isinstance(record.args, str) else json.dumps(record.args)
    inputs = {ARGS: given} if record.has_args else {}
    signal: Signal | None = Start(at=record.started, inputs=inputs)
    run, events, left = RunState(), list[Event](), list(record.agents)
    while signal is not None:
        new, run = advance(repeated, run, signal)
        events += new
        signal = None if run.finished else _reply(repeated, run, left)
    how = "" if record.named else ", in order only"
    first = replace(events[0], fields={**events[0].fields, "driver": f"{record.runtime}{how}"})
    return (first, *events[1:])


def _reply(repeated: ScriptProgram, run: RunState, left: list[Answered]) -> Signal | None:
    """The recorded answer to the oldest call. None if there is none, or if the call is another
    workflow, whose result is not recorded."""
    effect = next(iter(pending_effects(run)), None)
    if not isinstance(effect, AskModel) or not left:
        return None
    call = repeated.call_of(run) or {}
    one = max(left, key=lambda each: _fit(each, call))
    left.remove(one)
    structured = effect.schema is not None
    textual = one.result if isinstance(one.result, str) else ""
    absent = one.result is None or (structured and isinstance(one.result, str))
    return Reply(
        at=max(run.now, one.at or 0.0),
        key=effect.key,
        text="" if structured else textual or json.dumps(one.result),
        structured=one.result if structured else None,
        error=(one.error or "The agent gave no answer.") if absent else "",
        usage=one.usage,
        model=one.model,
    )


def _fit(one: Answered, call: Mapping[str, Any]) -> tuple[bool, bool, bool]:
    """The likeness of an agent to a call: by its prompt, its label, its phase. Of equal ones, `max`
    takes the first."""
    same_prompt = bool(one.prompt) and one.prompt == call.get("prompt")
    same_label = bool(call.get("label")) and one.label == call.get("label")
    return same_prompt, same_label, one.phase == call.get("phase", "")
