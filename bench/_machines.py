"""Peers of the engine: state machines in memory that alternate between two states."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
XSTATE = ROOT / "bench" / "peers" / "xstate.mjs"
EVENTS_OF_XSTATE = 20_000
"""Enough for the compiler of Node."""


def transitions_seconds(steps: int) -> float:
    """Processor seconds of one event of `transitions`."""
    from transitions import Machine  # type: ignore[import-not-found]

    machine = Machine(states=["ping", "pong"], initial="ping")
    machine.add_transition("next", "ping", "pong")
    machine.add_transition("next", "pong", "ping")
    began = time.process_time()
    for _ in range(steps):
        machine.next()
    return (time.process_time() - began) / steps


def statemachine_seconds(steps: int) -> float:
    """Processor seconds of one event of python-statemachine."""
    from statemachine import State, StateMachine  # type: ignore[import-not-found]

    class Relay(StateMachine):  # type: ignore[misc]
        ping = State(initial=True)
        pong = State()
        next = ping.to(pong) | pong.to(ping)

    machine = Relay()
    began = time.process_time()
    for _ in range(steps):
        machine.next()
    return (time.process_time() - began) / steps


def xstate_seconds(_: int) -> float:
    """Processor seconds of one event of xstate, in Node."""
    if not (XSTATE.parent / "node_modules").exists():
        raise ModuleNotFoundError("xstate")
    command = [ROOT / "scripts/node.sh", "node", XSTATE, str(EVENTS_OF_XSTATE)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(output) / 1e6


MACHINES: Mapping[str, Callable[[int], float]] = {
    "python-statemachine": statemachine_seconds,
    "xstate": xstate_seconds,
    "transitions": transitions_seconds,
}


def installed() -> dict[str, Callable[[int], float]]:
    """The peers that can be measured here."""
    found = {}
    for name, seconds in MACHINES.items():
        try:
            seconds(10)
        except ModuleNotFoundError:
            print(f"{name} is not installed, so it is not compared.")
        else:
            found[name] = seconds
    return found
