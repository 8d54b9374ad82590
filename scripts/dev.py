"""Development server: Django restarts and the canvas updates when a file changes.

The browser connects to Vite on `--port`. Vite serves the sources of the canvas with hot module
replacement and passes all other requests to Django on the next port. Django is restarted when a
Python file, a template or a shipped role changes.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import watchfiles

ROOT = Path(__file__).resolve().parents[1]
WATCHED = [ROOT / name for name in ("signalbox", "workflows", "roles", "templates")]
SUFFIXES = {".py", ".html", ".svg", ".toml", ".json", ".md"}


class Sources(watchfiles.DefaultFilter):
    """Files that need a restart of Django."""

    def __call__(self, change: watchfiles.Change, path: str) -> bool:
        return Path(path).suffix in SUFFIXES and super().__call__(change, path)


def main() -> int:
    """Run both servers until Ctrl+C, or until Vite ends."""
    options = _options()
    django = f"{options.host}:{options.port + 1}"
    os.environ["SIGNALBOX_REFRESH"] = "1"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    vite = subprocess.Popen(
        [
            ROOT / "scripts" / "node.sh",
            *("node", "node_modules/vite/bin/vite.js", "--config", "dev.config.ts"),
            *("--host", options.host, "--port", str(options.port), "--clearScreen", "false"),
        ],
        env=os.environ | {"DEV_SERVER": f"http://{django}"},
        start_new_session=True,
    )
    print(f"Open http://{options.host}:{options.port}/ after you signed in.", flush=True)
    command = [sys.executable, "-m", "signalbox", "serve", "--host", options.host]
    try:
        watchfiles.run_process(
            *WATCHED,
            target=shlex.join([*command, "--port", str(options.port + 1)]),
            target_type="command",
            watch_filter=Sources(),
            callback=lambda changes: print(f"Restart: {_changed(changes)}", flush=True),
        )
    finally:
        os.killpg(vite.pid, signal.SIGTERM)
        vite.wait()
    return 0


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="scripts.dev", description=__doc__)
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=8000, help="Vite's; Django takes the next")
    return options.parse_args()


def _changed(changes: set[tuple[watchfiles.Change, str]]) -> str:
    return ", ".join(sorted({str(Path(path).relative_to(ROOT)) for _, path in changes}))


if __name__ == "__main__":
    sys.exit(main())
