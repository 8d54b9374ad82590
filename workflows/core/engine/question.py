"""What a state asks of a model, without a run: as a rehearsal that began there would hear it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.engine.effects import AskModel, Effect
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.program import Program
from workflows.core.engine.rehearsal.answers import answer_for, choices_of
from workflows.core.engine.rehearsal.entries import program_from
from workflows.core.engine.rehearsal.explorer import Explorer
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Signal, Start
from workflows.core.engine.transition import transition
from workflows.core.pack.graph import Graph

MAX_STEPS_IN_STATE = 20
"""So many answers are made up in the state itself before its question is given up."""
MAX_STEPS_TO_STATE = 200
"""And so many on the way to it, where it needs what other states leave behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`effect` as it is pending in `run`, and the fields of its `prompt.logged`. None of it was
    asked of anybody."""

    run: RunState
    effect: AskModel
    prompt: Mapping[str, Any]

    def as_asked(self) -> AskModel:
        """The effect as its program asked for it: with its prompt, where that is layered."""
        return replace(self.effect, prompt=self.prompt) if "blocks" in self.prompt else self.effect


def question_at(
    program: Program, graph: Graph, state: str, *, inputs: Mapping[str, str], at: float
) -> Question | None:
    """The first question to a model in this state: of a run that begins there, else of one that
    comes there. Whatever is before it (a command, a tool, a person, other models) is made up.
    None where the state asks no model, or is not come to. Nothing runs."""
    walk = _Walk(Explorer(graph), state, inputs, at)
    begun_here = walk.through(program_from(program, state), MAX_STEPS_IN_STATE, leave=False)
    return begun_here or walk.through(program, MAX_STEPS_TO_STATE, leave=True)


@dataclass(frozen=True)
class _Walk:
    scout: Explorer
    state: str
    inputs: Mapping[str, str]
    at: float

    def through(self, program: Program, steps: int, *, leave: bool) -> Question | None:
        """`leave`: the walk may go to other states."""
        run = RunState()
        events, _ = transition(program, run, Start(at=self.at, inputs=self.inputs))
        for _ in range(steps):
            run = fold_all(events, run)
            pending = pending_effects(run)
            found = next((effect for effect in pending if self._is_it(effect)), None)
            if isinstance(found, AskModel):
                return Question(run=run, effect=found, prompt=_logged(events, found.key))
            if not pending or not (leave or self._is_there(run)):
                return None
            events, _ = transition(program, run, self._answer(pending[0], run))
        return None

    def _is_it(self, effect: Effect) -> bool:
        return isinstance(effect, AskModel) and effect.state == self.state

    def _is_there(self, run: RunState) -> bool:
        return any(place.state == self.state for place in run.positions)

    def _answer(self, effect: Effect, run: RunState) -> Signal:
        rng = Rng(1, effect.key)
        choice = self.scout.best(choices_of(effect), taken=run.taken, visits=run.visits, rng=rng)
        return answer_for(effect, choice, seed=1, at=self.at, good=True)


def _logged(events: Iterable[Event], key: str) -> Mapping[str, Any]:
    mine = (one for one in events if one.type == "prompt.logged" and one.fields.get("key") == key)
    return next((one.fields for one in mine), {})
