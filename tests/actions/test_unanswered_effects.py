"""Effects that a worker gave up: a person answers in its place."""

from __future__ import annotations

import pytest

from tests.support.state_machine import Machine
from workflows.actions.run_signals import as_answer
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold, fold_all
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Approve, Reply, Start, ToolDone
from workflows.core.engine.transition import transition
from workflows.errors import SignalRefused

TABLE = {
    "model": {"model": {"on": "end"}},
    "tool": {"tool": "end"},
    "end": {"end": "completed"},
}


@pytest.mark.parametrize(("entry", "answer"), [("model", Reply), ("tool", ToolDone)])
def test_a_person_answers_an_effect_only_after_a_worker_gave_it_up(
    entry: str, answer: type[Reply | ToolDone]
) -> None:
    events, (effect,) = transition(
        Machine(table=TABLE, entries=(entry,)), RunState(), Start(at=1.0)
    )
    run = fold_all(events)
    signal = Approve(at=2.0, key=effect.key, text="Done.")
    with pytest.raises(SignalRefused, match="its result comes from a worker"):
        as_answer(run, signal, driver="model")
    gave_up = {"reason": "No answer.", "unanswered": effect.key}
    paused = fold(run, Event(n=run.n + 1, at=2.0, type="run.paused", fields=gave_up))
    assert isinstance(as_answer(paused, signal, driver="model"), answer)
