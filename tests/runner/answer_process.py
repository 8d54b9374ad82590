"""Processes that answer approvals, and are killed at a given place.

As in `worker_process`, imports are done once. Each line on stdin has the id of an approval, the
reason of its denial and a number; a fork answers and kills itself before its statement of that
number, or before it reports if there are fewer. Number 0 kills nothing. Prints `answered`,
`refused` or `killed`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from importlib import import_module


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def answer_in_fork(id: str, reason: str, statement: int) -> None:
    from django.db import connection

    from workflows.actions.approval_answers import answer
    from workflows.errors import AnsweredMeanwhile

    seen = 0

    def count(text: str) -> None:
        nonlocal seen
        seen += 1
        if seen == statement:
            kill()

    connection.ensure_connection()
    connection.connection.set_trace_callback(count)
    try:
        answer(id, approve=False, reason=reason, by="ada")
    except AnsweredMeanwhile:
        os._exit(2)
    if statement:
        kill()
    os._exit(0)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "signalbox.settings")
    import django

    django.setup()
    from tests.support.tiny_dialect import register

    register()
    import_module("workflows.actions.approval_answers")
    words = {0: "answered", 2: "refused", -signal.SIGKILL: "killed"}
    for line in sys.stdin:
        child = os.fork()
        if not child:
            answer_in_fork(*json.loads(line))
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        print(words.get(code, f"ended with {code}"), flush=True)
