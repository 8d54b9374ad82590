"""The thread that keeps an opened folder and its packs in step while the server runs."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from django.db import connection
from watchfiles import watch

from workflows.core.pack.files import BadFiles
from workflows.folder.disk import PREFIX
from workflows.folder.sync import FolderSync

log = logging.getLogger(__name__)
INTERVAL_MS = 100
"""Milliseconds between two comparisons when the system reports no change."""


def start(sync: FolderSync, stop: threading.Event) -> threading.Thread:
    """Follow the folder until `stop` is set."""
    thread = threading.Thread(target=_follow, args=(sync, stop), name="folder", daemon=True)
    thread.start()
    return thread


def _follow(sync: FolderSync, stop: threading.Event) -> None:
    changes = watch(
        sync.root,
        debounce=50,
        step=20,
        rust_timeout=INTERVAL_MS,
        yield_on_timeout=True,
        stop_event=stop,
        raise_interrupt=False,
    )
    try:
        for changed in changes:
            _pass(sync, full=any(not _is_own(path) for _, path in changed))
    finally:
        connection.close()


def _pass(sync: FolderSync, *, full: bool) -> None:
    """One exchange; an error is logged, and the next pass tries again."""
    try:
        if full:
            sync.scan()
        else:
            sync.exchange()
    except BadFiles as error:
        log.warning("%s", error)
    except Exception:
        log.exception("The folder could not be compared with its packs")


def _is_own(path: str) -> bool:
    name = Path(path).name
    return name.startswith(PREFIX) or "/.git/" in path
