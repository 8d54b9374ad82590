"""Libraries of extras that are not installed: a sentence names the extra."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from signalbox import storage
from signalbox.cli import main
from tests.support.live_server import ROOT
from workflows.installation import EXTRAS, missing_library
from workflows.providers.endpoint import Endpoint
from workflows.providers.prices import published_price
from workflows.runner.models.connection_test import run_connection_test

PACK = ROOT / "workflows/core/dialects/promptpack/samples/release.pack.json"
ENDPOINT = Endpoint(name="Own", kind="openai", key="k", model="gpt-6-luna")


def printed(*arguments: str | Path) -> str:
    assert main([str(one) for one in arguments]) == 2
    return ""


def raised(function: Callable[[], object]) -> str:
    with pytest.raises(ModuleNotFoundError) as error:
        function()
    return missing_library(error.value)


@pytest.mark.parametrize(
    ("library", "extra", "use"),
    [
        ("mcp", "mcp", lambda: printed("mcp", PACK)),
        ("pydantic_ai", "models", lambda: run_connection_test(ENDPOINT).sentence),
        ("genai_prices", "models", lambda: printed("check", PACK, "--max-cost", "1")),
        ("channels_redis", "server", lambda: raised(lambda: storage.channel_layer("redis://x"))),
        ("psycopg", "server", lambda: raised(lambda: storage.postgresql("postgresql://x"))),
    ],
)
def test_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    library: str,
    extra: str,
    use: Callable[[], str],
) -> None:
    for name in list(sys.modules):
        if name.partition(".")[0] == library or name.startswith("signalbox.commands.mcp"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    sentence = use() or capsys.readouterr().err
    assert f"{library!r} is not installed. Install `signalboxd[{extra}]`" in sentence


def test_without_the_list_of_prices_no_price_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices.data_snapshot", None)
    published_price.cache_clear()
    assert published_price("openai", "", "gpt-6-luna") is None
    published_price.cache_clear()


def test_every_extra_is_one_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(EXTRAS.values()) == set(project["optional-dependencies"])
