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
STYLES = "style.css"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Addresses below the static files. `imports` are the modules that the script needs first."""

    script: str
    styles: str
    imports: tuple[str, ...] = ()


@cache
def entry(name: str) -> Entry:
    """The files of an entry. Without a build, and in development, they have the plain names that
    the development server knows."""
    manifest: Path = settings.CANVAS_MANIFEST
    if settings.WHITENOISE_AUTOREFRESH or not manifest.exists():
        return Entry(script=f"dist/{name}.js", styles="dist/app.css")
    chunks = json.loads(manifest.read_bytes())
    source = ENTRIES[name]
    return Entry(
        script=_address(chunks[source]),
        styles=_address(chunks[STYLES]),
        imports=tuple(_address(chunks[one]) for one in dict.fromkeys(_imports(chunks, source))),
    )


def _imports(chunks: Mapping[str, Any], name: str) -> Iterator[str]:
    for one in chunks[name].get("imports", ()):
        yield one
        yield from _imports(chunks, one)


def _address(chunk: Mapping[str, Any]) -> str:
    return f"dist/{chunk['file']}"
