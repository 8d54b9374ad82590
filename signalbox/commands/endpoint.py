"""Model endpoints for runs without a server: keys and addresses from the environment variables of
the providers' own tools."""

from __future__ import annotations

from collections.abc import Mapping

from signalbox.commands.errors import Trouble
from workflows.models.endpoint import Endpoint, Kind
from workflows.security.egress import host_of

KEYS: dict[Kind, str] = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "google": "GOOGLE_API_KEY",
}
FAMILIES: tuple[tuple[str, Kind], ...] = (
    ("claude", "anthropic"),
    ("gemini", "google"),
    ("gpt", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
)
ADDRESS = "OPENAI_BASE_URL"


def reach_from(environment: Mapping[str, str], model: str) -> Endpoint:
    """The endpoint of this model (`provider:name`, or a name that implies its provider); "" leaves
    the name to the pack. A server at OPENAI_BASE_URL replaces OpenAI's own. Raises Trouble."""
    named, _, rest = model.rpartition(":")
    kind = _kind(named, rest, environment)
    address = environment.get(ADDRESS, "") if kind == "openai" else ""
    key = environment.get(KEYS[kind], "")
    if not key and not address:
        raise Trouble(f"There is no key for {kind}: set {KEYS[kind]}.")
    return Endpoint(
        name=kind,
        kind="compatible" if address else kind,
        key=key,
        base_url=address,
        model=rest if named in KEYS else model,
        private_hosts=(_host(address),) if address else (),
    )


def _kind(named: str, model: str, environment: Mapping[str, str]) -> Kind:
    if environment.get(ADDRESS):
        return "openai"
    for kind in KEYS:
        if named == kind:
            return kind
    for family, kind in FAMILIES:
        if model.startswith(family):
            return kind
    for kind, name in KEYS.items():
        if environment.get(name):
            return kind
    names = ", ".join(KEYS.values())
    raise Trouble(f"There is no key to ask a model with: set one of {names}, or {ADDRESS}.")


def _host(address: str) -> str:
    try:
        return host_of(address)
    except ValueError as wrong:
        raise Trouble(f"{ADDRESS}: {wrong}") from None
