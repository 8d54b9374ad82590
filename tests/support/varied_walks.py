"""Walks through a pack with answers of every form: choices, calls of each tool, texts, errors."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from workflows.core.engine.effects import AskModel, Effect
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.program import Program
from workflows.core.engine.rehearsal.answers import answer_for, choices_of
from workflows.core.engine.rehearsal.rehearse import simulated_inputs
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.rehearsal.schema_values import value_for
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply, Signal, Start, ToolCall, ToolDone
from workflows.core.engine.transition import transition

STEPS = 60


def questions(program: Program, seed: int) -> Iterator[AskModel]:
    """The questions of one walk."""
    luck = random.Random(seed)
    start = Start(at=1.0, inputs=simulated_inputs(program))
    run = fold_all(transition(program, RunState(), start)[0])
    for _ in range(STEPS):
        pending = pending_effects(run)
        if run.finished or not pending:
            return
        effect = luck.choice(pending)
        if isinstance(effect, AskModel):
            yield effect
        run = fold_all(transition(program, run, _answer(effect, luck))[0], run)


def _answer(effect: Effect, luck: random.Random) -> Signal:
    if isinstance(effect, AskModel) and luck.random() < 0.6:
        return _reply(effect, luck)
    choices = choices_of(effect)
    choice = luck.choice(choices) if choices else None
    signal = answer_for(effect, choice, seed=luck.random(), at=1.0, good=luck.random() < 0.6)
    if isinstance(signal, ToolDone) and luck.random() < 0.3:
        return ToolDone(at=1.0, key=effect.key, error="It failed.")
    return signal


def _reply(effect: AskModel, luck: random.Random) -> Reply:
    rng = Rng(luck.random(), effect.key)
    text = luck.choice(("", "", "Let me see."))
    if not effect.tools or luck.random() < 0.2:
        return Reply(at=1.0, key=effect.key, text=text or "Done.")
    calls: list[ToolCall] = []
    for number in range(luck.choice((1, 1, 1, 2, 3))):
        tool = luck.choice(effect.tools)
        arguments: Any = value_for(tool.parameters or {"type": "object"}, rng)
        id = luck.choice((f"call-{number}", "", f"functions.{tool.name}:{number}"))
        calls.append(ToolCall(name=tool.name, arguments=arguments or {}, id=id))
    return Reply(at=1.0, key=effect.key, text=text, tool_calls=tuple(calls))
