"""A pack's files on their way out, byte for byte."""

from __future__ import annotations

import io
import re
import zipfile

from workflows.core.files import Files
from workflows.models import Pack
from workflows.selectors.sources import opened

EPOCH = (1980, 1, 1, 0, 0, 0)
"""Every export of the same revision is the same zip."""


def export(pack: Pack, *, number: int | None = None, as_zip: bool = False) -> tuple[str, bytes]:
    """File name and bytes: the file itself where the pack is one file, else a zip."""
    files = opened(pack, number).files
    if len(files) == 1 and not as_zip:
        path, data = next(iter(files.items()))
        return path.rsplit("/", 1)[-1], data
    return f"{safe_name(pack.name)}.zip", zipped(files)


def zipped(files: Files) -> bytes:
    """A zip with these files and nothing else."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return made.getvalue()


def safe_name(name: str) -> str:
    """A pack's name as a file name."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:80] or "pack"
