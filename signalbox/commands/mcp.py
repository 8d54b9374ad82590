"""`signalbox mcp`: a server for coding agents on stdin and stdout."""

from __future__ import annotations

import argparse
import sys

from signalbox.mcp_server.folders import Folders


def run(options: argparse.Namespace) -> int:
    """Serve until the client closes standard input. Raises Trouble for a path that does not
    exist."""
    folders = Folders.of(options.paths)
    sys.stdout = sys.__stdout__  # The protocol has the plain stream; JSON escapes its texts.
    from signalbox.mcp_server.server import serve

    serve(folders)
    return 0
