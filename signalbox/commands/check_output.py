"""The formats of `signalbox check`."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from signalbox.commands.errors import Trouble
from signalbox.commands.junit import Case, Suite
from signalbox.commands.report import Checked, Report
from signalbox.terminal import Line, print_lines
from workflows.core.pack.findings import Finding
from workflows.core.rules.check import rules_for, summary
from workflows.core.rules.kit import count_of
from workflows.providers.call_costs import RunCost

STYLES = {"error": "red", "warning": "yellow", "hint": "cyan"}
MOST_GONE = 10
"""Number of entries of the baseline that are listed as gone."""


FORMATS = ("json", "sarif", "github", "markdown")
"""Formats for programs."""


def formatted(report: Report, format: str) -> str:
    """The findings in one of `FORMATS`."""
    match format:
        case "json":
            return as_json(report)
        case "sarif":
            from signalbox.commands.sarif import sarif

            return json.dumps(sarif(report.packs), indent=2, ensure_ascii=False)
        case "github":
            return "\n".join(filter(None, [as_github(report.packs), *_failed_gates(report)]))
        case _:
            from signalbox.commands.markdown import as_markdown

            return as_markdown(report)


def write_outputs(report: Report, outputs: Sequence[tuple[str, Path]]) -> None:
    """Write the findings to files, each in its format. Raises Trouble."""
    for format, file in outputs:
        try:
            file.write_text(formatted(report, format) + "\n", encoding="utf-8")
        except OSError as error:
            raise Trouble(f"{file} cannot be written: {error.strerror}.") from None


def print_report(report: Report, options: argparse.Namespace) -> None:
    """Print the findings in the format of the options."""
    match options.format:
        case format if format in FORMATS:
            print(formatted(report, format))
        case _ if options.statistics:
            print_lines(statistics(report))
        case _ if options.quiet:
            lines = (_finding(one, finding) for one in report.packs for finding in _failing(one))
            print_lines(line for finding in lines for line in finding)
            print_lines(_gates(report, only_failing=True))
        case _:
            print_lines(text_lines(report))


def text_lines(report: Report) -> Iterator[Line]:
    """`path:line: level code message`, then the fix and the consequences; at the end the
    totals."""
    for one in report.packs:
        yield from _bound(one)
    for one in report.packs:
        keys = {finding.key for finding in one.findings}
        for finding in one.findings:
            if finding.cause in keys:
                yield [f"    therefore {finding.code} {finding.message}"]
            else:
                yield from _finding(one, finding)
    yield _totals(report)
    yield from _about_baseline(report)
    yield from _gates(report)


def _bound(one: Checked) -> Iterator[Line]:
    """The worst case of a run, by model."""
    if one.bound is None:
        return
    bound, limit = one.bound, one.project.max_agents
    over = bound.most is None or (limit is not None and bound.most > limit)
    assumed = bound.most is not None and bound.text != bound.formula
    number = bound.change_from(one.bound_before) + (f" = {bound.formula}" if assumed else "")
    ends = "" if bound.most is not None else f". No upper limit: {', '.join(bound.open)}"
    colour = "red" if over else "green"
    yield [f"{one.pack.shown}: at most ", (number, colour), f" {bound.unit}{ends}"]
    if lines := one.bound_before and bound.grown_since(one.bound_before):
        yield [f"    more because of line {', '.join(map(str, lines))}"]
    if len(bound.models) > 1:
        yield [f"    {'; '.join(f'{name}: {value}' for name, value in bound.models.items())}"]
    if one.cost is not None:
        yield _cost(one.cost, one.project.max_cost)


def _cost(cost: RunCost, limit: float | None) -> Line:
    """The worst case in money, by model, and what it rests on."""
    if cost.most is None:
        return ["    ", ("no limit in money", "red"), f": {'; '.join(cost.missing)}"]
    colour = "red" if limit is not None and cost.most > limit else "green"
    models = "; ".join(f"{name}: ${usd:,.2f}" for name, usd in cost.models.items())
    return ["    at most ", (f"${cost.most:,.2f}", colour), f" ({models}), {cost.basis}"]


def _gates(report: Report, *, only_failing: bool = False) -> Iterator[Line]:
    """Coverage and recorded runs, a line for each."""
    for name, one in report.coverage.items():
        if isinstance(one, str):
            if not only_failing:
                yield [f"{name}: {one}"]
        elif not one.passes or not only_failing:
            style = "green" if one.passes else "red"
            gaps = f"; never taken: {', '.join(one.gaps)}" if one.gaps else ""
            yield [f"{name}: ", (f"coverage {one.change}", style), gaps]
    for runs in report.runs:
        for name, verdict in runs.verdicts.items():
            if verdict.divergence:
                yield [f"{name}: ", ("diverges", "red"), f". {verdict.divergence.message}"]
            elif not only_failing:
                yield [f"{name}: ", ("no divergence", "green"), "."]


def _failed_gates(report: Report) -> Iterator[str]:
    """An annotation for each gate that fails, without a line of a file."""
    for line in _gates(report, only_failing=True):
        text = "".join(part if isinstance(part, str) else part[0] for part in line)
        yield f"::error title=Signalbox::{_escaped(text)}"


def _finding(one: Checked, finding: Finding) -> Iterator[Line]:
    line = f":{finding.place.line}" if finding.place.line else ""
    level = (finding.level, STYLES[finding.level])
    yield [f"{one.path_of(finding)}{line}: ", level, f" {finding.code} {finding.message}"]
    if finding.hint:
        yield [f"    {finding.hint}"]


def statistics(report: Report) -> Iterator[Line]:
    """Findings per code, the most frequent first, then the totals."""
    counts = Counter(finding.code for one in report.packs for finding in one.findings)
    titles = {rule.code: rule.title for one in report.packs for rule in rules_for(one.pack.dialect)}
    levels = {finding.code: finding.level for one in report.packs for finding in one.findings}
    for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        level = levels[code]
        yield [f"{count:>5}  {code}  ", (f"{level:<7}", STYLES[level]), f"  {titles.get(code, '')}"]
    yield _totals(report)
    yield from _about_baseline(report)


def _totals(report: Report) -> Line:
    counts = ", ".join(count_of(count, level) for level, count in report.counts.items())
    return [f"{count_of(len(report.packs), 'pack')}: {counts}."]


def _failing(one: Checked) -> Sequence[Finding]:
    return one.failing if one.readable else one.findings


def _about_baseline(report: Report) -> Iterator[Line]:
    if report.known:
        yield [f"Not shown: {count_of(report.known, 'known finding')} of the baseline."]
    if report.gone:
        yield [
            f"The baseline has {count_of(len(report.gone), 'finding')} too many. "
            "`signalbox check --write-baseline` removes the entries that are gone:"
        ]
    for entry in report.gone[:MOST_GONE]:
        yield [f"    {entry.path}: {entry.code} {entry.message}"]
    if len(report.gone) > MOST_GONE:
        yield [f"    … {len(report.gone) - MOST_GONE} more"]


def suite(one: Checked) -> Suite:
    """A case for each finding that fails, else one that passes."""
    cases = [
        Case(
            name=f"{finding.code} line {finding.place.line}",
            result="failure",
            message=f"{finding.message} {finding.hint}\n"
            f"{one.path_of(finding)}:{max(1, finding.place.line)}",
        )
        for finding in _failing(one)
    ]
    return Suite(name=one.pack.shown, cases=cases or [Case(name="check")])


def finding_json(one: Checked, finding: Finding) -> dict[str, object]:
    """A finding with its path relative to the working directory."""
    return {**finding.to_json(), "path": one.path_of(finding)}


def as_json(report: Report) -> str:
    """`{packs: [{path, dialect, profile, name, readable, findings, counts, known}], counts, known,
    gone}`."""
    packs = [
        {
            "path": one.pack.shown,
            "name": one.pack.location.name,
            "dialect": one.pack.dialect.name,
            "profile": one.profile,
            "readable": one.readable,
            "findings": [finding_json(one, finding) for finding in one.findings],
            "counts": summary(one.findings),
            "known": len(one.known),
            **({"worst_case": one.bound.to_json()} if one.bound else {}),
            **({"worst_cost": one.cost.to_json()} if one.cost else {}),
            **({"worst_case_before": one.bound_before.to_json()} if one.bound_before else {}),
        }
        for one in report.packs
    ]
    gone = [
        {"path": entry.path, "code": entry.code, "message": entry.message} for entry in report.gone
    ]
    coverage = {
        name: {"error": one}
        if isinstance(one, str)
        else {"percentage": round(one.percentage, 2), "gaps": list(one.gaps), "passes": one.passes}
        for name, one in report.coverage.items()
    }
    runs = {
        name: verdict.to_json() for one in report.runs for name, verdict in one.verdicts.items()
    }
    body: dict[str, object] = {
        "packs": packs,
        "counts": report.counts,
        "known": report.known,
        "gone": gone,
    }
    body |= {"coverage": coverage} if coverage else {}
    body |= {"runs": runs} if runs else {}
    return json.dumps(body, indent=2, ensure_ascii=False)


def as_github(checked: Sequence[Checked]) -> str:
    """Workflow commands: annotations on the lines of a pull request."""
    words = {"error": "error", "warning": "warning", "hint": "notice"}
    lines = []
    for one in checked:
        for finding in one.findings:
            path = _escaped(one.path_of(finding), part=True)
            text = finding.message + (f" {finding.hint}" if finding.hint else "")
            lines.append(
                f"::{words[finding.level]} file={path},line={finding.place.line or 1},"
                f"title={_escaped(finding.code, part=True)}::{_escaped(text)}"
            )
    return "\n".join(lines)


def _escaped(text: str, *, part: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if part else text
