"""A run of an agent graph whose models are played by the test."""

import json

from workflows.core.dialects.agent_graph.format.model import AgentGraph
from workflows.core.dialects.agent_graph.program.definition import GraphDefinition
from workflows.core.dialects.agent_graph.program.program import AgentGraphProgram
from workflows.core.engine.effects import AskHuman, AskModel, CallTool
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import (
    Approve,
    Control,
    Fire,
    Reply,
    Start,
    Tell,
    ToolCall,
    ToolDone,
)
from workflows.core.engine.transition import transition


def call(name, id=None, **args):
    """A call as one line of a reply."""
    named = {"id": id} if id else {}
    return json.dumps({"tool_call": {**named, "name": name, "args": args}})


def native(name, id="n1", **args):
    return ToolCall(name=name, arguments=args, id=id)


def node(id, role="implementer", **more):
    return {"id": id, "role": role, "label": id.title(), "provider": "claude", **more}


def edge(source, target, **more):
    return {"from": source, "to": target, **more}


def graph(*nodes, edges=(), **more):
    return {"agent_graph": 1, "name": "team", "nodes": list(nodes), "edges": list(edges), **more}


LEAD = node("lead", "orchestrator", instructions="Begin.")
CODER = node("coder")
PAIR = graph(LEAD, CODER, edges=[edge("lead", "coder")])


class ScriptedRun:
    """Plays one run. `events` are those of the newest signal, `log` all of them."""

    def __init__(self, pack, *, templates=None, inputs=None, paused=False, budget=None):
        self.program = AgentGraphProgram(
            definition=GraphDefinition(graph=AgentGraph.of(pack), pack=templates or {})
        )
        self.budget = budget
        self.run, self.log, self.events = RunState(), [], ()
        self.now = 1_700_000_000.0
        self.send(Start(at=self.now, inputs=inputs or {}, paused=paused, run="r1"))

    def send(self, signal):
        self.events, _ = transition(self.program, self.run, signal, budget=self.budget)
        self.log += self.events
        self.run = fold_all(self.events, self.run)
        return self

    def at(self):
        self.now += 1
        return self.now

    def effect(self, state=None, kind=None):
        """The one thing asked at a node (of one kind)."""
        found = [
            effect
            for effect in pending_effects(self.run)
            if state in (None, effect.state) and (kind is None or isinstance(effect, kind))
        ]
        assert len(found) == 1, [(e.state, type(e).__name__) for e in pending_effects(self.run)]
        return found[0]

    def asked(self):
        return sorted((e.state, type(e).__name__) for e in pending_effects(self.run))

    def reply(self, state, *lines, calls=(), error=""):
        key = self.effect(state, AskModel).key
        text = "\n".join(lines)
        return self.send(
            Reply(at=self.at(), key=key, text=text, tool_calls=tuple(calls), error=error)
        )

    def done(self, state, result="", **more):
        key = self.effect(state, CallTool).key
        return self.send(ToolDone(at=self.at(), key=key, result=result, **more))

    def approve(self, state=None, approve=True, **more):
        key = self.effect(state, AskHuman).key
        return self.send(Approve(at=self.at(), key=key, approve=approve, **more))

    def tell(self, state, text, interrupt=False):
        return self.send(Tell(at=self.at(), state=state, text=text, interrupt=interrupt))

    def fire(self, event, state=""):
        return self.send(Fire(at=self.at(), event=event, state=state))

    def control(self, what):
        return self.send(Control(at=self.at(), what=what))

    def prompt(self, state):
        """The newest logged prompt of a node."""
        return [
            event.fields
            for event in self.log
            if event.type == "prompt.logged" and event.fields["state"] == state
        ][-1]

    def task(self, state):
        return self.prompt(state)["blocks"]["task"]

    def of(self, type):
        """All events of one type, by their fields."""
        return [event.fields for event in self.log if event.type == type]

    def results(self, node=None):
        return [
            (one["tool"], one["ok"], one.get("error", one["output"]))
            for one in self.of("agent_graph.call")
            if node in (None, one["node"])
        ]

    def awake(self):
        return sorted(place.state for place in self.run.positions)
