"""Checks of questions that are never sent: once for equal questions of a state.

Rehearsals and scripts check each question by the rules of all providers. Most visits of a state ask
the same, and the check takes as long as the rest of a step. `bench.steps` measures it.
"""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter

from workflows.core.conversation.check import Refusals, RequestRefused, refusals
from workflows.core.engine.effects import AskModel

MOST_STATES = 64
_question = attrgetter(
    *(item.name for item in fields(AskModel) if item.name not in ("key", "position"))
)


class CheckedQuestions:
    """The newest question of each state, and why it would be refused."""

    def __init__(self, most: int = MOST_STATES) -> None:
        self._most = most
        self._newest: dict[str, tuple[AskModel, Refusals]] = {}

    def refusals(self, effect: AskModel) -> Refusals:
        """As `check.refusals`."""
        newest = self._newest.get(effect.state)
        if newest is not None and _question(effect) == _question(newest[0]):
            return newest[1]
        reasons = refusals(effect)
        if len(self._newest) >= self._most:
            self._newest.clear()
        self._newest[effect.state] = effect, reasons
        return reasons

    def check(self, effect: AskModel) -> tuple[str, ...]:
        """As `check.check_question` for all providers: returns the warnings. Raises
        RequestRefused."""
        reasons = self.refusals(effect)
        if reasons.by_all:
            raise RequestRefused(reasons.by_all, code="request_refused")
        return reasons.by_some


SIMULATED = CheckedQuestions()
"""The questions of all runs whose driver computes its answers."""
