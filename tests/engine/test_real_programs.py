"""The guarantees of the engine, with the programs of all dialects."""

import json

import pytest

from tests.support.checks import each_row, each_seed, seed_ranges
from workflows.core.dialects import dialects
from workflows.core.engine.effects import AskModel
from workflows.core.engine.events import EVENT_TYPES, Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.program import Budget, CannotRun
from workflows.core.engine.rehearsal.answer_gaps import gap
from workflows.core.engine.rehearsal.answers import answer_for, choose
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.rehearsal.schema_fit import fits
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Control, Fire, Reply, Start, ToolCall
from workflows.core.engine.transition import NOTHING, transition


def packs():
    """Every sample with its first profile, and the first of each dialect with the others too; with
    `make test-all` every sample with every profile."""
    for name, dialect in dialects().items():
        for number, (sample, files) in enumerate(dialect.samples().items()):
            for profile in dialect.profiles:
                marks = [pytest.mark.slow] if number and profile != dialect.profiles[0] else []
                name_of = f"{name}-{sample}-{profile}"
                yield pytest.param(dialect, files, profile, id=name_of, marks=marks)


def opened(dialect, files, profile):
    """Program, graph and generated inputs; (None, None, the reason) for a pack that cannot run."""
    source = dialect.read(files)
    try:
        program = dialect.program(source, profile)
    except CannotRun as cannot:
        return None, None, cannot.message
    inputs = {name: f"a {name}" for name in program.required_inputs}
    return program, dialect.graph(source, profile), inputs


def signal(run, graph, rng, at):
    """Usually an answer; sometimes a pause, a step, or an invalid answer."""
    kind = rng.below(10)
    effects = pending_effects(run)
    if run.status == "paused" and (kind < 5 or not effects):
        return Control(at=at, what=rng.pick(["resume", "step"]))
    if not effects:
        return Control(at=at, what="cancel")
    if kind == 0:
        return Control(at=at, what="pause")
    effect = rng.pick(effects)
    if kind == 1:
        name = rng.pick(["nothing", *(tool.name for tool in getattr(effect, "tools", ()))])
        call = ToolCall(name=name, arguments=rng.pick([{}, {"event": "x"}, {"name": 1}]))
        return Reply(
            at=at,
            key=effect.key,
            text=rng.pick(["", "???", "{}", '{"score": 1}']),
            structured=rng.pick([None, {}, [], "x", {"next_action": 7}]),
            tool_calls=rng.pick([(), (call,), (call, call)]),
            error=rng.pick(["", "", "It rained."]),
        )
    if kind == 3:
        events = [arrow.event or arrow.label for arrow in graph.transitions]
        return Fire(at=at, event=rng.pick(["", *events]))
    choice = choose(effect, run, graph, rng)
    return answer_for(effect, choice, seed=rng.next(), at=at, good=kind % 2 == 0)


@each_row([param.values for param in packs() if not param.marks])
def test_a_rehearsal_answers_only_what_the_schema_and_the_tools_allow(dialect, files, profile):
    program, graph, inputs = opened(dialect, files, profile)
    if program is None:
        return
    for seed in range(3):
        run, coming = RunState(), Start(at=1.0, inputs=inputs)
        for number in range(60):
            events, _ = transition(program, run, coming)
            run = fold_all(events, run)
            effect = next(iter(pending_effects(run)), None)
            if effect is None:
                break
            choice = choose(effect, run, graph, Rng(seed, number))
            coming = answer_for(effect, choice, seed=seed, at=2.0 + number, good=True)
            if isinstance(effect, AskModel):
                _is_possible(effect, coming)


def _is_possible(effect, reply):
    if effect.schema is not None and not reply.tool_calls:
        assert gap(effect.schema, reply.structured) is None
        assert fits(reply.structured, effect.schema, effect.schema)
    offered = {tool.name: tool.parameters for tool in effect.tools}
    for call in reply.tool_calls:
        assert gap(offered[call.name], dict(call.arguments)) is None
        assert fits(dict(call.arguments), offered[call.name], offered[call.name])


@pytest.mark.parametrize("seeds", seed_ranges(2, 6))
@pytest.mark.parametrize(("dialect", "files", "profile"), list(packs()))
def test_folding_the_log_of_a_real_program_gives_its_run(dialect, files, profile, seeds):
    program, graph, inputs = opened(dialect, files, profile)
    if program is None:
        assert inputs.endswith(".")
        return

    def check(seed):
        rng, run, log = Rng(seed), RunState(), []
        coming = Start(at=1.0, inputs=inputs)
        for number in range(80):
            before = set(run.pending)
            events, effects = transition(program, run, coming)
            stored = [Event.from_json(json.loads(json.dumps(e.to_json()))) for e in events]
            assert stored == list(events)
            log += stored
            assert fold_all(log) == fold_all(events, run)
            run = fold_all(log)
            assert {effect.key for effect in effects} == set(run.pending) - before
            if events and not isinstance(coming, Control | Fire):
                assert transition(program, run, coming) == NOTHING
            if run.finished:
                break
            coming = signal(run, graph, rng, 2.0 + number)
        assert [event.n for event in log] == list(range(1, len(log) + 1))
        assert {
            e.type for e in log if "." not in e.type or e.type.split(".")[0] != dialect.name
        } <= set(EVENT_TYPES)

    each_seed(seeds, check)


@pytest.mark.parametrize(("dialect", "files", "profile"), list(packs()))
def test_a_small_budget_stops_every_program(dialect, files, profile):
    program, graph, inputs = opened(dialect, files, profile)
    if program is None:
        assert inputs.endswith(".")
        return
    budget, run = Budget(total_visits=3, model_calls=4), RunState()
    coming = Start(at=1.0, inputs=inputs)
    for number in range(200):
        run = fold_all(transition(program, run, coming, budget=budget)[0], run)
        if run.finished:
            break
        effect = pending_effects(run)[0]
        choice = choose(effect, run, graph, Rng(number))
        coming = answer_for(effect, choice, seed=number, at=2.0, good=True)
    assert run.finished
    assert sum(run.visits.values()) <= 3
    assert run.model_calls <= 4


@pytest.mark.parametrize(
    ("dialect", "files", "profile"),
    [pack for pack in packs() if pack.values[2] == pack.values[0].profiles[0]],
)
def test_a_rehearsal_takes_every_transition_of_a_sample(dialect, files, profile):
    program, graph, _ = opened(dialect, files, profile)
    seen = rehearse(program, graph, runs=10)
    if dialect.name == "workflow_scripts":
        # The conditions of its transitions are code, so only its states can be looked for.
        assert [state.id for state in graph.states if not seen.states.get(state.id)] == []
    else:
        assert seen.unreached == ()
    assert seen.outcomes.get("completed", 0) > 0
