"""Model names of a connection: the names that packs use, and the models of the provider for them.

`DEFAULTS` are the models that each provider recommends for large, general and small tasks, by its
public list of models in November 2026 (platform.claude.com/docs/about-claude/models/overview,
developers.openai.com/api/docs/models, ai.google.dev/gemini-api/docs/models).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from workflows.providers.endpoint import Endpoint, Kind

SIZES: Final = ("opus", "sonnet", "haiku")
"""Names of model sizes in packs. No provider has a model with such a name."""
OWN: Final = ""
"""In a table: the connection's own model."""
DEFAULTS: Mapping[str, Mapping[str, str]] = {
    "anthropic": {
        "opus": "claude-opus-5-5",
        "sonnet": "claude-sonnet-5-5",
        "haiku": "claude-haiku-5-5",
    },
    "openai": {"opus": "gpt-6-astra", "sonnet": "gpt-6.1-sol", "haiku": "gpt-6-luna"},
    "google": {
        "opus": "gemini-4-argon",
        "sonnet": "gemini-3.8-flash",
        "haiku": "gemini-3.5-flash-lite",
    },
    "compatible": dict.fromkeys(SIZES, OWN),
}


class NoModel(Exception):
    """No model of the endpoint has this name."""

    def __init__(self, name: str, *, uses_own: bool) -> None:
        super().__init__(name)
        self.name = name
        self.uses_own = uses_own
        """The name is mapped to the connection's own model, which is not set."""


def default_names(kind: str) -> dict[str, str]:
    """The table of a new connection of this kind; empty for an unknown kind."""
    return dict(DEFAULTS.get(kind, {}))


def ordered(names: Mapping[str, str]) -> dict[str, str]:
    """The sizes first, then other names by alphabet: databases keep no order of keys."""
    sizes = [name for name in SIZES if name in names]
    others = sorted(set(names).difference(SIZES), key=lambda name: (name.casefold(), name))
    return {name: names[name] for name in (*sizes, *others)}


def model_of(endpoint: Endpoint, name: str) -> str:
    """The model of this name: of the connection's table, else the name itself. A name may begin
    with the provider (`anthropic:…`). Raises NoModel."""
    bare = without_provider(name, endpoint.kind)
    for key in (name, bare):
        if key in endpoint.names:
            model = endpoint.names[key] or endpoint.model
            if not model:
                raise NoModel(key, uses_own=True)
            return model
    if bare in SIZES:
        raise NoModel(bare, uses_own=False)
    return bare


def without_provider(name: str, kind: Kind) -> str:
    return name.removeprefix(f"{kind}:").removeprefix(f"{kind}/")
