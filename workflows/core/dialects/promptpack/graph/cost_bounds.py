"""Upper bounds of a visit to a state, as far as the files define them: model calls and their
tokens.

The bounds are for one turn. A person who continues the conversation begins another turn, and judges
of evals are called in addition.
"""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.dialects.promptpack.format.profiles import behaviour_of
from workflows.core.dialects.promptpack.program.composition_plan import Plan, Step
from workflows.core.dialects.promptpack.program.tools import Policy
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.text.tolerant import as_object, as_positive_int, as_str


def max_total_visits(source: PackSource) -> int | None:
    """The maximum number of state visits in a run, None if unbounded."""
    return as_positive_int(source.parts.budget.get("max_total_visits"))


class CostBounds:
    """The bounds of one pack under one profile. Each composition and prompt is computed once."""

    def __init__(self, parts: Parts, profile: str) -> None:
        self.parts = parts
        self.behaviour = behaviour_of(profile)
        self._cache: dict[str, tuple[int | None, int | None]] = {}
        self._by_prompt: dict[str, tuple[int, int | None]] = {}

    def of(self, spec: Object) -> tuple[int | None, int | None]:
        """The calls and the tokens of a state with this specification."""
        match spec.get("orchestration"):
            case "composition":
                return self._composition_bounds(spec)
            case "external":
                return 0, self._prompt_bounds(spec)[1]
        return self._prompt_bounds(spec)

    def _prompt_bounds(self, spec: Object) -> tuple[int, int | None]:
        """The bounds of one turn with the state's prompt; a missing prompt makes no call."""
        key = as_str(spec.get("prompt_task"))
        bounds = self._by_prompt.get(key)
        if bounds is None:
            prompt = self.parts.prompts.get(key)
            calls = 0 if prompt is None else self._rounds(prompt)
            bounds = self._by_prompt[key] = (calls, tokens_of(prompt or {}))
        return bounds

    def _prompt(self, body: Object) -> Object | None:
        return self.parts.prompts.get(as_str(body.get("prompt_task")))

    def _rounds(self, prompt: Object) -> int:
        return Policy.of(prompt, self.behaviour).rounds

    def _composition_bounds(self, spec: Object) -> tuple[int | None, int | None]:
        """The bounds of a state's composition; a missing composition costs nothing."""
        name = as_str(spec.get("composition"))
        if name not in self._cache:
            plan = Plan(name=name, body=self.parts.compositions.get(name, {}))
            calling = [
                step for step in plan.steps_by_id.values() if step.kind in ("prompt", "agent")
            ]
            calls = sum(self._step(step) * self._attempts(plan, step) for step in calling)
            written = (tokens_of(self._prompt(step.body) or {}) for step in calling)
            self._cache[name] = (calls, max_or_none(written))
        return self._cache[name]

    def _step(self, step: Step) -> int:
        """One call for a prompt step; for an agent step its `max_steps`, else the rounds of its
        prompt."""
        if step.kind == "prompt":
            return 1
        ending = step.body.get("termination")
        rounds = as_positive_int(ending.get("max_steps")) if isinstance(ending, dict) else None
        return rounds or self._rounds(self._prompt(step.body) or {})

    def _attempts(self, plan: Plan, step: Step) -> int:
        """The attempts of a step. A branch is also retried with its parallel step."""
        return step.attempts * (plan.steps_by_id[step.within].attempts if step.within else 1)


def tokens_of(prompt: Object) -> int | None:
    """The maximum tokens of one reply to a prompt, including its model overrides; None if
    unbounded."""
    others = as_object(prompt.get("model_overrides")).values()
    own = _max_tokens(prompt)
    named = [_max_tokens(other) for other in others if isinstance(other, dict)]
    return None if own is None else max([own, *(other for other in named if other is not None)])


def _max_tokens(body: Object) -> int | None:
    parameters = body.get("parameters")
    return as_positive_int(parameters.get("max_tokens")) if isinstance(parameters, dict) else None


def max_or_none(values: Iterable[int | None]) -> int | None:
    """The largest value, None if one of them is unknown."""
    bounds = list(values)
    numbers = [value for value in bounds if value is not None]
    return max(numbers, default=0) if len(numbers) == len(bounds) else None
