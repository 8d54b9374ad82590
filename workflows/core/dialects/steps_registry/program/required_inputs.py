"""Required inputs of a run: values that neither the pack nor an earlier step provides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workflows.core.dialects.steps_registry.format.prompt_paths import (
    PLACEHOLDER,
    existing_prompt,
    prompt_text,
)
from workflows.core.dialects.steps_registry.format.steps import Step, strings
from workflows.core.dialects.steps_registry.format.vocabulary import RUNTIME_VARIABLES
from workflows.core.dialects.steps_registry.program.effects import CONTEXT
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.text.tolerant import as_object, as_str


def needs(source: RegistrySource) -> tuple[str, ...]:
    """Names of the inputs that a run requires, each once.

    These are the issue of `poll:state`, and the parameters of agent.json without a default that are
    required or that a prompt or process uses. Undeclared names are not inputs: such a prompt fails
    in every run. Without an agent.json, every name counts that comes neither from the runtime nor
    from an earlier step.
    """
    parameters: dict[str, Any] = as_object(source.agent_value("parameters"))
    names = {"issue": None} if source.verdict == "poll:state" else {}
    names |= {name: None for name, item in parameters.items() if _required(item)}
    for step in source.steps.values():
        for name in _used(source, step):
            if name in parameters or not source.agent:
                names[name] = None
    return tuple(name for name in names if not _has_default(parameters.get(name)))


def _required(item: Any) -> bool:
    return isinstance(item, dict) and item.get("required") is True


def _has_default(item: Any) -> bool:
    return isinstance(item, dict) and item.get("default") not in (None, "")


def _used(source: RegistrySource, step: Step) -> Iterator[str]:
    """Names in the step's variables, prompt and process whose values come from outside the run."""
    earlier = set()
    for name, item in step.inputs.items():
        origin, dot, key = as_str(item.get("from")).rpartition(".")
        earlier.add(f"{origin.replace('.', '_')}_{key}" if dot else name)
    names = [name.removeprefix("uv-") for name in step.variables]
    path = existing_prompt(source, step)
    if path is not None:
        names += PLACEHOLDER.findall(prompt_text(source, path))
    yield from (name for name in names if name not in RUNTIME_VARIABLES and name not in earlier)
    runner = step.value.get("runner")
    for argument in strings(runner.get("args")) if isinstance(runner, dict) else ():
        yield from CONTEXT.findall(argument)
