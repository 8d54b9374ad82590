"""The three samples `review-loop` mean the same, and so does every conversion between them."""

from __future__ import annotations

from tests.core.convert.packs import NAMES, PAIRS, KnownPack, converted, to_neutral
from tests.support.checks import each_row
from workflows.core.convert.facts import facts
from workflows.core.dialects import dialects
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.rehearsal.answers import answer_for, choices_of
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Start
from workflows.core.engine.transition import transition
from workflows.core.rules.check import check

REASONS = {
    ("promptpack", "stages"): {
        ("pack", "visits"): "A pipeline limits the visits of single stages, not of the whole run.",
    },
    ("promptpack", "steps_registry"): {
        ("state:draft", "max visits"): (
            "A registry bounds the whole run, not the visits of one step."
        ),
    },
    ("stages", "promptpack"): {},
    ("stages", "steps_registry"): {
        ("state:draft", "max visits"): "A registry bounds the whole run: 7 iterations.",
        ("state:draft", "turns"): "A step of a registry has no cap on its rounds.",
        ("state:review", "turns"): "A step of a registry has no cap on its rounds.",
        ("state:done", "turns"): "A step of a registry has no cap on its rounds.",
    },
    ("steps_registry", "promptpack"): {},
    ("steps_registry", "stages"): {
        ("pack", "visits"): "A pipeline limits each stage of a cycle, not the whole run.",
    },
}
"""The facts that a conversion of the sample may lose: the target's format has no place for them."""

ROUNDS = (
    ("draft", "review", "done"),
    ("draft", "review", "draft", "review", "done"),
    ("draft", "review", "draft", "review", "draft", "review", "done"),
)


def sample(dialect):
    files = dialects()[dialect].samples()["review-loop"]
    return KnownPack(name=f"{dialect}/review-loop", dialect=dialect, files=files)


def walks(known):
    """Every run there is, as (status, states entered): each answer that a model can give is."""
    dialect = dialects()[known.dialect]
    program = dialect.program(known.source(), dialect.profiles[0])
    inputs = dict.fromkeys(program.required_inputs, "A note to the neighbours.")
    events, _ = transition(
        program, RunState(), Start(at=1.0, inputs=inputs or {"brief": "A note."})
    )
    yield from _onward(program, fold_all(events, RunState()), _entered(events), 1)


def _onward(program, run, path, depth):
    waiting = pending_effects(run)
    assert depth < 40, path
    if run.finished or not waiting:
        yield run.status, path
        return
    for choice in choices_of(waiting[0]) or (None,):
        signal = answer_for(waiting[0], choice, seed=(1,), at=float(depth + 1), good=True)
        events, _ = transition(program, run, signal)
        yield from _onward(program, fold_all(events, run), path + _entered(events), depth + 1)


def _entered(events):
    return tuple(event.fields["state"] for event in events if event.type == "state.entered")


def completed(known):
    return sorted({path for status, path in walks(known) if status == "completed"})


def used_up(known):
    return sorted({path for status, path in walks(known) if status == "budget_exhausted"})


@each_row(NAMES)
def test_every_sample_goes_the_same_ways_to_its_end(dialect):
    assert completed(sample(dialect)) == sorted(ROUNDS)


def test_where_a_state_has_its_own_cap_the_last_way_is_the_same_too():
    (last,) = used_up(sample("promptpack"))
    assert last == ("draft", "review") * 3
    assert used_up(sample("stages")) == [last]


@each_row(PAIRS)
def test_a_conversion_goes_the_same_ways_to_its_end(source, target):
    made = converted(sample(source), target)
    again = KnownPack(name="made", dialect=target, files=made.files)
    assert completed(again) == sorted(ROUNDS)


@each_row(PAIRS)
def test_a_conversion_loses_only_unsupported_features(source, target):
    report = converted(sample(source), target).report
    lost = {
        (told.element, told.feature): told.why
        for told in report
        if told.fate in ("approximated", "dropped")
    }
    assert lost == REASONS[source, target]


@each_row(PAIRS)
def test_a_converted_sample_has_no_error_and_no_warning(source, target):
    dialect = dialects()[target]
    made = dialect.read(converted(sample(source), target).files)
    bad = [f for f in check(dialect, made, dialect.profiles[0]) if f.level != "hint"]
    assert bad == []


def test_the_samples_have_the_same_facts_except_bounds():
    bounds = {"visits", "max visits", "turns"}
    said = [
        {key: value for key, value in facts(to_neutral(sample(name)).machine).items()
         if key[1] not in bounds}
        for name in NAMES
    ]  # fmt: skip
    assert said[0] == said[1] == said[2]
