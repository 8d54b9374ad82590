"""`make bench` runs all benchmarks; `python -m bench live canvas` runs the named ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ORDER = ("json_text", "check", "edits", "steps", "live", "waiting", "canvas")


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
        failed |= subprocess.run([sys.executable, "-m", f"bench.{name}"], check=False).returncode
    return failed


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
