"""`make bench` runs all benchmarks; `python -m bench steps canvas` runs the named ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

KNOWN = sorted(
    path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_")
)


def main(names: list[str]) -> int:
    """Run each benchmark in its own process, so that they do not influence each other."""
    failed = 0
    for name in names or KNOWN:
        if name not in KNOWN:
            print(f"Unknown benchmark {name!r}. Available: {', '.join(KNOWN)}.")
            return 2
        print(f"\n=== {name} ===", flush=True)
        failed |= subprocess.run([sys.executable, "-m", f"bench.{name}"], check=False).returncode
    return failed


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
