"""Repeats along an adaptation chain, each with another prompt (section 9.1).

Only the 1.14 generation has chains. Each `repeat` that stays at its step uses the next element as
the adaptation of the next prompt. After the last element, the run ends. Any other intent resets the
chain.
"""

from __future__ import annotations

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.vocabulary import DEFAULT_CHAIN
from workflows.core.dialects.steps_registry.program.gate import RunFault
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.run import RunState

EXHAUSTED = "AGENT_ADAPTATION_CHAIN_EXHAUSTED"


def chain_of(source: RegistrySource, step: Step) -> tuple[str, ...] | None:
    """The adaptations of repeats; None if the number of repeats is not limited."""
    if source.generation != "B":
        return None
    return DEFAULT_CHAIN if step.chain is None else step.chain


def cursor_of(step: Step) -> str:
    """The key of the run's memory with the position in this step's chain."""
    return f"chain:{step.id}"


def next_adaptation(source: RegistrySource, run: RunState, step: Step) -> str | None:
    """The adaptation of the prompt after one more repeat; None if it does not change.

    Raises RunFault at the end of the chain.
    """
    chain = chain_of(source, step)
    if chain is None:
        return None
    cursor = int(run.memory.get(cursor_of(step), 0))
    if cursor < len(chain):
        return chain[cursor]
    raise RunFault(
        EXHAUSTED,
        f'Step "{step.id}" exhausted adaptation chain (length {len(chain)}, last: '
        f'"{chain[-1] if chain else ""}"). Self-route limit reached.',
    )
