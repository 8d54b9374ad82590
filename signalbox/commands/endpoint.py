"""Model endpoints for runs without a server: keys and addresses from the environment variables of
the providers' own tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from signalbox.commands.errors import Trouble
from workflows.providers.endpoint import Endpoint, Kind
from workflows.providers.model_names import default_names
from workflows.providers.prices import ANY_MODEL
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
ADDRESSES: dict[Kind, str] = {"openai": ADDRESS, "anthropic": "ANTHROPIC_BASE_URL"}
"""Variables of the providers' own clients for another server with their protocol."""


def reach_from(
    environment: Mapping[str, str],
    model: str,
    model_names: Sequence[str] = (),
    price: Mapping[str, float] | None = None,
) -> Endpoint:
    """The endpoint of this model (`provider:name`, or a name that implies its provider); "" leaves
    the name to the pack. `model_names`: NAME=MODEL for names in the pack, in addition to the
    provider's defaults. `price`: of every model, instead of the published ones. A server at
    OPENAI_BASE_URL or ANTHROPIC_BASE_URL replaces the provider's own. Raises Trouble."""
    named, _, rest = model.rpartition(":")
    kind = _kind(named, rest, environment)
    address = environment.get(ADDRESSES[kind], "") if kind in ADDRESSES else ""
    key = environment.get(KEYS[kind], "")
    if not key and not address:
        raise Trouble(f"There is no key for {kind}: set {KEYS[kind]}.")
    served: Kind = "compatible" if address and kind == "openai" else kind
    return Endpoint(
        name=kind,
        kind=served,
        key=key,
        base_url=address,
        model=rest if named in KEYS else model,
        names={**default_names(served), **dict(map(_name, model_names))},
        prices={ANY_MODEL: price} if price else {},
        private_hosts=(_host(ADDRESSES[kind], address),) if address else (),
        stored=False,
    )


def models_line(reach: Endpoint) -> str:
    """The model of the run, else the models for names in the pack, as one line for people."""
    if reach.model:
        return f"Model: {reach.names.get(reach.model) or reach.model}."
    names = ", ".join(f"{name} → {model}" for name, model in reach.names.items() if model)
    return f"Model names: {names}." if names else ""


def _name(argument: str) -> tuple[str, str]:
    """Name and model of `--model-name NAME=MODEL`."""
    name, equals, model = (part.strip() for part in argument.partition("="))
    if not (name and equals and model):
        raise Trouble(f"--model-name {argument!r} is not NAME=MODEL.")
    return name, model


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


def _host(name: str, address: str) -> str:
    try:
        return host_of(address)
    except ValueError as error:
        raise Trouble(f"{name}: {error}") from None
