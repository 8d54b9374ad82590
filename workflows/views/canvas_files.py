"""Names of the built canvas: the files of an entry, read from the manifest of the build."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

ENTRIES = {"app": "src/app/main.tsx", "site": "src/site/main.ts"}
"""Entry → its source."""
STYLED_LIKE = {"app": ("app",), "site": ("app", "site")}
"""Entry → the entries whose style sheets its pages need, in their order. The pages around the
canvas use components of its panes; the canvas uses none of theirs."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Addresses below the static files. `imports` are the modules that the script needs first."""

    script: str
    styles: tuple[str, ...]
    imports: tuple[str, ...] = ()


@cache
def entry(name: str) -> Entry:
    """The files of an entry. Without a build, and in development, they have the plain names that
    the development server knows."""
    manifest: Path = settings.CANVAS_MANIFEST
    if settings.WHITENOISE_AUTOREFRESH or not manifest.exists():
        return Entry(script=f"dist/{name}.js", styles=("dist/app.css",))
    chunks = json.loads(manifest.read_bytes())
    source = ENTRIES[name]
    styles = (sheet for one in STYLED_LIKE[name] for sheet in _styles(chunks, ENTRIES[one]))
    return Entry(
        script=_address(chunks[source]["file"]),
        styles=tuple(dict.fromkeys(_address(one) for one in styles)),
        imports=tuple(
            _address(chunks[one]["file"]) for one in dict.fromkeys(_imports(chunks, source))
        ),
    )


def _styles(chunks: Mapping[str, Any], name: str) -> Iterator[str]:
    for one in (*_imports(chunks, name), name):
        yield from chunks[one].get("css", ())


def _imports(chunks: Mapping[str, Any], name: str) -> Iterator[str]:
    for one in chunks[name].get("imports", ()):
        yield one
        yield from _imports(chunks, one)


def _address(file: str) -> str:
    return f"dist/{file}"
