"""Checks of questions that are never sent: once for equal questions of a state.

Rehearsals and scripts check each question by the rules that all providers enforce. Most visits of a
state ask the same, and the check takes as long as the rest of a step. `bench.engine` and
`bench.steps` measure it.
"""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter

from workflows.core.conversation.check import RequestRefused, check_question
from workflows.core.engine.effects import AskModel

MOST_STATES = 64
_question = attrgetter(
    *(item.name for item in fields(AskModel) if item.name not in ("key", "position"))
)


class CheckedQuestions:
    """The newest question of each state, and the reason for which it was refused."""

    def __init__(self, most: int = MOST_STATES) -> None:
        self._most = most
        self._newest: dict[str, tuple[AskModel, str]] = {}

    def refusal(self, effect: AskModel) -> str:
        """The reason for which every provider would refuse this question; "" if one accepts it."""
        newest = self._newest.get(effect.state)
        if newest is not None and _question(effect) == _question(newest[0]):
            return newest[1]
        refused = refusal_of(effect)
        if len(self._newest) >= self._most:
            self._newest.clear()
        self._newest[effect.state] = effect, refused
        return refused

    def check(self, effect: AskModel) -> None:
        """`check_question` for all providers. Raises RequestRefused."""
        if self.refusal(effect):
            check_question(effect)


def refusal_of(effect: AskModel) -> str:
    """`CheckedQuestions.refusal`, without what was checked before."""
    try:
        check_question(effect)
    except RequestRefused as refused:
        return refused.message
    return ""


SIMULATED = CheckedQuestions()
"""The questions of all runs whose driver computes its answers."""
