"""`signalbox mcp`: a server for coding agents on stdin and stdout. They read, check and edit packs
of files."""

from __future__ import annotations

import argparse
import sys

from signalbox.help_texts import AddCommand


def add(command: AddCommand) -> None:
    """Add the command and its arguments."""
    added = command(
        "mcp",
        "Serve the packs of paths to a coding agent (MCP).",
        exit_codes="0 the client has closed the input · 2 a path does not exist",
        example="signalbox mcp .",
    )
    added.add_argument("paths", nargs="+", metavar="PATH", help="a file, or a folder with packs")


def run(options: argparse.Namespace) -> int:
    """Serve until the client closes standard input. Raises Trouble for a path that does not
    exist."""
    from signalbox.commands.mcp.folders import Folders

    folders = Folders.of(options.paths)
    sys.stdout = sys.__stdout__  # The protocol has the plain stream; JSON escapes its texts.
    from signalbox.commands.mcp.stdio import serve

    serve(folders)
    return 0
