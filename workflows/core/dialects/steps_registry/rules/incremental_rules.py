"""Results by step, cached from source to source, so that an edit costs only what it changed.

A check of single steps may read two things:

- the *inputs* of the step: the step, the steps that it names, its prompt and its answer schema;
- the *environment* of all steps: path config, parameters, schemas that others refer to.

A step whose inputs are the same objects as before is not checked again. When the environment
changes, every step is checked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from workflows.core.dialects.steps_registry.format.prompt_paths import (
    front_matter_is_usual,
    is_agent_folder,
    prompt_path,
    prompt_paths,
)
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaLocation,
    SchemaProblem,
    own_schema,
    reference_targets,
    schema_files,
    schemas_folder,
    value_at,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.text.tolerant import as_str

T = TypeVar("T")
StepInputs: TypeAlias = tuple[Any, ...]
"""The step, its prompt with and without adaptation, its schema; a new tuple whenever one of these
is another object or a step that it names has changed."""
InputKeys: TypeAlias = tuple[Step, str, str, tuple[str, ...]]
"""The keys of a step's inputs: the step, two prompt paths, the ids of the steps that it names."""
CheckSteps: TypeAlias = Callable[[RegistrySource, Iterable[Step]], Iterable[tuple[str, T]]]
"""Checks the given steps and yields each result with the id of the step to which it belongs."""

ABSENT = object()


@dataclass(frozen=True, eq=False, slots=True)
class Inputs:
    """The inputs of every step of one source."""

    steps: list[Step]
    by_step: dict[str, StepInputs]
    keys: dict[str, InputKeys]
    raw: dict[str, Any]
    environment: tuple[Any, ...]
    schemas: dict[SchemaLocation, Any]
    """Every value that a `$ref` leads to."""
    token: object = field(default_factory=object)
    changes: dict[object, list[Step]] = field(default_factory=dict)

    def changed_since(self, before: Inputs | None) -> list[Step]:
        """The steps whose inputs differ from those earlier inputs."""
        if before is None:
            return self.steps
        if before.token not in self.changes:
            earlier, by_step = before.by_step.get, self.by_step
            changed = [step for step in self.steps if earlier(step.id) is not by_step[step.id]]
            self.changes[before.token] = changed
        return self.changes[before.token]


def cached_by_step(
    source: RegistrySource, name: str, check: CheckSteps[T]
) -> dict[str, tuple[T, ...]]:
    """The results of a check by step id; steps without a result are left out.

    `name` is the key of the cache. The check may read only the inputs of a step and the
    environment. Raises ValueError for a result that belongs to none of the steps it was given.
    """
    now = inputs(source)
    cached: tuple[Inputs, dict[str, tuple[T, ...]]] | None = source.memo.get(name)
    if cached is not None and cached[0] is now:
        return cached[1]
    before, earlier = cached if cached is not None else (None, {})
    changed = now.changed_since(before)
    results = _results(source, name, check, changed)
    if before is not None and _same_results(now, changed, earlier, results):
        results = earlier
    elif earlier:
        checked = {step.id for step in changed}
        results |= {id: items for id, items in earlier.items() if id not in checked}
        results = {id: results[id] for id in now.by_step if id in results}
    source.memo[name] = (now, results)
    return results


def _same_results(
    now: Inputs,
    changed: list[Step],
    earlier: dict[str, tuple[T, ...]],
    results: dict[str, tuple[T, ...]],
) -> bool:
    """True if nothing changed, so that the earlier dict can be returned as the same object."""
    return all(earlier.get(step.id) == results.get(step.id) for step in changed) and (
        not earlier or all(id in now.by_step for id in earlier)
    )


def _results(
    source: RegistrySource, name: str, check: CheckSteps[T], steps: list[Step]
) -> dict[str, tuple[T, ...]]:
    results: dict[str, list[T]] = {}
    for id, result in check(source, steps):
        results.setdefault(id, []).append(result)
    if not results:
        return {}
    in_order = {step.id: tuple(results.pop(step.id)) for step in steps if step.id in results}
    for id in results:
        raise ValueError(f"{name} has a result for {id!r}, which it was not given to check.")
    return in_order


def inputs(source: RegistrySource) -> Inputs:
    """The inputs of this source; those that did not change are the same objects as before."""
    current: Inputs | None = source.kept.get("inputs")
    if current is None:
        current = source.kept["inputs"] = _inputs(source, source.memo.get("inputs"))
        source.memo["inputs"] = current
    return current


def _inputs(source: RegistrySource, before: Inputs | None) -> Inputs:
    environment, schemas = _environment(source), _shared_schemas(source)
    if before is not None and not _same_environment(before, environment, schemas):
        before = None
    raw: dict[str, Any] = source.value["steps"]
    changed_ids = _changed_ids(before.raw, raw) if before is not None else set()
    earlier = before.by_step if before is not None else {}
    earlier_keys = before.keys if before is not None else {}
    data = source.data.get
    by_step: dict[str, StepInputs] = {}
    keys: dict[str, InputKeys] = {}
    steps = list(source.steps.values())
    for step in steps:
        id = step.id
        key = earlier_keys.get(id)
        if key is None or key[0] is not step:
            key = _input_keys(source, step)
        keys[id] = key
        _, exact, plain, named = key
        own = _own_schema(source, step)
        kept = earlier.get(id)
        if (
            kept is not None
            and kept[0] is step
            and kept[1] is data(exact)
            and kept[2] is data(plain)
            and kept[3] is own
            and changed_ids.isdisjoint(named)
        ):
            by_step[id] = kept
        else:
            by_step[id] = (step, data(exact), data(plain), own)
    return Inputs(steps, by_step, keys, raw, environment, schemas)


def _changed_ids(before: dict[str, Any], now: dict[str, Any]) -> set[str]:
    """The ids of steps that were added, changed or removed."""
    earlier = before.get
    changed = {id for id, value in now.items() if earlier(id, ABSENT) is not value}
    return changed | (before.keys() - now.keys())


def _input_keys(source: RegistrySource, step: Step) -> InputKeys:
    named = dict.fromkeys([transition.target for transition in step.transitions])
    head, _, rest = step.id.partition(".")
    if head == "initial":
        named[f"continuation.{rest}"] = None
    for item in step.inputs.values():
        named[as_str(item.get("from")).rpartition(".")[0]] = None
    exact = prompt_path(source, step)
    plain = prompt_path(source, step, "") if step.adaptation else exact
    return step, exact, plain, tuple(named)


def _own_schema(source: RegistrySource, step: Step) -> Any:
    """The step's schema, or the reason why it has none; the same reason is the same object."""
    try:
        return own_schema(source, step)
    except SchemaProblem as problem:
        reasons: dict[str, str] = source.memo.setdefault("reasons", {})
        return reasons.setdefault(str(problem), str(problem))


def _environment(source: RegistrySource) -> tuple[Any, ...]:
    return (
        source.main,
        source.generation,
        source.flow,
        bool(source.agent),
        prompt_paths(source),
        is_agent_folder(source),
        front_matter_is_usual(source),
        schemas_folder(source),
        source.agent_value("parameters"),
    )


def _shared_schemas(source: RegistrySource) -> dict[SchemaLocation, Any]:
    """Every value that a `$ref` leads to."""
    schemas: dict[SchemaLocation, Any] = {}
    paths = dict.fromkeys(schema_files(source))
    waiting = list(paths)
    while waiting:
        for location in reference_targets(source, waiting.pop()):
            schemas[location] = value_at(source, location)
            if location.path not in paths:
                paths[location.path] = None
                waiting.append(location.path)
    return schemas


def _same_environment(
    before: Inputs, environment: tuple[Any, ...], schemas: dict[SchemaLocation, Any]
) -> bool:
    *plain, parameters = environment
    *earlier_plain, earlier_parameters = before.environment
    return (
        parameters is earlier_parameters
        and plain == earlier_plain
        and len(schemas) == len(before.schemas)
        and all(
            before.schemas.get(location, ABSENT) is value for location, value in schemas.items()
        )
    )
