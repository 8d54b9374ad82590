"""Checks of large packs that run after the answer to their edit.

The rules of a large pack take longer than its edit. The edit is saved and answered first; a thread
then runs the rules and stores the pack's counts. Requests for the findings wait for the same check.
"""

from __future__ import annotations

import logging
from concurrent.futures import Future, ThreadPoolExecutor

from django.db import close_old_connections, connection

from roles.turns import current_caller, set_caller
from workflows.models import Pack
from workflows.opened_packs.view import View

_THREADS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="check")
_log = logging.getLogger(__name__)


def start(pack_id: int, number: int, view: View) -> Future[None]:
    """Check this revision in a thread, and store its counts if it is still the newest."""
    return _THREADS.submit(_check, pack_id, number, view, current_caller())


def _check(pack_id: int, number: int, view: View, caller: str) -> None:
    set_caller(caller)
    close_old_connections()
    newest = Pack.objects.filter(pk=pack_id, head=number)
    try:
        if newest.exists():  # A newer revision has a check of its own.
            newest.update(errors=view.count("error"), warnings=view.count("warning"))
    except Exception:
        _log.exception("The check of revision %s of pack %s failed.", number, pack_id)
    finally:
        connection.close()
