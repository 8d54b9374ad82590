"""The fast paths of the engine agree with the plain ones: on runs of every sample and on
generated answers.

- `fold_into` changes a private copy; `fold` returns a new run (`test_recorded_logs.py`).
- `advance` returns the run of its step; folding the events gives the same run.
- `effect_to_json` keeps the JSON of shared parts; `to_json_value` converts the whole effect.
- `make_encoder` keeps its compiled encoder; `json.dumps` makes one for each value.
- A pending effect keeps its parsed form; a stored one is read from text.
- The walks of a rehearsal share steps; without `SharedSteps` each walk computes its own.
"""

import json

import pytest

from tests.engine.test_real_programs import opened, packs
from workflows.core.conversation.check import refusals
from workflows.core.engine.effects import effect_from_json, effect_to_json
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.identity_cache import IdentityCache
from workflows.core.engine.json_values import to_json_value
from workflows.core.engine.rehearsal import rehearse as rehearse_module
from workflows.core.engine.rehearsal import shared_steps
from workflows.core.engine.rehearsal.answers import answer_for, choose
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Start
from workflows.core.engine.transition import advance, transition
from workflows.core.text.json.encoder import make_encoder

encode = make_encoder()


def plain_json(effect):
    values = to_json_value(effect)
    for name in ("judge", "developer"):
        if values.get(name) in (False, ""):
            del values[name]
    for turn in values.get("messages", ()):
        if not turn["failed"]:
            del turn["failed"]
    return {"effect": type(effect).__name__, **values}


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
            assert json.dumps(to_json_value(event.to_json())) == stored == encode(event.to_json())
            assert Event.from_json(json.loads(stored)) == event
        for effect in effects:
            assert json.dumps(effect_to_json(effect)) == json.dumps(plain_json(effect))
            assert effect_from_json(json.loads(json.dumps(effect_to_json(effect)))) == effect
        pending = pending_effects(after)
        if after.finished or not pending or not events:
            break
        choice = choose(pending[0], after, graph, rng)
        signal = answer_for(pending[0], choice, seed=number, at=number + 2.0, good=True)
        run = after


@pytest.mark.parametrize(("dialect", "files", "profile"), list(packs()))
def test_walks_that_share_steps_agree_with_those_that_do_not(dialect, files, profile, monkeypatch):
    program, graph, inputs = opened(dialect, files, profile)
    if program is None:
        return
    kept = [rehearse(program, graph, runs=9, seed=3, inputs=inputs, keep=8)]
    for limit in (0, 30_000):
        monkeypatch.setattr(shared_steps, "MAX_SHARED", limit)
        kept.append(rehearse(program, graph, runs=9, seed=3, inputs=inputs, keep=8))
    texts = {encode([one.to_json(), [event.to_json() for event in one.log]]) for one in kept}
    assert len(texts) == 1


def test_a_walk_that_an_earlier_one_made_is_not_computed_again(monkeypatch):
    computed = []

    def count(*arguments):
        computed.append(arguments)
        return advance(*arguments)

    monkeypatch.setattr(rehearse_module, "advance", count)
    param = next(one for one in packs() if "promptpack" in one.id)
    program, graph, inputs = opened(*param.values)
    few = len(rehearse(program, graph, runs=20, inputs=inputs).walks), len(computed)
    computed.clear()
    many = len(rehearse(program, graph, runs=40, inputs=inputs).walks), len(computed)
    assert (few[0], many[0]) == (20, 40)
    assert 0 < few[1] == many[1]


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


def test_the_cache_knows_objects_not_equal_values():
    cache = IdentityCache(2)
    one, equal = ["a"], ["a"]
    cache.put("first", one)
    assert (cache.get(one), cache.get(equal)) == ("first", None)
    cache.put("second", equal)
    cache.put("third", 3)
    assert (cache.get(one), cache.get(3)) == (None, "third")
