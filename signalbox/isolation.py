"""Isolation of commands, as a server or a worker reports it when it starts."""

from __future__ import annotations

import sys

from signalbox.commands.errors import Trouble


def check_isolation() -> None:
    """Print the isolation of commands, and protect this process from them. Does nothing if commands
    are not allowed. Raises Trouble if they cannot be isolated as the operator wants."""
    from django.conf import settings

    if not settings.SIGNALBOX_COMMANDS:
        return
    from workflows.runner.isolation.levels import DESCRIPTIONS, NoIsolation, level_in_force

    try:
        level = level_in_force()
    except NoIsolation as none:
        raise Trouble(none.message, hint=none.hint) from none
    _hide_memory()
    print(f"signalbox: Commands may run ({DESCRIPTIONS[level]}).", file=sys.stderr, flush=True)


def _hide_memory() -> None:
    """Keep other processes of this user from reading this one's memory and environment."""
    if sys.platform.startswith("linux"):
        from workflows.runner.isolation.child import system

        system.prctl(system.PR_SET_DUMPABLE, 0)
