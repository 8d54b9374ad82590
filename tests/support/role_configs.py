"""The vectors of the specification: as they lie here, and all of the corpus where it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CORPUS

HERE = Path(__file__).resolve().parents[1] / "roles" / "prompt_config"
FOLDERS = [HERE, *([Path(CORPUS) / "prompt-config"] if CORPUS else [])]


def config(name: str, folder: Path = HERE) -> Any:
    """One JSON file of the folder."""
    return json.loads((folder / name).read_text())


def vectors(name: str) -> list[Any]:
    """A parameter for each vector of a file, with its folder."""
    return [
        pytest.param(folder, one, id=f"{folder.name}-{one['id']}")
        for folder in FOLDERS
        for one in config(f"vectors/{name}.json", folder)["vectors"]
    ]


def files(kind: str) -> list[Any]:
    """A parameter for each config of a kind: valid or invalid."""
    return [
        pytest.param(path, id=f"{folder.name}-{path.stem}")
        for folder in FOLDERS
        for path in sorted((folder / kind).glob("*.json"))
    ]


def with_text(path: str, text: str) -> dict[str, Any]:
    """The smallest config with this text at a pointer."""
    given = config("valid/05-docs-writer-minimal.json")
    *above, last = path.strip("/").split("/")
    at = given
    for step in above:
        at = at[step]
    at[last] = text
    return dict(given)
