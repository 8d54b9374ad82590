"""The end of each `signalbox COMMAND --help`: exit codes and an example."""

from __future__ import annotations

import argparse
from typing import Protocol

UNREADABLE = "2 invalid arguments, or a file that cannot be read"

EXIT_CODES = {
    "check": f"0 no finding that fails · 1 findings · {UNREADABLE}",
    "graph": f"0 · {UNREADABLE}",
    "diff": f"0 no difference · 1 differences · {UNREADABLE}",
    "edit": f"0 · 1 an edit is not possible · {UNREADABLE}",
    "merge": f"0 merged · 1 a conflict, or a new error in the result · {UNREADABLE}",
    "schema": "0 · 2 an unknown dialect, or one without a schema",
    "run": f"0 completed · 1 failed · {UNREADABLE} · 3 budget used up · 4 waiting for a person",
    "rehearse": f"0 covered · 1 a transition was never taken, or every run failed · {UNREADABLE}",
    "verify": f"0 no divergence · 1 divergences · {UNREADABLE}",
    "completion": "0 · 2 an unknown shell",
    "serve": "0 stopped · 2 the server cannot start",
    "open": "0 stopped · 2 the folder cannot be opened",
    "worker": "0 stopped · 2 the worker cannot start",
    "import": f"0 · {UNREADABLE}",
    "export": "0 · 2 an unknown pack, or a file that exists",
    "prune": "0 · 2 no limit is set",
    "backup": "0 · 2 the file exists, or cannot be written",
    "restore": "0 · 2 the file is damaged or newer, or the target is in use or has content",
    "move": "0 · 2 a database cannot be reached, is in use, or has content",
    "keys": "0 · 2 the server is running, or the old key is unknown",
}

EXAMPLES = {
    "check": "signalbox check . --since origin/main --format github",
    "graph": "signalbox graph review.pack.json --format mermaid",
    "diff": "signalbox diff old.pack.json review.pack.json",
    "edit": "signalbox edit review.pack.json --edits edits.json",
    "merge": "signalbox merge base.json ours.json theirs.json --path review.pack.json",
    "schema": "signalbox schema -o .vscode/signalbox",
    "run": "signalbox run review.pack.json --driver rehearsal --junit report.xml",
    "rehearse": "signalbox rehearse review.pack.json --runs 200",
    "verify": "signalbox verify review.pack.json",
    "completion": "signalbox completion bash > ~/.bash_completion.d/signalbox",
    "serve": "signalbox serve --port 8080",
    "open": "signalbox open .agent",
    "worker": "signalbox worker --at-once 200",
    "import": "signalbox import .agent",
    "export": "signalbox export review --to packs",
    "prune": "signalbox prune --days 90 --dry-run",
    "backup": "signalbox backup /backups/signalbox.zip",
    "restore": "signalbox restore /backups/signalbox-2026-11-27.zip",
    "move": "signalbox move --to postgresql://signalbox@db.example/signalbox",
    "keys": "signalbox keys rotate",
}


class AddCommand(Protocol):
    """Adds a command with this name and summary."""

    def __call__(
        self, name: str, about: str, /, *, exit_codes: str, example: str
    ) -> argparse.ArgumentParser: ...


def ending(exit_codes: str, example: str) -> str:
    """The exit codes and an example of a command."""
    return f"exit codes: {exit_codes}\n\nexample:\n  {example}"
