"""The result of a run as JUnit XML: the run itself, and each of its checks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from workflows.core.engine.events import Event

CHECKS = {"check.passed": True, "check.failed": False}
CONTROL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0x7F], "�")
"""Characters that XML cannot contain."""


def write_junit(path: str, *, pack: str, events: Sequence[Event], waiting: str) -> None:
    """Write the report. A check counts as it came out last, since a run may repeat it. `waiting`:
    what the run waits for, "" if it ended."""
    suite = ElementTree.Element("testsuite", name=pack)
    results = {}
    for event in events:
        verdict = _verdict(event)
        if verdict is not None:
            results[verdict[0]] = verdict
    for name, passed, message in results.values():
        _case(suite, pack, name, "" if passed else "failure", message)
    end = next((event for event in events if event.type == "run.finished"), None)
    status = str(end.fields.get("status", "")) if end else "waiting"
    kind = "" if status == "completed" else "failure" if end else "error"
    _case(suite, pack, "run", kind, _reason(end, status, waiting))
    suite.set("tests", str(len(suite)))
    for kind in ("failure", "error"):
        suite.set(f"{kind}s", str(len(suite.findall(f"testcase/{kind}"))))
    suite.set("time", f"{events[-1].at - events[0].at:.3f}" if events else "0")
    tree = ElementTree.ElementTree(suite)
    ElementTree.indent(tree)
    tree.write(Path(path), encoding="utf-8", xml_declaration=True)


def _verdict(event: Event) -> tuple[str, bool, str] | None:
    fields = event.fields
    if event.type in CHECKS:
        name = fields.get("check") or fields.get("name") or "check"
        where = fields.get("state", "")
        label = f"{name} in {where}" if where else str(name)
        return label, CHECKS[event.type], str(fields.get("message", ""))
    if event.type == "promptpack.eval" and "passed" in fields:
        message = f"score {fields['score']}" if "score" in fields else ""
        return f"eval {fields.get('id', '')}", bool(fields["passed"]), message
    return None


def _reason(end: Event | None, status: str, waiting: str) -> str:
    if end is None:
        return f"waiting: {waiting}" if waiting else "waiting"
    return f"{status}: {end.fields.get('reason', '')}".removesuffix(": ")


def _case(suite: ElementTree.Element, pack: str, name: str, kind: str, message: str) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", classname=pack.translate(CONTROL), name=name.translate(CONTROL)
    )
    if kind:
        text = message.translate(CONTROL)
        ElementTree.SubElement(case, kind, message=text.partition("\n")[0]).text = text
