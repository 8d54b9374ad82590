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


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusals:
    """Refusals of a request. `by_all`: the reason for which every provider would refuse it, "" for
    none. `by_some`: a message for each reason of some providers."""

    by_all: str = ""
    by_some: tuple[str, ...] = ()


def refusals(effect: AskModel) -> Refusals:
    """Check the conversation that is sent for this question by the rules of every provider."""
    by_some: list[str] = []
    for one in violations(conversation_of(effect)):
        message = _message(effect, one)
        if set(one.providers) == set(PROVIDERS):
            return Refusals(by_all=message)
        by_some.append(message)
    return Refusals(by_some=tuple(by_some))


def check_question(effect: AskModel, provider: Provider | None = None) -> tuple[str, ...]:
    """Check the conversation that is sent for this question, to a provider; without one, by the
    rules of all, of which those that only some enforce are returned as warnings. Raises
    RequestRefused."""
    if provider is None:
        reasons = refusals(effect)
        if reasons.by_all:
            raise RequestRefused(reasons.by_all, code="request_refused")
        return reasons.by_some
    for first in violations(conversation_of(effect), (provider,)):
        raise RequestRefused(_message(effect, first), code="request_refused")
    return ()


def _message(effect: AskModel, broken: Violation) -> str:
    who = named(broken.providers)
    return f"The request of {effect.state} would be refused by {who}. {broken.problem}"
