"""The question that a state asks a model, found by a short rehearsal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.engine.effects import AskModel, Effect
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.program import CannotRun, Program
from workflows.core.engine.rehearsal.answers import answer_for, choices_of
from workflows.core.engine.rehearsal.entries import program_from
from workflows.core.engine.rehearsal.explorer import Explorer
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Signal, Start
from workflows.core.engine.transition import transition
from workflows.core.pack.graph import Graph

MAX_STEPS_IN_STATE = 20
"""Maximum number of simulated answers in the state itself."""
MAX_STEPS_TO_STATE = 200
"""Maximum number of simulated answers on the way to a state that depends on other states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that was not sent to any model: `effect` as it is pending in `run`, and the fields
    of its `prompt.logged`."""

    run: RunState
    effect: AskModel
    prompt: Mapping[str, Any]

    def as_asked(self) -> AskModel:
        """The effect as the program returned it: with its prompt if that is layered."""
        return replace(self.effect, prompt=self.prompt) if "blocks" in self.prompt else self.effect


def question_at(
    program: Program,
    graph: Graph,
    state: str,
    begin: Start,
    is_over: Callable[[], bool] = lambda: False,
) -> Question | None:
    """The first question to a model in this state: of a run that starts there with `begin`, or else
    of a run that reaches it. Earlier effects (commands, tools, people, other models) get simulated
    answers. None if the state asks no model or is not reached. Nothing is executed.

    Raises CannotRun as soon as `is_over` is true."""
    walk = _Walk(Explorer(graph), state, begin, is_over)
    question = walk.find(program_from(program, state), MAX_STEPS_IN_STATE, leave=False)
    return question or walk.find(program, MAX_STEPS_TO_STATE, leave=True)


@dataclass(frozen=True)
class _Walk:
    explorer: Explorer
    state: str
    begin: Start
    is_over: Callable[[], bool]

    def find(self, program: Program, steps: int, *, leave: bool) -> Question | None:
        """`leave`: the walk may visit other states."""
        run = RunState()
        events, _ = transition(program, run, self.begin)
        for _ in range(steps):
            if self.is_over():
                raise CannotRun("The simulated run takes too long, so no prompt can be shown.")
            run = fold_all(events, run)
            pending = pending_effects(run)
            question = next((effect for effect in pending if self._is_wanted(effect)), None)
            if isinstance(question, AskModel):
                prompt = _logged_prompt(events, question.key)
                return Question(run=run, effect=question, prompt=prompt)
            if not pending or not (leave or self._has_reached(run)):
                return None
            events, _ = transition(program, run, self._answer(pending[0], run))
        return None

    def _is_wanted(self, effect: Effect) -> bool:
        return isinstance(effect, AskModel) and effect.state == self.state

    def _has_reached(self, run: RunState) -> bool:
        return any(place.state == self.state for place in run.positions)

    def _answer(self, effect: Effect, run: RunState) -> Signal:
        rng = Rng(1, effect.key)
        choice = self.explorer.best(choices_of(effect), taken=run.taken, visits=run.visits, rng=rng)
        return answer_for(effect, choice, seed=1, at=self.begin.at, good=True)


def _logged_prompt(events: Iterable[Event], key: str) -> Mapping[str, Any]:
    prompts = (event.fields for event in events if event.type == "prompt.logged")
    return next((fields for fields in prompts if fields.get("key") == key), {})
