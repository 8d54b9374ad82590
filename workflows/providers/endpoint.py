"""Endpoint of a model connection: address and key, without a database row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["openai", "anthropic", "google", "compatible"]
KINDS: tuple[Kind, ...] = get_args(Kind)
IN_WORDS: dict[str, str] = {
    "openai": "OpenAI",
    "anthropic": "Anthropic",
    "google": "Google",
    "compatible": "OpenAI-compatible server",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """`base_url` "" is the provider's own. `model` is used if neither run nor pack names one.
    `names`: see `model_names`. `private_hosts`: private hosts that the operator allows. `timeout`:
    seconds, None for the default. `stored`: a connection of a server; else from the environment of
    a command. `prices`: see `models.Connection`."""

    name: str
    kind: Kind
    key: str = field(repr=False)
    base_url: str = ""
    model: str = ""
    names: Mapping[str, str] = field(default_factory=dict, hash=False)
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict, hash=False)
    private_hosts: tuple[str, ...] = ()
    timeout: float | None = None
    stored: bool = True
