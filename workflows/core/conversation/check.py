"""The check of a question before it is sent, for every driver."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache

from workflows.core.conversation.build import Conversation, conversation_of
from workflows.core.conversation.providers import PROVIDERS, Provider, named
from workflows.core.conversation.rules import RULES, ConversationRule
from workflows.core.engine.effects import AskModel
from workflows.core.engine.program import CannotRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A rule that a conversation breaks, for these providers."""

    rule: str
    problem: str
    providers: tuple[Provider, ...]


class RequestRefused(CannotRun):
    """A provider would refuse the request."""


def violations(
    sent: Conversation, providers: Collection[Provider] = PROVIDERS
) -> Iterator[Violation]:
    """The violations of the rules of these providers."""
    for rule, enforced in _enforced(frozenset(providers)):
        for problem in rule.problems(sent):
            yield Violation(rule=rule.name, problem=problem, providers=enforced)


@cache
def _enforced(
    providers: frozenset[Provider],
) -> tuple[tuple[ConversationRule, tuple[Provider, ...]], ...]:
    """The rules that any of these providers enforces, each with those that do."""
    rules = (
        (rule, tuple(provider for provider in rule.providers if provider in providers))
        for rule in RULES.values()
    )
    return tuple((rule, enforced) for rule, enforced in rules if enforced)


def check_question(effect: AskModel, provider: Provider | None = None) -> None:
    """Check the conversation that is sent for this question, to a provider; without one, by the
    rules that all providers enforce. Raises RequestRefused."""
    chosen = PROVIDERS if provider is None else (provider,)
    for first in violations(conversation_of(effect), chosen):
        if provider is None and set(first.providers) != set(PROVIDERS):
            continue
        who = named(first.providers)
        message = f"The request of {effect.state} would be refused by {who}. {first.problem}"
        raise RequestRefused(message, code="request_refused")
