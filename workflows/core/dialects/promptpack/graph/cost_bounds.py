"""What a stay in a state costs at most, where the files bound it: model calls and their tokens.

Counted is one turn. A person who goes on talking begins another one, and judges of evals are asked
beside the run.
"""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.promptpack.format.parts import Object, Parts, as_positive_int, as_str
from workflows.core.dialects.promptpack.program.composition_plan import Plan, Step
from workflows.core.dialects.promptpack.program.tools import Policy
from workflows.core.dialects.promptpack.source import PackSource


def max_calls(source: PackSource, state: str, profile: str) -> int | None:
    """How many model calls one visit of a state can make, None where nothing says."""
    return CostBounds(source.parts, profile).calls(state)


def max_tokens(source: PackSource, state: str, profile: str) -> int | None:
    """How many tokens one model call of a state can write, None where nothing says."""
    return CostBounds(source.parts, profile).tokens(state)


def max_total_visits(source: PackSource) -> int | None:
    """How many states a run can enter in all, None where nothing says."""
    return as_positive_int(source.parts.budget.get("max_total_visits"))


class CostBounds:
    """The bounds of one pack under one profile. Compositions are looked through once each."""

    def __init__(self, parts: Parts, profile: str) -> None:
        self.parts = parts
        self.promptkit = profile == "promptkit"
        self._cache: dict[str, tuple[int | None, int | None]] = {}

    def calls(self, state: str) -> int | None:
        spec = self.parts.states.get(state, {})
        match spec.get("orchestration"):
            case "composition":
                return self._composition_bounds(spec)[0]
            case "external":
                return 0
        prompt = self._prompt(spec)
        return 0 if prompt is None else self._rounds(prompt)

    def tokens(self, state: str) -> int | None:
        spec = self.parts.states.get(state, {})
        if spec.get("orchestration") == "composition":
            return self._composition_bounds(spec)[1]
        return tokens_of(self._prompt(spec) or {})

    def _prompt(self, body: Object) -> Object | None:
        return self.parts.prompts.get(as_str(body.get("prompt_task")))

    def _rounds(self, prompt: Object) -> int:
        return Policy.of(prompt, promptkit=self.promptkit).rounds

    def _composition_bounds(self, spec: Object) -> tuple[int | None, int | None]:
        """What the composition of a state costs; one that is not there costs nothing."""
        name = as_str(spec.get("composition"))
        if name not in self._cache:
            plan = Plan(name=name, body=self.parts.compositions.get(name, {}))
            asking = [
                step for step in plan.steps_by_id.values() if step.kind in ("prompt", "agent")
            ]
            calls = sum(self._step(step) * self._attempts(plan, step) for step in asking)
            written = (tokens_of(self._prompt(step.body) or {}) for step in asking)
            self._cache[name] = (calls, max_or_none(written))
        return self._cache[name]

    def _step(self, step: Step) -> int:
        """One call, or as many rounds as an agent step may take. One that only a tool call ends
        has the rounds of its prompt."""
        if step.kind == "prompt":
            return 1
        ending = step.body.get("termination")
        rounds = as_positive_int(ending.get("max_steps")) if isinstance(ending, dict) else None
        return rounds or self._rounds(self._prompt(step.body) or {})

    def _attempts(self, plan: Plan, step: Step) -> int:
        """A branch is tried again with its parallel step, too."""
        return step.attempts * (plan.steps_by_id[step.within].attempts if step.within else 1)


def tokens_of(prompt: Object) -> int | None:
    """The most a prompt lets the model write in one call, its overrides for some models among it;
    None where it does not say."""
    overrides = prompt.get("model_overrides")
    others = overrides.values() if isinstance(overrides, dict) else ()
    own = _max_tokens(prompt)
    named = [_max_tokens(other) for other in others if isinstance(other, dict)]
    return None if own is None else max([own, *(other for other in named if other is not None)])


def _max_tokens(body: Object) -> int | None:
    parameters = body.get("parameters")
    return as_positive_int(parameters.get("max_tokens")) if isinstance(parameters, dict) else None


def max_or_none(values: Iterable[int | None]) -> int | None:
    """The largest, None where one of them is not known."""
    listed = list(values)
    known = [value for value in listed if value is not None]
    return max(known, default=0) if len(known) == len(listed) else None
