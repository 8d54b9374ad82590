"""The kinds of model providers that have rules of their own."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeAlias

Provider: TypeAlias = Literal["openai", "anthropic", "google", "compatible"]
PROVIDERS: tuple[Provider, ...] = ("openai", "anthropic", "google", "compatible")
CHAT: tuple[Provider, ...] = ("openai", "compatible")
"""Providers with OpenAI's chat protocol."""
OWN_SUBSET: tuple[Provider, ...] = ("openai", "anthropic", "google")
"""Providers that publish which schemas they support."""
NAMES: dict[Provider, str] = {
    "openai": "OpenAI",
    "anthropic": "Anthropic",
    "google": "Google",
    "compatible": "compatible servers",
}


def named(providers: Collection[Provider]) -> str:
    """The names of one or more providers: "OpenAI, Google and compatible servers"."""
    *names, last = [NAMES[provider] for provider in PROVIDERS if provider in providers]
    return f"{', '.join(names)} and {last}" if names else last
