"""Calls from one agent of a pack to another: the called agent runs as a branch of its caller.

The branch starts at the agent's own prompt, or at the state of the workflow that the agent names,
with the question as its first message. Its last reply is the result of the call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.dialects.promptpack.format.agent_states import agent_ids
from workflows.core.dialects.promptpack.format.templates import missing_variables
from workflows.core.dialects.promptpack.program.context import PackContext
from workflows.core.dialects.promptpack.program.conversation import after_result, remember
from workflows.core.dialects.promptpack.program.outcomes import make_event
from workflows.core.dialects.promptpack.program.tools import DELEGATE
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, End, Fork, Join, Outcome, Take
from workflows.core.engine.run import Position, RunState
from workflows.core.text.tolerant import as_str

CALLED = "called_as"
"""Key of a visit's memory: the agent that this branch runs as."""
MOST_CALLERS = 8
"""Number of agents that may call each other in a chain."""


def is_called(position: Position) -> bool:
    """Return True if this position runs an agent for another one."""
    return bool(position.memory.get(CALLED))


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCalls:
    """The calls between the agents of one pack."""

    context: PackContext

    def next_call(self, run: RunState, position: Position) -> Outcome | None:
        """Start the next waiting call if it calls an agent of this pack, or take its result."""
        waiting = position.memory.get("waiting")
        agent = self._agent(waiting[0]["name"]) if waiting else ""
        if not waiting or not agent:
            return None
        answer = run.memory.get(_answer_key(position.id))
        if answer is None:
            return self._start(run, position, agent, waiting[0]["arguments"])
        result, error = str(answer.get("result", "")), str(answer.get("error", ""))
        drafts = (
            _returned(f"{DELEGATE}{agent}", result, error),
            make_event(
                "promptpack.turn",
                memory=after_result(position, result, error),
                run_memory={_answer_key(position.id): None},
            ),
        )
        return Outcome(drafts=drafts, next=Again())

    def _agent(self, name: str) -> str:
        """The agent of this pack that a tool calls, "" for none."""
        key = name.removeprefix(DELEGATE)
        is_agent = key in self.context.parts.members and key in agent_ids(self.context.parts)
        return key if name.startswith(DELEGATE) and is_agent else ""

    def _start(
        self, run: RunState, position: Position, agent: str, arguments: Mapping[str, Any]
    ) -> Outcome:
        name = f"{DELEGATE}{agent}"
        called = Draft(type="tool.called", fields={"name": name, "arguments": dict(arguments)})
        refusal = self._refusal(run, position, agent)
        if refusal:
            turn = remember(**after_result(position, "", refusal))
            return Outcome(drafts=(called, _returned(name, "", refusal), turn), next=Again())
        query = arguments.get("query", "")
        memory = {"context": query if isinstance(query, str) else str(query), CALLED: agent}
        target = self.start_of(agent)
        take = Take(target=target, label=agent, memory=tuple(memory.items()))
        return Outcome(drafts=(called,), next=Fork(takes=(take,)))

    def start_of(self, agent: str) -> str:
        """The state at which an agent starts."""
        state = as_str(self.context.parts.members[agent].get("state"))
        return state or agent_ids(self.context.parts)[agent]

    def _refusal(self, run: RunState, position: Position, agent: str) -> str:
        """The reason why this agent cannot be called here, "" for none."""
        start = self.start_of(agent)
        if self.context.machine.spec(start) is None:
            return f"agent {agent} starts at the missing state {start}"
        if position.id.count(".") >= MOST_CALLERS:
            return f"at most {MOST_CALLERS} agents may call each other"
        prompt = self.context.parts.prompts.get(agent, {})
        lacking = missing_variables(prompt, run.inputs)
        if lacking and not self.context.parts.members[agent].get("state"):
            return f"missing required variables: [{' '.join(lacking)}]"
        return ""

    def settled(self, position: Position, outcome: Outcome) -> Outcome:
        """The outcome of a called agent: instead of ending the run, its last reply or its error
        becomes the result of the call. A spent budget ends the run."""
        if not is_called(position) or not isinstance(outcome.next, End):
            return outcome
        if outcome.next.status == "budget_exhausted":
            return outcome
        failed = outcome.next.status == "failed"
        answer = {
            "result": "" if failed else _last_reply(position, outcome),
            "error": outcome.next.reason if failed else "",
        }
        caller = position.id.rpartition(".")[0]
        kept = make_event(
            "promptpack.agent.answered",
            agent=position.memory[CALLED],
            **{name: value for name, value in answer.items() if value},
            run_memory={_answer_key(caller): answer},
        )
        return replace(outcome, drafts=(*outcome.drafts, kept), next=Join())


def _returned(name: str, result: str, error: str) -> Draft:
    return Draft(type="tool.returned", fields={"name": name, "result": result, "error": error})


def _answer_key(position: str) -> str:
    return f"agent:{position}"


def _last_reply(position: Position, outcome: Outcome) -> str:
    """The last text of the agent, including a reply that this outcome ends with."""
    replies = list(position.memory.get("said", ()))
    for draft in outcome.drafts:
        replies = draft.fields.get("memory", {}).get("said", replies)
    return replies[-1] if replies else ""
