"""Transitions that can be added to a state."""

from __future__ import annotations

import re

from workflows.core.dialects.promptpack.format.agent_states import agent_at, agent_ids
from workflows.core.dialects.promptpack.format.parts import ON_MAX_VISITS, Parts
from workflows.core.dialects.promptpack.graph.levels import step_at
from workflows.core.dialects.promptpack.graph.projection import delegates
from workflows.core.dialects.promptpack.graph.step_offers import step_offers
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.graph import Offer
from workflows.core.text.ascii_names import letters_of
from workflows.core.text.tolerant import as_str

EVENT_PATTERN = r"^[A-Z][a-zA-Z0-9]*$"
"""The recommended form of event names. Other names work too; a rule gives a hint."""

EVENT_RULE = "Start with a capital letter, then use letters and digits only."

_WORD = re.compile(r"\w+")
_MENTIONED = re.compile(
    r"[`\"']([A-Z][a-zA-Z0-9]*)[`\"']"
    r"|(?<![\w{.])([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+)(?!\w)"
    r"|(?<![\w{.])([A-Z][a-zA-Z0-9]*) event\b"
)
MAX_MENTIONED = 12


def offers(source: PackSource, state: str) -> tuple[Offer, ...]:
    """Events that the prompt mentions and no transition uses, any new name, and the redirect of the
    cap."""
    parts = source.parts
    step = step_at(parts, state)
    if step is not None:
        return step_offers(*step)
    agent = agent_at(parts, state)
    if agent:
        return _delegation_offers(parts, state, agent)
    if parts.workflow is None:
        return () if parts.members else _prompt_offers(parts, state)
    spec = parts.states.get(state)
    if spec is None:
        return ()
    reason = ""
    if spec.get("terminal") is True:
        reason = f"State {state!r} is marked as an end, so its transitions are never taken."
    result = [
        Offer(source=state, label=event, pattern=EVENT_PATTERN, rule=EVENT_RULE, reason=reason)
        for event in mentioned_events(parts, state)
    ]
    result.append(Offer(source=state, pattern=EVENT_PATTERN, rule=EVENT_RULE, reason=reason))
    if ON_MAX_VISITS not in spec:
        result.append(Offer(source=state, label=ON_MAX_VISITS, kind="redirect"))
    return tuple(result)


def mentioned_events(parts: Parts, state: str) -> list[str]:
    """Names in the state's prompt that look like events, without those that have a transition. The
    name of the prompt itself is none, although events are often named after their targets."""
    prompt = parts.prompts.get(as_str(parts.states[state].get("prompt_task")), {})
    text = as_str(prompt.get("system_template"))
    all_events = dict.fromkeys(event for events in parts.events.values() for event in events)
    named = [next(filter(None, match.groups())) for match in _MENTIONED.finditer(text)]
    own = letters_of(as_str(prompt.get("name")))
    words = set(_WORD.findall(text))
    named += [
        event
        for event in all_events
        if event.casefold() != own and _is_mentioned(event, text, words)
    ]
    taken = parts.events[state]
    return [name for name in dict.fromkeys(named) if name not in taken][:MAX_MENTIONED]


def _is_mentioned(event: str, text: str, words: set[str]) -> bool:
    """Return True if the text has the event as a whole word. `words` are those of the text: a pack
    may have thousands of events, and a search for each takes too long."""
    if _WORD.fullmatch(event):
        return event in words
    return event in text and re.search(rf"\b{re.escape(event)}\b", text) is not None


def _delegation_offers(parts: Parts, state: str, agent: str) -> tuple[Offer, ...]:
    called = {agent, *(name for _, name in delegates(parts, agent))}
    free = tuple(id for name, id in agent_ids(parts).items() if name not in called)
    reason = "" if free else "This agent can already call all other agents."
    return (Offer(source=state, kind="delegate", targets=free, reason=reason),)


def _prompt_offers(parts: Parts, state: str) -> tuple[Offer, ...]:
    if state not in parts.prompts:
        return ()
    return (Offer(source=state, pattern=EVENT_PATTERN, rule=EVENT_RULE),)
