"""The commands that need the server's database, such as `serve`, `open` and `import`."""

from __future__ import annotations

import argparse
from typing import Any

from signalbox.commands.errors import UNREADABLE, Trouble
from signalbox.database import errors_in_words, prepare


def run(options: argparse.Namespace) -> int:
    """Call the part that uses the database."""
    with errors_in_words():
        match options.command:
            case "serve":
                from signalbox.serve import serve

                serve(options.host, options.port)
            case "open":
                from signalbox.serve import serve

                serve(
                    port=options.port,
                    folder=options.folder,
                    save_layout=options.save_layout,
                    browser=not options.no_browser,
                )
            case "worker":
                from signalbox.worker import work

                work(options.at_once, options.metrics)
            case "import":
                _import(options.path, separate=options.separate)
            case "prune":
                _prune(options.days, dry=options.dry_run)
            case _:
                _export(options.pack, options.to, force=options.force)
    return 0


def _import(path: str, *, separate: bool) -> None:
    transfer, caller_error = _server_parts("import")
    try:
        imported = transfer.import_path(path, separate=separate)
    except caller_error as error:
        raise _trouble(error) from error
    for pack in imported.packs:
        if pack.pk in imported.updated:
            print(f"updated {pack.name} ({pack.dialect}), pack {pack.pk}, to revision {pack.head}")
        else:
            print(f"imported {pack.name} ({pack.dialect}) as pack {pack.pk}")


def _export(pack: str, to: str, *, force: bool) -> None:
    transfer, caller_error = _server_parts("export")
    try:
        written = transfer.export_pack(pack, to, force=force)
    except caller_error as error:
        raise _trouble(error) from error
    for path in written:
        print(f"wrote {path}")


def _prune(days: int | None, *, dry: bool) -> None:
    """Print what will be deleted, then delete it."""
    prepare("prune")
    from workflows.actions.retention import prune
    from workflows.selectors.retention import Limits, in_words, limits, old

    kept = limits() if days is None else Limits(days=days, failed_days=days)
    if kept == Limits(days=None, failed_days=None):
        raise Trouble(
            "This server keeps runs forever.",
            hint="Use --days N, or set SIGNALBOX_KEEP_DAYS.",
            code=UNREADABLE,
        )
    candidates = old(kept)
    if dry or not candidates.runs:
        print(
            f"Nothing to delete: {in_words(candidates)}."
            if not candidates.runs
            else f"{in_words(candidates)} would be deleted."
        )
        return
    print(f"{in_words(candidates)} go.", flush=True)
    gone = sum(prune(kept))
    print(f"{gone} {'run is' if gone == 1 else 'runs are'} deleted.")


def _server_parts(command: str) -> tuple[Any, Any]:
    prepare(command)
    from workflows.errors import CallerError
    from workflows.management import transfer

    return transfer, CallerError


def _trouble(error: Any) -> Trouble:
    return Trouble(str(error.message), hint=str(getattr(error, "hint", "")), code=UNREADABLE)
