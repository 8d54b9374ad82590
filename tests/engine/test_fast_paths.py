"""`advance` returns the run of its step; folding the events gives the same run: for runs of every
sample and for generated answers."""

import json

import pytest

from tests.engine.test_real_programs import opened, packs
from workflows.core.conversation.check import refusals
from workflows.core.engine.effects import effect_from_json, effect_to_json
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.json_values import to_json_value
from workflows.core.engine.rehearsal.answers import answer_for, choose
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Start
from workflows.core.engine.transition import advance, transition


@pytest.mark.parametrize(("dialect", "files", "profile"), list(packs()))
def test_steps_and_effects_agree_with_the_plain_paths(dialect, files, profile):
    program, graph, inputs = opened(dialect, files, profile)
    if program is None:
        assert inputs.endswith(".")
        return
    run, rng = RunState(), Rng(3)
    signal = Start(at=1.0, inputs=inputs)
    for number in range(60):
        before = dict(vars(run))
        events, after = advance(program, run, signal)
        again, effects = transition(program, run, signal)
        assert events == again
        assert vars(run) == before
        assert after == fold_all(events, run)
        for event in events:
            stored = json.dumps(event.to_json())
            assert json.dumps(to_json_value(event.to_json())) == stored
            assert Event.from_json(json.loads(stored)) == event
        for effect in effects:
            assert effect_from_json(json.loads(json.dumps(effect_to_json(effect)))) == effect
        pending = pending_effects(after)
        if after.finished or not pending or not events:
            break
        choice = choose(pending[0], after, graph, rng)
        signal = answer_for(pending[0], choice, seed=number, at=number + 2.0, good=True)
        run = after


def test_a_rehearsal_checks_every_different_question_of_a_state(monkeypatch):
    from workflows.core.conversation import checked_questions as module

    checked = []

    def check(effect):
        checked.append(effect)
        return refusals(effect)

    monkeypatch.setattr(module, "refusals", check)
    for param in list(packs())[:8]:
        program, graph, inputs = opened(*param.values)
        if program is not None:
            rehearse(program, graph, runs=6, inputs=inputs)
    assert len(checked) > 6
    assert {type(effect).__name__ for effect in checked} == {"AskModel"}
