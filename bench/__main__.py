"""`make bench` runs all benchmarks; `python -m bench steps canvas` runs the named ones.

The rows are written to docs/performance.md. Benchmarks that were not run keep their rows and date.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench._performance_page import PAGE, page
from bench._rows import FILE, Row
from bench._sections import Section, merged

HERE = Path(__file__).parent
ORDER = (
    "check", "edits", "gestures", "engine", "steps", "steps_postgresql",
    "waiting_runs", "pages", "layout", "canvas", "agents",
)  # fmt: skip


def main(names: list[str]) -> int:
    """Run each benchmark in its own process, so that they do not influence each other."""
    known = {path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_")}
    chosen = names or [name for name in ORDER if name in known]
    failed = 0
    for name in chosen:
        if name not in known:
            print(f"Unknown benchmark {name!r}. Available: {', '.join(sorted(known))}.")
            return 2
        print(f"\n=== {name} ===", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "rows")
            env = {**os.environ, FILE: str(file)}
            command = [sys.executable, "-m", f"bench.{name}"]
            failed |= subprocess.run(command, env=env, check=False).returncode
            lines = file.read_text().splitlines() if file.exists() else []
        if rows := [Row.from_json(line) for line in lines]:
            PAGE.write_text(page(merged({name: Section.now(rows)}, order=ORDER)))
    return failed


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
