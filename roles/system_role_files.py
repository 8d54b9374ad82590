"""The system roles that ship with Signalbox: one TOML file each in `system_roles/`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "system_roles"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipped:
    """One file: `key` is its name, the rest are fields of a role."""

    key: str
    name: str
    description: str
    color: str
    prompt_config: dict[str, Any]


@cache
def shipped_roles() -> tuple[Shipped, ...]:
    """Every system role of this version, by key. A test validates each config."""
    return tuple(_read(path) for path in sorted(FOLDER.glob("*.toml")))


def _read(path: Path) -> Shipped:
    fields = tomllib.loads(path.read_text(encoding="utf-8"))
    return Shipped(
        key=path.stem,
        name=fields["name"],
        description=fields["description"],
        color=fields["color"],
        prompt_config=_trimmed(fields["prompt_config"]),
    )


def _trimmed(value: Any) -> Any:
    """Texts without the final line break of a multi-line string."""
    match value:
        case str():
            return value.strip("\n")
        case dict():
            return {key: _trimmed(item) for key, item in value.items()}
        case list():
            return [_trimmed(item) for item in value]
        case _:
            return value
