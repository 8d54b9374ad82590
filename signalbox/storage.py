"""Django settings of the database and the channel layer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

CONNECTIONS = 20
"""Maximum number of connections of one process; further users wait for a free one."""
PREPARED_AFTER = 5
"""Executions of a statement after which psycopg prepares it. Django's own statements have their
values in the text and are never prepared."""
SILENT = 20.0
"""Seconds without an answer after which Redis is considered unreachable. The layer blocks for five
seconds, so less would treat every pause as a failure."""


def sqlite(folder: Path) -> dict[str, Any]:
    """A file, for one machine: readers never wait, writers take turns."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": folder / "signalbox.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }


def postgresql(url: str) -> dict[str, Any]:
    """A PostgreSQL address as libpq reads it, with a bounded pool per process."""
    from django.core.exceptions import ImproperlyConfigured
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = conninfo_to_dict(url)
    except ProgrammingError as bad:
        raise ImproperlyConfigured(
            f"SIGNALBOX_DATABASE is not an address of a PostgreSQL database: {str(bad).strip()}."
        ) from None
    names = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST"}
    place = {ours: parts.pop(theirs, "") or "" for theirs, ours in names.items()}
    return {
        "ENGINE": "django.db.backends.postgresql",
        **place,
        "PORT": str(parts.pop("port", "") or ""),
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            "prepare_threshold": PREPARED_AFTER,
            **parts,
            "pool": {"min_size": 1, "max_size": CONNECTIONS},
        },
    }


def channel_layer(url: str) -> dict[str, Any]:
    """Redis if configured; within one process the layer carries no messages."""
    if not url:
        return {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    import channels_redis  # noqa: F401 - if it is missing, the start says so

    host = {"address": url, "socket_timeout": SILENT}
    return {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [host]}}
