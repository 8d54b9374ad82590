"""A report as markdown: the body of one comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from signalbox.commands.coverage import Coverage
from signalbox.commands.report import Checked, Report
from workflows.core.pack.findings import Finding
from workflows.core.rules.kit import count_of
from workflows.core.text.visible import escaped

MARK = "<!-- signalbox -->"
"""The first line, by which an earlier comment is found again."""

MOST_ROWS = 50
"""Number of rows of a table. Code hosts limit the length of a comment."""

LONGEST = 500
"""Number of characters of a cell."""

LONGEST_COMMENT = 60_000
"""Number of bytes of a comment. GitHub accepts 65,536 characters."""

_SPECIAL = {char: f"\\{char}" for char in "\\`*_{}[]()~|>"}
_ENTITIES = {"&": "&amp;", "<": "&lt;"}
_INVISIBLE = "\u200b"
"""A space without width, which keeps code hosts from making a mention or a link of a text."""

_LINKS = {char: f"{char}{_INVISIBLE}" for char in "@#:"}
_TABLE = str.maketrans({**_SPECIAL, **_ENTITIES, **_LINKS, "\n": " ", "\r": " "})


def as_markdown(report: Report) -> str:
    """New findings, coverage, divergences and drawings of changes. Texts of packs are data, so
    nothing in them is read as markup."""
    tables = [MARK, *_findings(report), *_bounds(report), *_coverage(report), *_divergences(report)]
    return "\n".join([*tables, *_drawings(report, len("\n".join(tables).encode()))])


def _drawings(report: Report, used: int) -> Iterator[str]:
    """The drawings that fit into a comment of which `used` bytes are used."""
    if report.drawings:
        yield "\n### Changes\n"
        yield "Green is added, red is removed, yellow is changed.\n"
    left_out = 0
    for name, drawing in report.drawings.items():
        used += len(drawing.encode()) + LONGEST
        if used > LONGEST_COMMENT:
            left_out += 1
            continue
        yield f"**{_text(name)}**\n"
        yield f"```mermaid\n{drawing}\n```\n"
    if left_out:
        yield f"{count_of(left_out, 'more changed pack')} not drawn: the comment is too long."


def _findings(report: Report) -> Iterator[str]:
    rows = [(one, finding) for one in report.packs for finding in one.findings]
    number = count_of(len(rows), "new finding") if report.known else count_of(len(rows), "finding")
    yield f"### Signalbox: {number if rows else 'no new findings'}"
    yield ""
    if rows:
        rows.sort(key=lambda row: ("error", "warning", "hint").index(row[1].level))
        yield "| level | place | finding |"
        yield "|---|---|---|"
        yield from (_row(one, finding) for one, finding in rows[:MOST_ROWS])
        yield ""
        yield from _rest(len(rows))
    totals = [f"{count_of(len(report.packs), 'pack')} checked."]
    if report.known:
        totals.append(f"{count_of(report.known, 'known finding')} in the baseline.")
    if report.gone:
        totals.append(
            f"{count_of(len(report.gone), 'finding')} of the baseline gone: "
            "`signalbox check --write-baseline` removes the entries."
        )
    yield " ".join(totals)


def _row(one: Checked, finding: Finding) -> str:
    line = f", line {finding.place.line}" if finding.place.line else ""
    text = finding.message + (f" {finding.hint}" if finding.hint else "")
    place = _text(one.path_of(finding))
    return f"| {finding.level} | {place}{line} | **{finding.code}** {_text(text)} |"


def _bounds(report: Report) -> Iterator[str]:
    """The worst cases that differ from those of the base."""
    rows = [
        (one.pack.shown, one.bound, one.bound_before)
        for one in report.packs
        if one.bound and one.bound_before and one.bound.text != one.bound_before.text
    ]
    if not rows:
        return
    yield "\n### Worst case of a run\n"
    yield "| pack | at most | more because of |"
    yield "|---|---|---|"
    for name, bound, before in rows[:MOST_ROWS]:
        lines = ", ".join(f"line {line}" for line in bound.grown_since(before))
        change = f"**{_text(bound.change_from(before))}** {bound.unit}"
        yield f"| {_text(name)} | {change} | {lines} |"
    yield ""
    yield from _rest(len(rows))


def _coverage(report: Report) -> Iterator[str]:
    if not report.coverage:
        return
    yield "\n### Coverage\n"
    yield "| pack | coverage | never taken |"
    yield "|---|---|---|"
    for name, one in list(report.coverage.items())[:MOST_ROWS]:
        if isinstance(one, Coverage):
            yield f"| {_text(name)} | {_percentage(one)} | {_text(', '.join(one.gaps))} |"
        else:
            yield f"| {_text(name)} | none | {_text(one)} |"
    yield ""
    yield from _rest(len(report.coverage))


def _percentage(one: Coverage) -> str:
    needed = "" if one.needed is None else f" (required: {one.needed:g}%)"
    failed = "" if one.passes else "**too low:** "
    return f"{failed}{one.change}{needed}"


def _divergences(report: Report) -> Iterator[str]:
    verdicts = {name: verdict for one in report.runs for name, verdict in one.verdicts.items()}
    if not verdicts:
        return
    yield "\n### Recorded runs\n"
    different = {name: one.divergence for name, one in verdicts.items() if one.divergence}
    if different:
        yield "| run | first divergence |"
        yield "|---|---|"
        for name, divergence in list(different.items())[:MOST_ROWS]:
            yield f"| {_text(name)} | {_text(divergence.message)} |"
        yield ""
        yield from _rest(len(different))
    total = count_of(len(verdicts), "run")
    yield f"{len(verdicts) - len(different)} of {total} without divergence."


def _rest(rows: int) -> Iterator[str]:
    if rows > MOST_ROWS:
        yield f"{rows - MOST_ROWS} more are in the log of the check.\n"


def _text(text: str) -> str:
    """A text without any markup, mention or link."""
    short = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    plain = escaped(short).replace("www.", f"www{_INVISIBLE}.")
    return plain.translate(_TABLE)
