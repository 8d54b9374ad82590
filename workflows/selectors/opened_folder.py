"""The folder that this server has opened, and the mark of its packs."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings


def opened_folder() -> Path | None:
    """The folder of `signalbox open`; None for another server."""
    return settings.OPENED_FOLDER


def origin_of(folder: Path) -> str:
    """The origin of the packs that have their files in this folder."""
    return f"folder {folder}"[:400]
