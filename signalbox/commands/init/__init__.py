"""`signalbox init`: files with which the coding agents of a project find Signalbox."""

from __future__ import annotations

import argparse
from pathlib import Path

from signalbox.help_texts import AddCommand

WHAT = ("mcp", "skill", "agents")


def add(command: AddCommand) -> None:
    """Add the command and its arguments."""
    added = command(
        "init",
        "Write files with which the coding agents of a project find Signalbox.",
        exit_codes="0 · 2 a file cannot be read or written, or is another skill of this name",
        example="signalbox init mcp skill agents",
    )
    added.add_argument(
        "what",
        nargs="+",
        choices=WHAT,
        metavar="WHAT",
        help="mcp: the server in .mcp.json; skill: .agents/skills/signalbox, and .claude/skills "
        "if there is a folder .claude; agents: a paragraph in AGENTS.md",
    )
    added.add_argument("--folder", default=".", metavar="DIR", help="the project (default: .)")


def run(options: argparse.Namespace) -> int:
    """Write all files or none. Raises Trouble and OSError."""
    from signalbox.commands.init.files import files_of
    from signalbox.commands.output import write_files

    folder = Path(options.folder)
    files = files_of(folder, options.what)
    # The file that a link leads to is written, so that the link stays.
    changes = {
        str((folder / path).resolve()): data
        for path, (before, data) in files.items()
        if data != before
    }
    write_files(folder, changes)
    for path, (before, data) in files.items():
        word = "unchanged" if data == before else "added" if before is None else "changed"
        print(f"{word} {(folder / path).as_posix()}")
    return 0
