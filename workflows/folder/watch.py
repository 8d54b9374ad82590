"""The thread that keeps an opened folder and its packs in step while the server runs."""

from __future__ import annotations

import logging
import os
import threading
from dataclasses import dataclass
from pathlib import Path

from django.db import connection
from watchfiles import Change, watch

from workflows.core.pack.files import BadFiles
from workflows.errors import NotThere
from workflows.folder.disk import PREFIX
from workflows.folder.git_lock import is_locked
from workflows.folder.sync import FolderSync
from workflows.folder.tree import is_visible_path
from workflows.models import Pack

log = logging.getLogger(__name__)
INTERVAL_MS = 100
"""Milliseconds between two comparisons when the system reports no change."""
DEBOUNCE_MS = 50


def start(sync: FolderSync, stop: threading.Event) -> threading.Thread:
    """Follow the folder until `stop` is set. The last edits are written before the thread ends."""
    thread = threading.Thread(target=_follow, args=(sync, stop), name="folder", daemon=True)
    thread.start()
    return thread


def _follow(sync: FolderSync, stop: threading.Event) -> None:
    changes = watch(
        sync.root,
        watch_filter=PackPaths(sync),
        debounce=DEBOUNCE_MS,
        step=20,
        rust_timeout=INTERVAL_MS,
        yield_on_timeout=True,
        stop_event=stop,
        raise_interrupt=False,
        ignore_permission_denied=True,
    )
    unread = False
    try:
        for changed in changes:
            unread = unread or bool(changed)
            if is_locked(sync.root):
                continue
            # A scan delays the page of a changed pack, so it waits for a pause.
            full = unread and not (changed and all(sync.has_file(path) for _, path in changed))
            done = _pass(sync, full=full)
            unread = unread and not (full and done)
        _pass(sync, full=False)
    finally:
        connection.close()


def _pass(sync: FolderSync, *, full: bool) -> bool:
    """One exchange, and then a scan if it is `full`. False if an error has to be tried again: it is
    logged, except for a pack that was deleted meanwhile."""
    try:
        sync.exchange()
        if full:
            sync.scan()
    except BadFiles as error:
        log.warning("%s", error)
    except (NotThere, Pack.DoesNotExist):
        return False
    except Exception:
        log.exception("The folder could not be compared with its packs")
        return False
    return True


@dataclass(frozen=True, slots=True)
class PackPaths:
    """The changes that a scan can be interested in: no hidden files, installed packages, ignored
    folders, or files of a write of our own."""

    sync: FolderSync

    def __call__(self, _change: Change, path: str) -> bool:
        parts = Path(path).relative_to(self.sync.root).parts
        if not parts or parts[-1].startswith(PREFIX) or not is_visible_path(parts):
            return False
        whole = str(self.sync.root)
        for part in parts:
            whole = os.path.join(whole, part)  # noqa: PTH118 - called for each of many changes
            if whole in self.sync.excluded:
                return False
        return True
