"""The ways on from a stage, each with a reply that takes it: what a walker and a script pick from.

Every reply was tried on the spot: it is judged, left with and routed as the run would do it now.
The reply has only what decides the way, so that whoever gives it makes up the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from workflows.core.dialects.stages.format.parts import Way
from workflows.core.dialects.stages.graph.labels import FAILURE, JOIN
from workflows.core.dialects.stages.program.assertions import provisional, settled, verdict_of
from workflows.core.dialects.stages.program.context import Scene
from workflows.core.dialects.stages.program.satisfying_values import payloads
from workflows.core.dialects.stages.program.stage_definition import Stage
from workflows.core.dialects.stages.program.stage_exit import Result, chosen, read_out
from workflows.core.engine.effects import Choice
from workflows.core.engine.rehearsal.rng import Rng

MOST_TRIES = 8
Conditions = list[tuple[Any, bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What one reply would come to: the verdict once attempts are used up, and the way taken."""

    verdict: str
    way: Way | None

    @property
    def case(self) -> Way | None:
        """The way, where a condition chose it."""
        return self.way if self.way is not None and self.way.when is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A way for Assert to come out. `times`: how many replies of that kind it takes."""

    conditions: Conditions
    times: int = 1


def choices(scene: Scene, rng: Rng) -> tuple[Choice, ...]:
    """One per arrow that some reply leads to; one that just completes where none does."""
    found: dict[str, Choice] = {}
    for choice in _tried(scene, rng):
        found.setdefault(choice.transition, choice)
    return tuple(found.values()) or (_completing(scene.stage, "complete", "", {}),)


def _tried(scene: Scene, rng: Rng) -> Iterator[Choice]:
    stage = scene.stage
    for plot in _plots(scene):
        for case, conditions in _routes(stage):
            wanted = [*plot.conditions, *conditions]
            for given, payload in islice(payloads(stage, wanted, rng), MOST_TRIES):
                ending = _play(scene, payload, cap_hit=False)
                landing = _landing(scene, ending)
                if landing is not None:
                    yield _completing(stage, *landing, given, plot.times)
                if ending.case is case:
                    break
    landing = _landing(scene, _play(scene, None, cap_hit=True))
    if landing is not None:
        label, transition = landing
        talk = {"text": f"Still thinking about {stage.id}."}
        times = _attempts_left(scene) * stage.most_turns
        yield Choice(label=label, transition=transition, reply=talk, times=times)


def _completing(stage: Stage, label: str, transition: str, payload: Any, times: int = 1) -> Choice:
    call = {"name": stage.tool, "arguments": payload}
    return Choice(label=label, transition=transition, reply={"tool_calls": [call]}, times=times)


def _plots(scene: Scene) -> Iterator[Plot]:
    """Every rule holds; then, for each rule, it is the first that does not."""
    rules = scene.stage.rules
    yield Plot(conditions=[(rule.unless, True) for rule in rules])
    for number, rule in enumerate(rules):
        before: Conditions = [(earlier.unless, True) for earlier in rules[:number]]
        times = _attempts_left(scene) if rule.verdict == "retry" else 1
        yield Plot(conditions=[*before, (rule.unless, False)], times=times)


def _attempts_left(scene: Scene) -> int:
    return scene.stage.most_attempts - scene.attempt + 1


def _routes(stage: Stage) -> Iterator[tuple[Way | None, Conditions]]:
    """For each case that it is the first to hold; then (None) that none does."""
    cases = [way for way in stage.ways if way.when is not None]
    for number, case in enumerate(cases):
        before: Conditions = [(earlier.when, False) for earlier in cases[:number]]
        yield case, [*before, (case.when, True)]
    yield None, [(case.when, False) for case in cases]


def _play(scene: Scene, parsed: Any, *, cap_hit: bool) -> Ending:
    """The reply, judged and routed. A `retry` counts as one that goes on until it is a `fail`."""
    stage, last = scene.stage, scene.stage.most_attempts
    seen = provisional(parsed, cap_hit=cap_hit, attempt=scene.attempt)
    said, why = verdict_of(stage, scene.scope(seen), cap_hit=cap_hit)
    verdict, reason = settled(stage, said, why, last)
    attempts = last if said == "retry" else scene.attempt
    result = Result(verdict=verdict, reason=reason, parsed=None if cap_hit else parsed)
    left = result.as_json(cap_hit=cap_hit, attempts=attempts)
    scope = scene.scope(left)
    if stage.output:
        scope["result"] = {**left, "output": read_out(stage.output, scope)}
    scope["slot"] = {**scene.slot, **read_out(stage.slot, scope)}
    return Ending(verdict=verdict, way=chosen(stage, scope, verdict))


def _landing(scene: Scene, ending: Ending) -> tuple[str, str] | None:
    """Label and arrow; "" for an arrow where the run ends well, None where it ends in failure."""
    way = ending.way
    if way is not None and not way.plan.ends:
        return way.label, f"{scene.stage.id}|{way.label}|{way.plan.siblings[0]}"
    label = way.label if way is not None else "end"
    match scene.memory.get("kind"):
        case "parallel":
            return _branch_ends(scene, label, ok=ending.verdict == "ok")
        case _ if ending.verdict == "fail" and way is None:
            return None
        case "sequence":
            parent = scene.run.position(scene.position.id.rpartition(".")[0])
            queue = parent.memory["queue"]
            if not queue["left"]:
                return label, ""
            return queue["label"], f"{parent.state}|{queue['label']}|{queue['left'][0]}"
        case _:
            return label, ""


def _branch_ends(scene: Scene, label: str, *, ok: bool) -> tuple[str, str] | None:
    """A branch of a fork: to the meeting, or where the fork goes once a branch has failed."""
    parent = scene.run.position(scene.position.id.rpartition(".")[0])
    join = parent.memory["group"]["join"]
    if ok and join is not None:
        return JOIN, f"{scene.memory['branch']['sibling']}|{JOIN}|{join}"
    if ok:
        return label, ""
    failure = scene.play.stages[parent.state].failure
    if failure is None or failure.ends:
        return None
    return FAILURE, f"{parent.state}|{FAILURE}|{failure.siblings[0]}"
