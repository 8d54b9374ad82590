"""Export of a pack's files, byte for byte or in another format that its dialect offers."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

from workflows.core.dialects.base import ExportFormat, ExportResult
from workflows.core.pack.edits import EditRefused
from workflows.core.pack.files import Files
from workflows.errors import ExportRefused, NotThere
from workflows.models import Pack
from workflows.opened_packs.pack_work import on_pack
from workflows.opened_packs.view import Opened
from workflows.selectors.sources import opened

EPOCH = (1980, 1, 1, 0, 0, 0)
"""Fixed time stamp, so that every export of a revision is the same zip."""


def export(
    pack: Pack, *, number: int | None = None, as_zip: bool = False, form: str = ""
) -> tuple[str, bytes]:
    """File name and bytes: the file itself if there is only one, else a zip. `form` names another
    format than the pack's own. Raises NotThere and ExportRefused."""
    here = opened(pack, number)
    files = _made(here, form).files if form else here.files
    if len(files) == 1 and not as_zip:
        path, data = next(iter(files.items()))
        return path.rsplit("/", 1)[-1], data
    name = f"{pack.name}-{form}" if form else pack.name
    return f"{safe_name(name)}.zip", zipped(files)


def forms(pack: Pack) -> list[dict[str, Any]]:
    """Every format that the pack's dialect offers, with its files and findings, or the reason why
    this pack cannot be exported to it."""
    here = opened(pack)
    return [_described(here, each) for each in here.dialect.exports()]


def _described(here: Opened, form: ExportFormat) -> dict[str, Any]:
    about = {"name": form.name, "title": form.title, "description": form.description}
    try:
        made = _made(here, form.name)
    except ExportRefused as refused:
        return {**about, "refused": refused.message, "paths": [], "findings": []}
    entries = [finding.to_json() for finding in made.findings]
    return {**about, "refused": "", "paths": list(made.files), "findings": entries}


def _made(here: Opened, name: str) -> ExportResult:
    form = next((each for each in here.dialect.exports() if each.name == name), None)
    if form is None:
        names = ", ".join(each.name for each in here.dialect.exports()) or "none"
        raise NotThere(
            f"{here.dialect.label} has no export format {name!r}. Formats: {names}.", where="as"
        )
    if not here.readable:
        raise ExportRefused("This pack cannot be read, so it cannot be exported in another format.")
    try:
        exported: ExportResult = on_pack("This export", "exported", here.dialect, here.files, name)
        return exported
    except EditRefused as refused:
        raise ExportRefused(refused.message, hint=refused.hint, where="as") from refused


def zipped(files: Files) -> bytes:
    """A zip with exactly these files."""
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
