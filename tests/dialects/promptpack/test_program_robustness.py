"""Robustness of the program: with damaged packs and random signals it never raises, and the log
folds to the run."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.promptpack.packs import DIALECT, pack, source
from tests.dialects.promptpack.test_compositions import branch, composed, fan, step
from tests.support.checks import each_seed, seed_ranges
from tests.support.corpus import at_least
from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Effect
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.program import CannotRun, Program
from workflows.core.engine.rehearsal.answers import answer_for
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import (
    Approve,
    Control,
    Fire,
    Reply,
    Signal,
    Start,
    TimeUp,
    ToolCall,
    ToolDone,
)
from workflows.core.engine.transition import transition

INPUTS = {
    "input": '{"text": "hello", "n": 3}',
    "promptpack.yields": "yes",
    "promptpack.judges": "yes",
    "promptpack.model": "gpt-4o",
}
ODD = (None, True, 0, -1, 1.5, 10**30, "", "none", "${input.x}", "{{", "ü" * 50, [], {}, [{}], [1])
NAMES = ("workflow__transition", "workflow__set_artifact", "skill__activate", "find", "nobody")
WORDS = ("", "yes", '{"score": 1}', "{", "[1]", "42", "forbidden words.")

RICH = pack(
    {
        **composed(
            step("a", output_schema="s.json", modifiers={"eval": ["e1"]}),
            branch("r", "${a.output.kind}", "x", "f", **{"else": "z"}),
            fan(step("b"), step("c", "tool", tool="find", args={"q": "${input}"})) | {"id": "f"},
            step("z", "agent", tools=["find"], termination={"max_steps": 2}),
            events={"Ok": "done", "Again": "run"},
        ),
        "skills": [{"name": "s", "description": "d", "instructions": "i"}, "./elsewhere"],
        "evals": [
            {"id": "e1", "type": "contains", "trigger": "every_turn", "params": {"words": ["a"]}},
            {"id": "e2", "type": "llm_judge", "trigger": "every_turn", "params": {"criteria": "c"}},
            {"id": "e3", "type": "tools_called", "trigger": "on_session_complete",
             "params": {"tools": ["find"]}, "when": {"min_tool_calls": 1}},
        ],
    }
)  # fmt: skip
RICH["prompts"]["p"] |= {
    "tools": ["find"],
    "validators": [
        {"type": "banned_words", "params": {"words": ["forbidden"]}},
        {"type": "regex", "params": {"pattern": "(a+)+$", "direction": "both"}},
    ],
    "variables": [{"name": "v", "type": "string", "required": False, "default": "d"}],
}


def program_of(tree: Any, profile: str) -> Program | None:
    """The program of a pack, None if it cannot run."""
    found = source(tree if isinstance(tree, bytes) else json.dumps(tree).encode())
    try:
        return DIALECT.program(found, profile)
    except CannotRun as cannot:
        assert cannot.message
        return None


def any_signal(effect: Effect | None, rng: Rng, at: float) -> Signal:
    """A valid answer, an invalid one, or an unexpected signal."""
    key = effect.key if effect is not None and rng.below(10) else "nobody"
    text = rng.pick(WORDS)
    match rng.below(8), effect:
        case 0, _:
            return Control(at=at, what=rng.pick(("pause", "resume", "step")))
        case 1, _:
            return Fire(at=at, event=rng.pick(("Ok", "Again", "Submit", "")))
        case 2, _:
            return TimeUp(at=at, key=key)
        case ((3 | 4), AskModel() | AskHuman() | CallTool()):
            return answer_for(effect, _choice(effect, rng), seed=rng.next(), at=at, good=True)
        case _, AskModel():
            names = [tool.name for tool in effect.tools] + list(NAMES)
            calls = tuple(
                ToolCall(name=rng.pick(names), arguments=_arguments(effect, rng))
                for _ in range(rng.below(3))
            )
            error = "quota" if not rng.below(12) else ""
            structured = rng.pick((None, None, 3, {"kind": "x", "event": "Again"}))
            return Reply(
                at=at, key=key, text=text, tool_calls=calls, error=error, structured=structured
            )
        case _, CallTool():
            return ToolDone(at=at, key=key, result=text, error=rng.pick(("", "", "broken")))
    return Approve(at=at, key=key, text=text, event=rng.pick(("", "Ok", "Again", "f", "z")))


def _choice(effect: Effect, rng: Rng) -> Any:
    choices = getattr(effect, "choices", ())
    return rng.pick(choices) if choices else None


def _arguments(effect: AskModel, rng: Rng) -> dict[str, Any]:
    events = [choice.label for choice in effect.choices] or ["Nope"]
    return rng.pick(({}, {"event": rng.pick(events)}, {"name": "s"}, {"name": 1, "value": [1]}))


def played(program: Program, seed: int, most: int = 40) -> None:
    """Send random signals to a run. After each one, the log must fold to the run."""
    rng, run, log = Rng("robust", seed), RunState(), list[Event]()
    for number in range(most):
        effects = pending_effects(run)
        effect = rng.pick(effects) if effects else None
        at = float(number + 1)
        signal = any_signal(effect, rng, at) if number else Start(at=at, inputs=INPUTS)
        events, wanted = transition(program, run, signal)
        run = fold_all(events, run)
        log += [Event.from_json(json.loads(json.dumps(event.to_json()))) for event in events]
        assert all(one.key in run.pending for one in wanted)
        assert all(isinstance(one, AskModel | CallTool | AskHuman) for one in wanted)
        if run.finished:
            break
    assert fold_all(log) == run


@pytest.mark.parametrize("seeds", seed_ranges(10, 60))
@pytest.mark.parametrize("profile", DIALECT.profiles)
def test_a_log_folds_to_its_run_under_random_signals(profile: str, seeds: range) -> None:
    program = program_of(RICH, profile)
    assert program is not None
    each_seed(seeds, lambda seed: played(program, seed))


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if not isinstance(value, dict | list):
        return []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[tuple[Any, ...]] = []
    for key, item in items:
        found += [(*at, key), *_places(item, (*at, key))]
    return found


def damaged(tree: Any, rng: Rng, times: int) -> Any:
    """The tree with some values replaced by values of any type, or by each other."""
    tree = deepcopy(tree)
    for _ in range(times):
        places = _places(tree)
        if not places:
            break
        *path, last = rng.pick(places)
        parent = tree
        for key in path:
            parent = parent[key]
        other = _at(tree, rng.pick(places)) if rng.below(3) == 0 else rng.pick(ODD)
        parent[last] = deepcopy(other)
    return tree


def _at(tree: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        tree = tree[key]
    return tree


@pytest.mark.parametrize("seeds", seed_ranges(2, 8))
def test_a_damaged_pack_never_makes_the_program_raise(seeds: range) -> None:
    each_seed(seeds, a_damaged_pack_never_makes_the_program_raise)


def a_damaged_pack_never_makes_the_program_raise(seed: int) -> None:
    rng, ran = Rng("spoilt", seed), 0
    for number in range(60):
        profile = DIALECT.profiles[number % 2]
        program = program_of(damaged(RICH, rng, 1 + number % 4), profile)
        if program is not None:
            played(program, number, most=12)
            ran += 1
    assert ran > 30


def test_a_damaged_pack_of_the_corpus_never_makes_the_program_raise(corpus: Path) -> None:
    rng, ran = Rng("corpus"), 0
    for path in sorted(corpus.glob("promptpack*/**/*.pack.json")):
        try:
            tree = json.loads(path.read_bytes())
        except ValueError:
            continue
        for number in range(3):
            profile = DIALECT.profiles[number % 2]
            program = program_of(damaged(tree, rng, number), profile)
            if program is not None:
                played(program, number, most=12)
                ran += 1
    assert ran >= at_least(151, 10)
