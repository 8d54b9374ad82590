"""Small pipelines, and a run of one of them."""

from __future__ import annotations

import json

from workflows.core.dialects.stages.format.tools import REGISTERED
from workflows.core.dialects.stages.program.pipeline import pipeline_of
from workflows.core.dialects.stages.program.program import StagesProgram
from workflows.core.dialects.stages.source import read
from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Wait
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import (
    Approve,
    Control,
    Fire,
    Reply,
    Start,
    TimeUp,
    ToolCall,
    ToolDone,
)
from workflows.core.engine.transition import transition
from workflows.core.pack.files import Files

HEAD = {
    "allowedTools": [],
    "completionTool": "submit",
    "completionSchema": {"type": "object"},
    "retryPolicy": {"maxAttempts": 1, "backoff": "none"},
    "turnCap": 3,
    "resolutionPolicy": "retry-later",
}
ENDS = {"nextStages": [], "execution": "sequential"}


def then(*stages):
    return {"nextStages": list(stages), "execution": "sequential"}


def at_once(*stages, join=None):
    """A parallel step that lists its join."""
    listed = [*stages, *({join} - {None, *stages})]
    plan = {"nextStages": listed, "execution": "parallel"}
    return plan if join is None else {**plan, "join": join}


def is_(path, value, op="equals"):
    return {"path": path, "op": op, "value": value}


def markdown(key, *, body="Do it.", **head):
    lines = {"id": key, "name": key.title(), **HEAD, **head}
    front = "".join(f"{name}: {json.dumps(value)}\n" for name, value in lines.items())
    return f"---\n{front}---\n{body}".encode()


def pack(stages, heads=None, **pipeline):
    """`stages`: key → entry of the pipeline; `heads`: key → changes of its front matter."""
    heads = heads or {}
    entries = {
        key: {"file": f"stages/{key}.md", "next": ENDS, **entry} for key, entry in stages.items()
    }
    whole = {
        "format": "signalbox.stud-pipeline/1",
        "entryStage": next(iter(stages), ""),
        "stages": entries,
        **pipeline,
    }
    files = {f"stages/{key}.md": markdown(key, **heads.get(key, {})) for key in stages}
    return Files({"pipeline.json": json.dumps(whole).encode(), **files})


class ScriptedRun:
    """A run in progress: sends signals, and keeps the log."""

    def __init__(self, stages, heads=None, *, inputs=None, tools=REGISTERED, **whole):
        source = read(pack(stages, heads, **whole))
        self.program = StagesProgram(pipeline=pipeline_of(source, tools))
        self.run, self.log = RunState(), []
        self.send(Start(at=1.0, inputs=inputs or {}, run="run-1"))

    def send(self, signal):
        events, _ = transition(self.program, self.run, signal)
        self.log += events
        self.run = fold_all(events, self.run)
        return [event.type for event in events]

    # -- pending effects

    def wanted(self, state="", kind=AskModel):
        """The one effect of this kind that is pending (in this state)."""
        (effect,) = [
            effect
            for effect in pending_effects(self.run)
            if isinstance(effect, kind) and state in ("", effect.state)
        ]
        return effect

    @property
    def states(self):
        return [effect.state for effect in pending_effects(self.run)]

    # -- answers

    def say(self, text="Hm.", state=""):
        return self.send(Reply(at=2.0, key=self.wanted(state).key, text=text))

    def call(self, *calls, state=""):
        """`calls`: (name, arguments), several in one reply."""
        made = tuple(
            ToolCall(name=name, arguments=arguments, id=f"c{number}")
            for number, (name, arguments) in enumerate(calls, start=1)
        )
        return self.send(Reply(at=2.0, key=self.wanted(state).key, tool_calls=made))

    def submit(self, state="", **payload):
        return self.call(("submit", payload), state=state)

    def tool(self, result="fine", error=""):
        key = self.wanted(kind=CallTool).key
        return self.send(ToolDone(at=2.0, key=key, result=result, error=error))

    def approve(self, yes, **said):
        key = self.wanted(kind=AskHuman).key
        return self.send(Approve(at=2.0, key=key, approve=yes, **said))

    def time_up(self):
        return self.send(TimeUp(at=2.0, key=self.wanted(kind=Wait).key))

    def cancel(self):
        return self.send(Control(at=3.0, what="cancel"))

    def fire(self, event):
        return self.send(Fire(at=3.0, event=event))

    # -- events

    def event_fields(self, type, **fields):
        """The fields of every event of this type (`stages.` left out) with these values."""
        return [
            event.fields
            for event in self.log
            if event.type == f"stages.{type}"
            and all(event.fields.get(name) == value for name, value in fields.items())
        ]

    @property
    def entered(self):
        return [e.fields["state"] for e in self.log if e.type == "state.entered"]

    @property
    def phases(self):
        """`Setup` for its beginning, `/Setup` for its end."""
        return [
            f"{'/' if fields['edge'] == 'post' else ''}{fields['phase']}"
            for fields in self.event_fields("phase")
        ]

    def result(self, state):
        return self.event_fields("exit", stageId=state)[-1]["result"]

    @property
    def transcript(self):
        """Role and text of what the model sees now."""
        return [(turn.role, turn.text) for turn in self.wanted().messages]


# -- forks to play with ---------------------------------------------------------------------

FAIL = [{"unless": is_("result.parsed.bad", True, "notEquals"), "verdict": "fail", "reason": "bad"}]
FORK = {
    "root": {"next": at_once("left", "right", join="join")},
    "left": {"assert": FAIL},
    "right": {"assert": FAIL},
    "join": {"next": then("end")},
    "end": {},
}
NESTED = {
    "root": {"next": at_once("left", "right", join="join")},
    "left": {"next": at_once("deep", "deeper", join="inner")},
    "deep": {"exit": {"slot": {"deep": "result.parsed.x"}}},
    "deeper": {"assert": FAIL},
    "inner": {"setup": {"deep": {"from": "slot.deep"}}},
    "right": {},
    "join": {"setup": {"deep": {"from": "slot.deep"}}},
}


def upstream(play, stage):
    """The value of ctx.upstream at the last visit of the stage."""
    return play.event_fields("context", stageId=stage)[-1]["memory"]["ctx"]["upstream"]


def forked(stages=FORK, heads=None, **more):
    """A run of these stages, beyond `root`."""
    play = ScriptedRun(stages, heads, **more)
    play.submit("root", from_="root")
    return play
