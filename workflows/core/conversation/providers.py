"""The kinds of model providers that have rules of their own."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeAlias

Provider: TypeAlias = Literal["openai", "anthropic", "google", "compatible"]
PROVIDERS: tuple[Provider, ...] = ("openai", "anthropic", "google", "compatible")
CHAT: tuple[Provider, ...] = ("openai", "compatible")
"""Providers with OpenAI's chat protocol."""
NAMES: dict[Provider, str] = {
    "openai": "OpenAI",
    "anthropic": "Anthropic",
    "google": "Google",
    "compatible": "compatible servers",
}


def named(providers: Collection[Provider]) -> str:
    """Their names, in the order of PROVIDERS."""
    return ", ".join(NAMES[provider] for provider in PROVIDERS if provider in providers)
