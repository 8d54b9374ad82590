"""Apply each mutation of tests/mutations/mutations.toml in a clone, and check that a test fails.

    .venv/bin/python scripts/mutations.py               # all of them
    .venv/bin/python scripts/mutations.py budget-cost   # those whose id begins so

The named tests must pass without a mutation. Then each mutation is applied by itself and its own
tests are run. Prints a table of mutations and failing tests; exits with 1 if a mutation survives.
The clone holds what is committed, and links to the packages installed in this checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "tests" / "mutations" / "mutations.toml"
BORROWED = (".venv", "frontend_static/node_modules", "frontend_static/dist")
IN_NODE = ".ts"
TIME_LIMIT = 300.0
"""Seconds that the tests of one mutation may take: a test that hangs counts as failed."""


@dataclass(frozen=True, kw_only=True)
class Mutation:
    """One change to the code. `old` occurs once in `file`. A test is `path::name` for pytest and
    `path > name` for vitest; without a name all tests of the file are run."""

    id: str
    about: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def mutated(self, text: str) -> str:
        """Raises ValueError where `old` is not there exactly once."""
        if text.count(self.old) != 1:
            raise ValueError(f"{self.id}: {text.count(self.old)} × {self.old!r} in {self.file}")
        return text.replace(self.old, self.new)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """`failed`: the tests that did. `broken`: what kept them from being run, "" for nothing."""

    failed: tuple[str, ...] = ()
    broken: str = ""


def mutations() -> tuple[Mutation, ...]:
    body = tomllib.loads(LIST.read_text())
    return tuple(Mutation(**{**one, "tests": tuple(one["tests"])}) for one in body["mutation"])


def run_tests(tests: Iterable[str], where: Path, *, first: bool = True) -> Outcome:
    """Run these tests in a checkout, with `first` only until one fails."""
    chosen = list(dict.fromkeys(tests))
    in_node = [test for test in chosen if test.partition(" > ")[0].endswith(IN_NODE)]
    in_python = [test for test in chosen if test not in in_node]
    outcomes = []
    if in_python:
        outcomes.append(_pytest(in_python, where, first))
    outcomes += [_vitest(test, where) for test in in_node]
    broken = "; ".join(outcome.broken for outcome in outcomes if outcome.broken)
    return Outcome(failed=tuple(name for one in outcomes for name in one.failed), broken=broken)


def _pytest(tests: Sequence[str], where: Path, first: bool) -> Outcome:
    options = ["-q", "-n", "0", "-rf", "--tb=no", *(["-x"] if first else [])]
    done = _run([sys.executable, "-m", "pytest", *options, *tests], where)
    if done is None:
        return Outcome(failed=("(no end within the time limit)",))
    lines = [line for line in done.stdout.splitlines() if line.startswith("FAILED ")]
    failed = tuple(line.removeprefix("FAILED ").partition(" - ")[0] for line in lines)
    if done.returncode in (0, 1) and bool(failed) == (done.returncode == 1):
        return Outcome(failed=failed)
    return Outcome(failed=failed, broken=f"pytest: {(done.stdout + done.stderr)[-400:].strip()}")


def _vitest(test: str, where: Path) -> Outcome:
    path, _, name = test.partition(" > ")
    file = path.removeprefix("frontend_static/")
    named = ["-t", name] if name else []
    command = ["scripts/node.sh", "run", "--silent", "test", "--", file, "--reporter=json", *named]
    done = _run(command, where)
    if done is None:
        return Outcome(failed=("(no end within the time limit)",))
    try:
        report: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{") :])
    except ValueError:
        return Outcome(broken=f"vitest: {(done.stdout + done.stderr)[-400:].strip()}")
    results = [one for suite in report["testResults"] for one in suite["assertionResults"]]
    if not any(one["status"] in ("passed", "failed") for one in results):
        return Outcome(broken=f"vitest ran nothing of {test}")
    failed = [one["fullName"].strip() for one in results if one["status"] == "failed"]
    return Outcome(failed=tuple(f"{path} > {one}" for one in failed))


def _run(command: Sequence[str], where: Path) -> subprocess.CompletedProcess[str] | None:
    """Run a command; None if it exceeds the time limit.

    No bytecode is written: Python would reuse that of a mutation of the same length and second.
    """
    around = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
    try:
        return subprocess.run(
            command,
            cwd=where,
            env=around,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIME_LIMIT,
        )
    except subprocess.TimeoutExpired:
        return None


def clone(where: Path) -> None:
    """Clone the committed tree and link the installed packages."""
    subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, where], check=True)
    for name in BORROWED:
        if (ROOT / name).exists():
            (where / name).parent.mkdir(parents=True, exist_ok=True)
            (where / name).symlink_to((ROOT / name).resolve())


def try_out(mutation: Mutation, where: Path) -> Outcome:
    """The outcome of the mutation's tests with it applied. Afterwards the file is as it was."""
    file = where / mutation.file
    before = file.read_bytes()
    file.write_bytes(mutation.mutated(before.decode()).encode())
    try:
        return run_tests(mutation.tests, where)
    finally:
        file.write_bytes(before)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ids", nargs="*", metavar="ID", help="beginnings of ids (default: all)")
    wanted = tuple(parser.parse_args().ids) or ("",)
    chosen = [one for one in mutations() if one.id.startswith(wanted)]
    survived = 0
    with tempfile.TemporaryDirectory(prefix="signalbox-mutations-") as folder:
        where = Path(folder) / "clone"
        clone(where)
        whole = run_tests((test for one in chosen for test in one.tests), where, first=False)
        if whole.failed or whole.broken:
            print("Without a mutation:", *whole.failed, whole.broken, sep="\n  ")
            return 1
        width = max((len(one.id) for one in chosen), default=0)
        print(f"{'mutation':<{width}}  seconds  failing test")
        for mutation in chosen:
            begun = time.monotonic()
            outcome = try_out(mutation, where)
            caught = bool(outcome.failed) and not outcome.broken
            survived += not caught
            result = outcome.failed[0] if caught else f"SURVIVED {outcome.broken}"
            took = time.monotonic() - begun
            print(f"{mutation.id:<{width}}  {took:7.1f}  {result}", flush=True)
    print(f"{len(chosen) - survived} of {len(chosen)} mutations fail a test.")
    return 1 if survived else 0


if __name__ == "__main__":
    raise SystemExit(main())
