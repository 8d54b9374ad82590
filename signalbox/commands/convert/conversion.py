"""A pack written in another dialect, or in an export format of its own, and its report."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from signalbox.commands.errors import FINDINGS, OK, Trouble
from signalbox.commands.output import write_files
from signalbox.commands.packs import PackHere, pack_at
from workflows.core.convert.conversion import (
    FATES,
    CannotConvert,
    Conversion,
    Fate,
    ReportEntry,
    convert,
)
from workflows.core.dialects import dialects
from workflows.core.dialects.base import Dialect, ExportFormat, ExportResult
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
"""Packs are untrusted, so control characters are not printed to the terminal."""


def write_converted(options: argparse.Namespace) -> int:
    """Exit 0; 1 if the new pack has errors, or with `--strict` if something was lost; 2 if nothing
    can be written."""
    pack = pack_at(options.path)
    target = dialects().get(options.to)
    if target is None:
        return _export(pack, _form(pack, options.to), options)
    return _convert(pack, target, options)


def _convert(pack: PackHere, target: Dialect, options: argparse.Namespace) -> int:
    profile = pack.profile(options.profile)
    try:
        made = convert(pack.dialect, pack.readable_source(), profile, target)
    except CannotConvert as cannot:
        raise Trouble(cannot.message, hint=cannot.hint) from cannot
    _write(Path(options.output), made.files)
    if options.report:
        _write_report(Path(options.report), made.to_json())
    print(as_text(pack, target, made))
    print(_wrote(made.files, options.output))
    return FINDINGS if made.failing or (options.strict and made.lossy) else OK


def _form(pack: PackHere, name: str) -> ExportFormat:
    """An export format of this pack. Raises Trouble with all formats."""
    forms = {export.name: export for export in pack.dialect.exports()}
    if name in forms:
        return forms[name]
    names = ", ".join((*(each for each in dialects() if each != pack.dialect.name), *forms))
    raise Trouble(f"There is no dialect and no form called {name!r}.", hint=f"There are {names}.")


def _export(pack: PackHere, export: ExportFormat, options: argparse.Namespace) -> int:
    made: ExportResult = export.make(pack.readable_source())
    _write(Path(options.output), made.files)
    if options.report:
        findings = [finding.to_json() for finding in made.findings]
        _write_report(Path(options.report), {"form": export.name, "findings": findings})
    for finding in made.findings:
        print(_finding(pack, finding))
    print(_wrote(made.files, options.output))
    bad = any(finding.level != "hint" for finding in made.findings)
    return FINDINGS if options.strict and bad else OK


def _finding(pack: PackHere, finding: Finding) -> str:
    place = pack.show(finding.place.path or pack.location.main)
    where = f"{place}:{finding.place.line}" if finding.place.line else place
    hint = f"\n    {finding.hint}" if finding.hint else ""
    return f"{where}: {finding.level} {finding.code} {finding.message}{hint}"


def _write(folder: Path, files: Files) -> None:
    """Write the files. Raises Trouble if another file has one of their paths."""
    for path, data in files.items():
        there = folder / path
        if there.exists() and (not there.is_file() or there.read_bytes() != data):
            raise Trouble(
                f"{there} already exists with other content.",
                hint="Name an empty folder with -o.",
            )
    write_files(folder, files)


def _write_report(path: Path, report: Any) -> None:
    path.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _wrote(files: Files, folder: str) -> str:
    return f"Wrote {len(files)} {'file' if len(files) == 1 else 'files'} to {folder}."


def as_text(pack: PackHere, target: Dialect, made: Conversion) -> str:
    """The conversion report by outcome, the worst last; kept values are only counted."""
    lines = [f"{pack.shown}: {pack.dialect.label} → {target.label}"]
    for fate in FATES:
        count = made.counts[fate]
        if count or fate == "kept":
            lines.append(f"{count} {fate}")
        if fate != "kept":
            lines += _lines(pack, fate, made.report)
    if made.findings:
        lines.append(f"{len(made.findings)} found in the new pack")
        lines += map(_of_new_pack, made.findings)
    return "\n".join(_CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", line) for line in lines)


def _of_new_pack(finding: Finding) -> str:
    where = f"{finding.place.path}:{finding.place.line}: " if finding.place.path else ""
    return f"  {where}{finding.level} {finding.code} {finding.message} {finding.hint}".rstrip()


def _lines(pack: PackHere, fate: Fate, report: Sequence[ReportEntry]) -> Iterable[str]:
    """One line per reason and element, with every line of the files."""
    groups: dict[tuple[str, str, str], list[ReportEntry]] = {}
    for entry in report:
        if entry.fate == fate:
            groups.setdefault((entry.element, entry.feature, entry.why), []).append(entry)
    for (element, feature, why), several in groups.items():
        yield f"  {_where(pack, several)}{element}, {feature}: {why}"


def _where(pack: PackHere, several: Sequence[ReportEntry]) -> str:
    first = several[0].place
    if not first.path:
        return ""
    more = f" (and {len(several) - 1} more)" if len(several) > 1 else ""
    return f"{pack.show(first.path)}:{first.line}{more}: "
