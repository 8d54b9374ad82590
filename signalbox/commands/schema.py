"""`signalbox schema`: JSON Schemas of the formats, for completion and checks in editors."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from signalbox.commands.errors import OK, Trouble
from signalbox.commands.output import write_files
from workflows.core.dialects import dialects
from workflows.core.dialects.base import EditorSchema

SETTINGS = "vscode-settings.json"
"""The part of the settings of Visual Studio Code that connects file names with the schemas."""


def run(options: argparse.Namespace) -> int:
    """Print the schema of one format, or write those of all. Raises Trouble."""
    wanted = _schemas(options.dialect)
    if not options.output:
        if len(wanted) != 1:
            names = ", ".join(one.name for one in wanted)
            raise Trouble("Name one schema, or a folder with -o.", hint=f"Schemas: {names}.")
        print(_text(wanted[0].make()), end="")
        return OK
    folder = Path(options.output)
    files = {f"{one.name}.schema.json": _text(one.make()).encode() for one in wanted}
    settings = [_setting(one, folder) for one in wanted if _is_json(one)]
    files[SETTINGS] = _text({"json.schemas": settings}).encode()
    write_files(folder, files)
    for name in files:
        print(f"wrote {folder / name}")
    return OK


def _schemas(name: str | None) -> list[EditorSchema]:
    """The schemas of a dialect, the one with this name, or all of them. Raises Trouble."""
    by_dialect = {name: list(one.editor_schemas) for name, one in dialects().items()}
    schemas = [one for some in by_dialect.values() for one in some]
    if name is None:
        return schemas
    choices = {one.name: [one] for one in schemas} | by_dialect
    if not choices.get(name):
        names = ", ".join(one.name for one in schemas)
        raise Trouble(f"{name!r} has no schema.", hint=f"Schemas: {names}.")
    return choices[name]


def _is_json(one: EditorSchema) -> bool:
    """False for a part of another file, such as front matter."""
    return all(pattern.endswith(".json") for pattern in one.patterns)


def _setting(one: EditorSchema, folder: Path) -> dict[str, Any]:
    place = folder / f"{one.name}.schema.json"
    shown = place.as_posix() if place.is_absolute() else f"./{place.as_posix()}"
    return {"fileMatch": list(one.patterns), "url": shown}


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
