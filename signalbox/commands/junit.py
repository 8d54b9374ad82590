"""Results as JUnit XML: of a run and its checks, of packs, of transitions and of recorded runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias
from xml.etree import ElementTree

from workflows.core.engine.events import Event

CHECKS = {"check.passed": True, "check.failed": False}
CONTROL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0x7F, 0xFFFE, 0xFFFF], "�")
CONTROL.update(dict.fromkeys(range(0xD800, 0xE000), "�"))
"""Characters that XML cannot contain."""

Result: TypeAlias = Literal["", "failure", "error", "skipped"]
"""The result of a case, as the name of its XML element; "" if it passed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test case."""

    name: str
    result: Result = ""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """The cases of one pack. `time`: seconds, None if they are not measured."""

    name: str
    cases: Sequence[Case]
    time: float | None = None


def write_suites(path: str, suites: Iterable[Suite]) -> None:
    """Write a report with one suite for each pack."""
    root = ElementTree.Element("testsuites")
    root.extend(_suite(suite) for suite in suites)
    _write(path, root)


def write_junit(path: str, *, pack: str, events: Sequence[Event], waiting: str) -> None:
    """Write the report of a run. A check counts as it came out last, since a run may repeat it.
    `waiting`: what the run waits for, "" if it ended."""
    results = {}
    for event in events:
        verdict = _verdict(event)
        if verdict is not None:
            results[verdict.name] = verdict
    end = next((event for event in events if event.type == "run.finished"), None)
    status = str(end.fields.get("status", "")) if end else "waiting"
    result: Result = "" if status == "completed" else "failure" if end else "error"
    last = Case(name="run", result=result, message=_reason(end, status, waiting))
    time = events[-1].at - events[0].at if events else 0
    _write(path, _suite(Suite(name=pack, cases=[*results.values(), last], time=time)))


def _verdict(event: Event) -> Case | None:
    fields = event.fields
    if event.type in CHECKS:
        name = fields.get("check") or fields.get("name") or "check"
        where = fields.get("state", "")
        label = f"{name} in {where}" if where else str(name)
        return _judged(label, CHECKS[event.type], str(fields.get("message", "")))
    if event.type == "promptpack.eval" and "passed" in fields:
        message = f"score {fields['score']}" if "score" in fields else ""
        return _judged(f"eval {fields.get('id', '')}", bool(fields["passed"]), message)
    return None


def _judged(name: str, passed: bool, message: str) -> Case:
    return Case(name=name, result="" if passed else "failure", message=message)


def _reason(end: Event | None, status: str, waiting: str) -> str:
    if end is None:
        return f"waiting: {waiting}" if waiting else "waiting"
    return f"{status}: {end.fields.get('reason', '')}".removesuffix(": ")


def _suite(suite: Suite) -> ElementTree.Element:
    made = ElementTree.Element("testsuite", name=suite.name.translate(CONTROL))
    for case in suite.cases:
        element = ElementTree.SubElement(
            made,
            "testcase",
            classname=suite.name.translate(CONTROL),
            name=case.name.translate(CONTROL),
        )
        if case.result:
            text = case.message.translate(CONTROL)
            ElementTree.SubElement(
                element, case.result, message=text.partition("\n")[0]
            ).text = text
    made.set("tests", str(len(made)))
    for result, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        made.set(count, str(len(made.findall(f"testcase/{result}"))))
    if suite.time is not None:
        made.set("time", f"{suite.time:.3f}")
    return made


def _write(path: str, root: ElementTree.Element) -> None:
    tree = ElementTree.ElementTree(root)
    ElementTree.indent(tree)
    tree.write(Path(path), encoding="utf-8", xml_declaration=True)
