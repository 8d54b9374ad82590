"""Next steps after a failed model request: under Settings for a connection of a server, by options
and environment variables for a run on the command line."""

from __future__ import annotations

from workflows.providers.endpoint import Endpoint


def again(endpoint: Endpoint) -> str:
    """How to continue the run."""
    return "resume" if endpoint.stored else "run it again"


def retry(endpoint: Endpoint) -> str:
    return "Resume to retry." if endpoint.stored else "Run it again to retry."


def set_a_model(endpoint: Endpoint) -> str:
    if endpoint.stored:
        return "Set one under Settings, then resume."
    return "Pass --model MODEL, then run it again."


def add_a_name(endpoint: Endpoint, name: str) -> str:
    if endpoint.stored:
        return "Add it to its model names under Settings, then resume."
    return f"Pass --model-name {name}=MODEL, then run it again."


def set_its_price(endpoint: Endpoint) -> str:
    if endpoint.stored:
        return "Enter its price under Settings, 0 if it is free, then resume."
    return "Pass --price IN,OUT, 0,0 if it is free, then run it again."


def enter_another_key(endpoint: Endpoint) -> str:
    if endpoint.stored:
        return "Enter another key under Settings, then resume."
    return "Set another key in the environment, then run it again."


def change_the_model(endpoint: Endpoint, model: str) -> str:
    """For a model that the provider does not have."""
    names = [name for name, of in endpoint.names.items() if of == model]
    if not endpoint.stored:
        name = names[0] if names else model
        return f"Pass --model-name {name}=MODEL or --model MODEL, then run it again."
    if names:
        listed = ", ".join(repr(name) for name in names)
        return f"Change the model for {listed}, or its address, under Settings, then resume."
    if model == endpoint.model:
        return "Change its model or its address under Settings, then resume."
    return f"Add {model!r} to its model names, or change its address, under Settings, then resume."
