"""`signalbox lsp`: a language server on stdin and stdout. Editors show the findings of a pack when
one of its files is opened or saved."""

from __future__ import annotations

import argparse
import sys

from signalbox.help_texts import AddCommand


def add(command: AddCommand) -> None:
    """Add the command."""
    command(
        "lsp",
        "Serve findings and states to an editor (Language Server Protocol).",
        exit_codes="0 the editor has closed the input · 2 the package pygls is not installed",
        example="signalbox lsp",
    )


def run(options: argparse.Namespace) -> int:
    """Serve until the editor closes standard input."""
    from signalbox.commands.lsp.server import SERVER

    sys.stdout = sys.__stdout__  # The protocol has the plain stream; JSON escapes its texts.
    SERVER.start_io()
    return 0
