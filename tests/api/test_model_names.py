"""Model names of connections over HTTP and on the settings page."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from django.test import Client
from pydantic_ai.models import KnownModelName

from workflows.models import Connection
from workflows.providers.model_names import DEFAULTS, SIZES


def create(site: Client, **given: Any) -> Any:
    body = {"name": "Mine", "kind": "anthropic", "key": "k", **given}
    return site.post("/api/v1/connections/", body, content_type="application/json")


def patch(site: Client, id: int, **given: Any) -> Any:
    return site.patch(f"/api/v1/connections/{id}/", given, content_type="application/json")


@pytest.mark.parametrize("kind", ["anthropic", "openai", "google"])
def test_a_new_connection_has_its_providers_models(site: Client, kind: str) -> None:
    assert create(site, kind=kind).json()["model_names"] == DEFAULTS[kind]


@pytest.mark.parametrize("kind", ["anthropic", "openai", "google"])
def test_the_defaults_are_models_that_the_provider_offers(kind: str) -> None:
    """The model library lists each provider's models; the price list prices them."""
    from genai_prices import Usage, calc_price

    known = get_args(getattr(KnownModelName, "__value__", KnownModelName))
    assert tuple(DEFAULTS[kind]) == SIZES
    for model in DEFAULTS[kind].values():
        assert f"{kind}:{model}" in known
        usage = Usage(input_tokens=1000, output_tokens=1000)
        assert calc_price(usage, model, provider_id=kind).total_price > 0


def test_names_are_set_at_creation_and_changed(site: Client) -> None:
    made = create(site, model_names={" fast ": " claude-haiku-4-5 "}).json()
    assert made["model_names"] == {"fast": "claude-haiku-4-5"}
    kept = patch(site, made["id"], model="claude-opus-4-8").json()
    assert kept["model_names"] == made["model_names"]
    changed = patch(site, made["id"], model_names={"opus": ""}).json()
    assert changed["model_names"] == {"opus": ""}
    assert patch(site, made["id"], model_names={}).json()["model_names"] == {}


def test_another_kind_brings_its_models_unless_the_names_were_edited(site: Client) -> None:
    made = create(site).json()
    moved = patch(site, made["id"], kind="openai", key="k").json()
    assert moved["model_names"] == DEFAULTS["openai"]
    patch(site, made["id"], model_names={"opus": "gpt-6-luna"})
    moved = patch(site, made["id"], kind="google", key="k").json()
    assert moved["model_names"] == {"opus": "gpt-6-luna"}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"": "claude-haiku-4-5"}, "A model name is empty"),
        ({"  ": "claude-haiku-4-5"}, "A model name is empty"),
        ({"fast": "a\0b"}, "Null characters"),
        ({"a\0b": "x"}, "plain text"),
        ({"x" * 201: "y"}, "at most 200 characters"),
        ({"y": "x" * 201}, "200 characters"),
        ({f"n{number}": "m" for number in range(101)}, "at most 100"),
        ({"fast": "a", " fast": "b"}, "twice"),
        ("opus", "dictionary"),
    ],
)
def test_names_that_cannot_be_kept_are_refused(site: Client, names: Any, message: str) -> None:
    answer = create(site, model_names=names)
    assert answer.status_code == 400
    assert answer.json()["where"].startswith("model_names")
    assert message in answer.json()["message"]
    assert not Connection.objects.exists()


def test_names_are_listed_sizes_first(site: Client) -> None:
    create(site, model_names={"fast": "a", "haiku": "b", "Best": "c", "opus": "d"})
    (listed,) = site.get("/api/v1/connections/").json()
    assert list(listed["model_names"]) == ["opus", "haiku", "Best", "fast"]
