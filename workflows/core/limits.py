"""The scale that is promised, and limits that several modules share. docs/limits.md explains them.

Above the promised scale a pack may be slower, and is cut or refused with a message; nothing is
built or measured for it.
"""

from __future__ import annotations

STATES = 5_000
"""States of a pack."""
PACK_BYTES = 4 * 1024 * 1024
"""Bytes of the files of a pack."""
PACK_FILES = 1_000
"""Files of a pack."""
LIVE_RUNS = 200
"""Runs at the same time on one server with SQLite. PostgreSQL and workers carry more."""
USERS = 60
"""Users at the same time on one server with SQLite."""

TEXT_DEPTH = 200
"""Lists and objects inside each other in a file, and in a value that an edit writes to it."""
VALUE_DEPTH = 64
"""Lists, objects, conditions and schemas inside each other in what a pack or a run computes with.
"""
