"""Cost of the engine in memory: one step, and one transition of a rehearsal.

    python -m bench.engine [steps]

A step goes from one answer of a model to the next question: the events, the new state of the run
and the pending effect. Nothing is stored. In the same process LangGraph runs the same two nodes
without a checkpointer. Microseconds of processor time, the best of several alternating rounds.

A rehearsal computes a step once for all walks that begin with the same answers. In this small pack
most of them do.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from bench._rows import Row, print_rows
from bench.steps import MISSING, PACK, relay_graph
from workflows.core.dialects import dialects
from workflows.core.engine.fold import pending_effects
from workflows.core.engine.program import Program
from workflows.core.engine.rehearsal.rehearse import Limits, rehearse
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply, Start, ToolCall
from workflows.core.engine.transition import advance
from workflows.core.pack.graph import Graph

STEPS = 2_000
ROUNDS = 5
WALKS = 1_000
EVENT = ToolCall(name="workflow__transition", arguments={"event": "Next", "context": ""})
SMALL: dict[str, Any] = {
    **PACK,
    "workflow": {
        "version": 1,
        "entry": "draft",
        "states": {
            "draft": {"prompt_task": "hand", "on_event": {"Done": "review"}},
            "review": {"prompt_task": "hand", "on_event": {"Accept": "end", "Reject": "draft"}},
            "end": {"prompt_task": "hand", "terminal": True},
        },
    },
}


def program_of(pack: dict[str, Any]) -> tuple[Program, Graph]:
    """A PromptPack as its program and graph."""
    dialect = dialects()["promptpack"]
    source = dialect.read({"small.pack.json": json.dumps(pack).encode()})
    profile = dialect.profiles[0]
    return dialect.program(source, profile), dialect.graph(source, profile)


def step_seconds(program: Program, steps: int, **answer: Any) -> float:
    """Processor seconds of one step."""
    _, run = advance(program, RunState(), Start(at=1.0))
    began = time.process_time()
    for number in range(steps):
        (effect,) = pending_effects(run)
        _, run = advance(program, run, Reply(at=2.0 + number, key=effect.key, **answer))
    took = time.process_time() - began
    assert run.transitions == steps, (run.transitions, run.reason)
    return took / steps


def rehearsal_seconds(walks: int) -> float:
    """Processor seconds of one transition taken in a rehearsal of a small pack."""
    program, graph = program_of(SMALL)
    began = time.process_time()
    result = rehearse(program, graph, runs=walks, limits=Limits(total=100 * walks))
    took = time.process_time() - began
    assert result.runs == walks, result.notes
    return took / sum(result.transitions.values())


def langgraph_seconds(steps: int) -> float:
    """Processor seconds of one transition of LangGraph without a checkpointer."""
    compiled = relay_graph(steps).compile()
    began = time.process_time()
    ended = compiled.invoke({"turn": 0}, {"recursion_limit": steps + 10})
    took = time.process_time() - began
    assert ended["turn"] == steps
    return took / steps


def main(steps: int) -> None:
    pack, _ = program_of(PACK)
    ways: dict[str, Callable[[], float]] = {
        "PromptPack": lambda: step_seconds(pack, steps, tool_calls=(EVENT,)),
        "rehearsal, per transition": lambda: rehearsal_seconds(WALKS),
    }
    try:
        langgraph_seconds(10)
        ways["LangGraph"] = lambda: langgraph_seconds(steps)
    except ModuleNotFoundError:
        print(MISSING)
    took: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            took[name].append(way() * 1e6)
    best = {name: min(times) for name, times in took.items()}
    goals = {"PromptPack": 60.0, "rehearsal, per transition": 60.0}
    print_rows(
        Row(
            name=name,
            value=best[name],
            unit="µs",
            goal=goal,
            peer=best.get("LangGraph"),
            peer_name="LangGraph",
            share=0.2,
        )
        for name, goal in goals.items()
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
