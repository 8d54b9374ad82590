"""The command line of the prose linter."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from scripts.prose.files import configured, project_files
from scripts.prose.fragments import KINDS, ROOT, Fragment, fragments, masked
from scripts.prose.rules import Alert, alerts

LONGEST_SUBJECT = 72
SUBJECT = re.compile(r"[\w./+-]+(?:, [\w./+-]+)*: [a-z0-9`'\"]")


def main(argv: Sequence[str] | None = None) -> int:
    """Print the alerts. Exit 1 if there are any."""
    options = parser().parse_args(argv)
    if options.commit is not None:
        return _commit(options.commit)
    if options.text is not None:
        pieces = masked([Fragment("text", 1, options.kind or "docs", options.text)])
        return _report(list(alerts(pieces)), options.count)
    paths = configured()
    if options.staged and not options.paths:
        return 0
    files = project_files([str(_relative(path)) for path in options.paths])
    found = [
        alert
        for alert in alerts(filter(paths.allows, fragments(files)))
        if (not options.rule or alert.rule.id in options.rule)
        and (not options.kind or alert.fragment.kind == options.kind)
    ]
    return _report(found, options.count)


def parser() -> argparse.ArgumentParser:
    """The options."""
    top = argparse.ArgumentParser(
        prog="scripts/prose",
        description="Check prose against the rules of docs/style.md.",
        epilog="Without paths, the whole project is checked.",
    )
    top.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files or folders")
    top.add_argument("--staged", action="store_true", help="check nothing without paths")
    top.add_argument("--count", action="store_true", help="print the number of alerts per file")
    top.add_argument("--rule", action="append", help="only this rule; may be repeated")
    top.add_argument("--kind", choices=KINDS, help="only this kind of text")
    top.add_argument("--text", help="check this text instead of files")
    top.add_argument("--commit", type=Path, metavar="FILE", help="check a commit message")
    return top


def _relative(path: Path) -> Path:
    whole = path.resolve()
    return whole.relative_to(ROOT) if whole.is_relative_to(ROOT) else path


def _report(found: list[Alert], count: bool) -> int:
    if count:
        for path, number in sorted(Counter(alert.fragment.path for alert in found).items()):
            print(f"{number:6} {path}")
    else:
        for alert in sorted(found, key=lambda one: (one.fragment.path, one.line)):
            print(alert)
    files = len({alert.fragment.path for alert in found})
    print(f"{len(found)} alerts in {files} files.", file=sys.stderr)
    return 1 if found else 0


def _commit(file: Path) -> int:
    """Check the shape of the subject and the words of the whole message."""
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    message = "\n".join(lines).strip()
    faults = subject_faults(message.partition("\n")[0])
    for fault in faults:
        print(f"{file.name}:1: error: {fault}")
    pieces = masked([Fragment(file.name, 1, "commit", message)])
    return max(_report(list(alerts(pieces)), count=False), 1 if faults else 0)


def subject_faults(subject: str) -> list[str]:
    """Problems with the shape of a commit subject: `area: imperative summary`."""
    if subject.startswith(("Merge ", "Revert ", "fixup! ", "squash! ")):
        return []
    faults = []
    if not SUBJECT.match(subject):
        faults.append("The subject has no area. Write `area: imperative summary`.")
    if len(subject) > LONGEST_SUBJECT:
        faults.append(f"The subject has {len(subject)} characters; {LONGEST_SUBJECT} fit.")
    if subject.endswith("."):
        faults.append("The subject ends in a full stop. Remove it.")
    return faults
