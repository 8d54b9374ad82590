"""`signalbox convert`: a pack in another dialect, or in an export format of its own."""

from __future__ import annotations

import argparse

from signalbox.help_texts import UNREADABLE, AddCommand


def add(command: AddCommand) -> None:
    """Add the command and its arguments."""
    added = command(
        "convert",
        "Write a pack in another format.",
        exit_codes=f"0 · 1 lossy, with --strict · {UNREADABLE}",
        example="signalbox convert review.pack.json --to stages -o out",
    )
    added.add_argument("path", metavar="PATH", help="a file, a folder, or - for stdin")
    added.add_argument(
        "--to", required=True, metavar="DIALECT", help="or an export format of the pack"
    )
    added.add_argument("-o", "--output", required=True, metavar="DIR", help="write files here")
    added.add_argument("--report", metavar="FILE", help="write the conversion report as JSON")
    added.add_argument("--profile", help="how to read the format where readings differ")
    added.add_argument(
        "--strict", action="store_true", help="exit 1 if anything was approximated or dropped"
    )


def run(options: argparse.Namespace) -> int:
    """Exit 0; 1 if the new pack has errors, or with `--strict` if something was lost; 2 if nothing
    can be written."""
    from signalbox.commands.convert.conversion import write_converted

    return write_converted(options)
