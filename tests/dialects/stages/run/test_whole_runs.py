"""Whole pipelines: a rehearsal reaches every transition, both forms of a fork run alike, and the
log replays to the same run for any order of signals."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dialects.stages.run.scripted_run import ScriptedRun, at_once, is_, pack, then
from tests.support.corpus import CORPUS
from workflows.core.dialects import dialects
from workflows.core.dialects.stages.source import read
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.program import CannotRun
from workflows.core.engine.rehearsal.answers import answer_for
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Control, Fire, Reply, Start, ToolCall
from workflows.core.engine.transition import NOTHING, transition
from workflows.core.pack.files import Files
from workflows.core.rules.check import check

DIALECT = dialects()["stages"]
OWN = CORPUS / "stages" / "own" / "feature-delivery"

SCHEMA = {
    "type": "object",
    "required": ["kind", "score", "tags", "done"],
    "properties": {
        "kind": {"enum": ["bug", "feature", "question"]},
        "score": {"type": "integer", "minimum": 0, "maximum": 10},
        "tags": {"type": "array", "items": {"type": "object", "required": ["name"]}},
        "done": {"type": "boolean"},
        "note": {"type": "string"},
        "extra": {"type": "object"},
    },
}
PARSED = "result.parsed."


def case(when, *stages):
    return {"when": when, "then": then(*stages)}


def walked(stages, heads=None, runs=30, profile="documented", **whole):
    source = read(pack(stages, heads, **whole))
    program, graph = DIALECT.program(source, profile), DIALECT.graph(source, profile)
    return rehearse(program, graph, runs=runs)


def reached(stages, heads=None, **whole):
    seen = walked(stages, heads, **whole)
    assert seen.unreached == (), seen.notes
    assert seen.coverage == 1.0
    return seen


ENDS = {name: {} for name in ("b", "c", "d", "e")}

CONDITIONS = {
    "equals": is_(f"{PARSED}kind", "question"),
    "notEquals": is_(f"{PARSED}kind", "bug", "notEquals"),
    "gt": is_(f"{PARSED}score", 9, "gt"),
    "lte": is_(f"{PARSED}score", 0, "lte"),
    "in": is_(f"{PARSED}kind", ["feature", "bug"], "in"),
    "exists": {"path": f"{PARSED}note", "op": "exists"},
    "is missing": {"path": f"{PARSED}note", "op": "exists", "value": False},
    "all": {"all": [is_(f"{PARSED}kind", "bug"), is_(f"{PARSED}score", 7, "gte")]},
    "any": {"any": [is_(f"{PARSED}score", 99), is_(f"{PARSED}done", True)]},
    "not": {"not": {"any": [is_(f"{PARSED}done", False), is_(f"{PARSED}score", 5, "lt")]}},
    "between": {"all": [is_(f"{PARSED}score", 3, "gt"), is_(f"{PARSED}score", 5, "lt")]},
    "in a list": is_(f"{PARSED}tags[1].name", "urgent"),
    "in an open part": is_(f"{PARSED}extra.deep", 7),
    "of the slot": is_("slot.kept", True),
    "of the output": is_("result.output.kept", True),
}


@pytest.mark.parametrize("when", CONDITIONS.values(), ids=CONDITIONS)
def test_a_rehearsal_takes_a_case_and_its_alternative(when):
    kept = {"slot": {"kept": f"{PARSED}done"}, "output": {"kept": f"{PARSED}done"}}
    stages = {"a": {"exit": kept, "next": {"cases": [case(when, "b")], "else": then("c")}}}
    seen = reached({**stages, "b": {}, "c": {}}, {"a": {"completionSchema": SCHEMA}})
    assert seen.outcomes == {"completed": seen.runs}


def test_cases_are_distinguished_by_earlier_cases():
    cases = [
        case(is_(f"{PARSED}score", 5, "gte"), "b"),
        case(is_(f"{PARSED}done", True), "c"),
        case(is_(f"{PARSED}kind", "bug"), "d"),
    ]
    stages = {"a": {"next": {"cases": cases, "else": then("e")}}, **ENDS}
    reached(stages, {"a": {"completionSchema": SCHEMA}})


def test_assertions_are_passed_and_failed_on_purpose():
    rules = [
        {"unless": is_(f"{PARSED}done", True), "verdict": "retry", "reason": "not done"},
        {"unless": is_(f"{PARSED}score", 3, "gt"), "verdict": "skip"},
        {"unless": is_(f"{PARSED}kind", "question", "notEquals"), "verdict": "fail"},
    ]
    cases = [
        case({"all": [is_("result.verdict", "fail"), is_("result.attemptCount", 3)]}, "b"),
        case(is_("result.verdict", "fail"), "c"),
        case(is_("result.verdict", "skip"), "d"),
    ]
    stages = {"a": {"assert": rules, "next": {"cases": cases, "else": then("e")}}, **ENDS}
    policy = {"retryPolicy": {"maxAttempts": 3, "backoff": "linear"}}
    reached(stages, {"a": {"completionSchema": SCHEMA, **policy}})


def test_payloads_of_earlier_stages_differ_between_rehearsals():
    cases = [
        case(is_("slot.kind", kind), stage) for kind, stage in (("bug", "c"), ("feature", "d"))
    ]
    stages = {
        "a": {"exit": {"slot": {"kind": f"{PARSED}kind"}}, "next": then("b")},
        **ENDS,
        "b": {"next": {"cases": cases, "else": then("e")}},
    }
    reached(stages, {"a": {"completionSchema": SCHEMA}})


def test_a_stage_that_fails_at_its_cap_alone_is_talked_to_until_it_does():
    route = {"cases": [case(is_("result.capHit", True), "b")], "else": then("c")}
    heads = {"a": {"turnCap": 5, "retryPolicy": {"maxAttempts": 3}}}
    seen = reached({"a": {"next": route}, "b": {}, "c": {}}, heads)
    assert seen.transitions[f"a|{next(iter(seen.transitions)).split('|')[1]}|b"] >= 1


def test_a_failing_branch_is_walked_too():
    rule = [{"unless": is_(f"{PARSED}done", True), "verdict": "fail"}]
    stages = {
        "a": {"next": at_once("b", "c", join="d"), "onParallelFailure": then("e")},
        **ENDS,
        "c": {"assert": rule},
    }
    seen = reached(stages, {"c": {"completionSchema": SCHEMA}})
    assert seen.shortest["a|on failure|e"][-1] == "a|on failure|e"


def test_forks_within_forks_and_several_successors_are_walked():
    stages = {
        "a": {"next": at_once("b", "c", join="f")},
        "b": {"next": at_once("d", "e", join="g")},
        "c": {"next": then("h", "i")},
        **{name: {} for name in "defghi"},
    }
    seen = reached(stages)
    assert seen.outcomes == {"completed": seen.runs}


def test_gates_are_released_and_not():
    gate = {"gate": {"when": is_("run.input.x", 1), "else": "block"}}
    route = {"cases": [case(is_("result.verdict", "fail"), "b")], "else": then("c")}
    reached({"a": {**gate, "next": route}, "b": {}, "c": {}})


def test_simulated_inputs_fit_their_schema():
    inputs = {
        "type": "object",
        "required": ["count", "task"],
        "properties": {"count": {"type": "integer", "minimum": 3}, "task": {"type": "string"}},
    }
    setup = {"count": {"from": "run.input.count"}, "other": {"from": "run.input.other"}}
    seen = walked({"a": {"setup": setup}}, {"a": {"body": "{{ctx.other}}"}}, runInputSchema=inputs)
    assert seen.outcomes == {"completed": seen.runs}


# -- the corpus and the samples ---------------------------------------------------------------


def feature_delivery(form):
    files = {str(p.relative_to(OWN)): p.read_bytes() for p in OWN.rglob("*") if p.is_file()}
    spec_form = files.pop("pipeline.spec-form.json")
    if form == "spec":
        files["pipeline.json"] = spec_form
    return read(Files(files))


def log_of(source, profile, seed):
    """A whole rehearsed run, as JSON."""
    program, run, log = DIALECT.program(source, profile), RunState(), []
    events, _ = transition(program, run, Start(at=1.0, inputs={"task": "Bees"}, run="r"))
    for number in range(200):
        run, log = fold_all(events, run), [*log, *events]
        if run.finished:
            break
        waiting = pending_effects(run)
        effect = waiting[(seed + number) % len(waiting)]
        choice = effect.choices[(seed + number) % len(effect.choices)]
        signal = answer_for(effect, choice, seed=seed, at=2.0 + number, good=True)
        events, _ = transition(program, run, signal)
    return json.dumps([event.to_json() for event in log])


def test_a_join_that_the_fix_lists_runs_as_if_it_were_written():
    plain, spec = feature_delivery("plain"), feature_delivery("spec")
    with pytest.raises(CannotRun, match="does not list its join"):
        DIALECT.program(plain, "documented")
    (found,) = [one for one in check(DIALECT, plain, "documented") if one.level == "error"]
    fixed = read(DIALECT.apply(plain, *found.fix.edits).files)
    for seed in range(4):
        assert log_of(fixed, "documented", seed) == log_of(spec, "documented", seed)
        assert log_of(spec, "strict", seed) == log_of(spec, "documented", seed)


# -- random signals ---------------------------------------------------------------------------

BUSY = {
    "root": {"next": at_once("left", "right", join="join"), "onParallelFailure": then("root")},
    "left": {
        "assert": [{"unless": is_(f"{PARSED}done", True), "verdict": "retry", "reason": "no"}],
        "exit": {"slot": {"x": f"{PARSED}score"}},
        "next": at_once("deep", "deeper", join="inner"),
    },
    "deep": {"gate": {"when": is_("slot.x", 4, "gt"), "else": "defer"}},
    "deeper": {"assert": [{"unless": is_(f"{PARSED}done", True), "verdict": "fail"}]},
    "inner": {},
    "right": {"next": then("one", "two")},
    "one": {"gate": {"when": is_("run.input.x", 1), "else": "block"}},
    "two": {},
    "join": {"next": {"cases": [case(is_(f"{PARSED}done", True), "root")]}},
}
BUSY_HEAD = {
    "completionSchema": SCHEMA,
    "allowedTools": ["read"],
    "retryPolicy": {"maxAttempts": 2, "backoff": "exponential"},
}
KINDS = ["answer"] * 5 + ["tool", "several", "prose", "nonsense", "error", "control", "fire", "old"]


def drawn_signal(kind, number, run, log, at):
    effects = pending_effects(run)
    if kind == "control" or not effects:
        return Control(at=at, what=["pause", "resume", "step", "resume"][number % 4])
    if kind == "fire":
        return Fire(at=at, event="release")
    effect = effects[number % len(effects)]
    if kind == "old":
        asked = [event.fields["key"] for event in log if "key" in event.fields]
        return Reply(at=at, key=asked[number % len(asked)] if asked else "0:1", structured={})
    made = {
        "tool": (ToolCall(name=["read", "bash", "fly"][number % 3]),),
        "several": (ToolCall(name="read", id="x"), ToolCall(name="submit", id="x")),
        "nonsense": (ToolCall(name="submit", arguments={"done": number}),),
    }
    if kind in made:
        return Reply(at=at, key=effect.key, tool_calls=made[kind])
    if kind == "prose":
        return Reply(at=at, key=effect.key, text="Hm.")
    if kind == "error":
        return Reply(at=at, key=effect.key, error="It rained.")
    choices = getattr(effect, "choices", ())
    choice = choices[number % len(choices)] if choices else None
    return answer_for(effect, choice, seed=number, at=at, good=number % 3 > 0)


@settings(max_examples=20)
@given(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 20)), max_size=45))
def test_the_log_of_a_busy_pipeline_is_its_run(drawn):
    program = ScriptedRun(BUSY, dict.fromkeys(BUSY, BUSY_HEAD), grants=[{"tool": "bash"}]).program
    run, log = RunState(), []
    coming = Start(at=1.0)
    for number, (kind, which) in enumerate(drawn, start=2):
        before = set(run.pending)
        events, effects = transition(program, run, coming)
        log += [Event.from_json(json.loads(json.dumps(event.to_json()))) for event in events]
        assert fold_all(log) == fold_all(events, run)
        run = fold_all(log)
        assert {effect.key for effect in effects} == set(run.pending) - before
        if events and not isinstance(coming, (Control, Fire)):
            assert transition(program, run, coming) == NOTHING
        assert {effect["position"] for effect in run.pending.values()} <= {
            position.id for position in run.positions
        }
        coming = drawn_signal(kind, which, run, log, float(number))
    assert [event.n for event in log] == list(range(1, len(log) + 1))
    opened = [e.fields for e in log if e.type == "stages.phase"]
    balance = {}
    for fields in opened:
        key = (fields["stageExecutionId"], fields["phase"])
        balance[key] = balance.get(key, 0) + (1 if fields["edge"] == "pre" else -1)
    if run.finished and run.status != "budget_exhausted":
        assert set(balance.values()) == {0}
