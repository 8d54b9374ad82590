"""The states of agents: in a pack without a workflow their keys, else states on a level of their
own."""

from __future__ import annotations

from workflows.core.dialects.promptpack.format.parts import Parts

LEVEL = "agents"
"""The level of the agents of a pack with a workflow. Workflow and agents are independent."""


def agent_ids(parts: Parts) -> dict[str, str]:
    """The state id of every agent by its key. In a pack with a workflow it is `agents/<key>`; a
    pack with a composition of that name has none, because its steps have such ids."""
    if parts.workflow is None:
        return {key: key for key in parts.members}
    if LEVEL in parts.compositions:
        return {}
    return {key: f"{LEVEL}/{key}" for key in parts.members}


def agent_at(parts: Parts, state: str) -> str:
    """The key of the agent that a state id names, "" for none."""
    if parts.workflow is None:
        return state if state in parts.members else ""
    key = state.removeprefix(f"{LEVEL}/")
    return key if state not in parts.states and agent_ids(parts).get(key) == state else ""
