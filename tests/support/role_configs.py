"""The prompt configs and vectors of the corpus folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.corpus import CORPUS

FOLDER = CORPUS / "prompt-config"


def config(name: str) -> Any:
    """One JSON file of the folder."""
    return json.loads((FOLDER / name).read_text())


def vectors(name: str) -> list[Any]:
    """A parameter for each vector of a file."""
    return [pytest.param(one, id=one["id"]) for one in config(f"vectors/{name}.json")["vectors"]]


def files(kind: str) -> list[Any]:
    """A parameter for each config of a kind: valid or invalid."""
    return [pytest.param(path, id=path.stem) for path in sorted((FOLDER / kind).glob("*.json"))]


def with_text(path: str, text: str) -> dict[str, Any]:
    """The smallest config with this text at a pointer."""
    values = config("valid/05-docs-writer-minimal.json")
    *above, last = path.strip("/").split("/")
    at = values
    for step in above:
        at = at[step]
    at[last] = text
    return dict(values)


def whole_text(effect: Mapping[str, Any]) -> str:
    """The text of a question: instructions of system and developer, then its last message."""
    parts = (effect["system"], effect.get("developer", ""), effect["messages"][-1]["text"])
    return "\n\n".join(part for part in parts if part.strip())
