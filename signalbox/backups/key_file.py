"""The file of the secret key, and its replacement, which may be interrupted at any point."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

KEY, OLD_KEY = "secret-key", "secret-key.old"


def new_key() -> str:
    """A random key."""
    return secrets.token_urlsafe(48)


def begin_rotation(data: Path) -> str:
    """Keep the old key, then replace it. Returns the new one. Both are read until the end."""
    old, current = data / OLD_KEY, (data / KEY).read_text()
    if old.exists() and old.read_text() != current:
        return current  # of a rotation that was interrupted
    _write(old, current)
    fresh = new_key()
    _write(data / KEY, fresh)
    return fresh


def end_rotation(data: Path) -> None:
    """Forget the old key."""
    (data / OLD_KEY).unlink(missing_ok=True)


def _write(path: Path, key: str) -> None:
    """Write the file at once, so that it is never without a key."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.touch(mode=0o600)
    with part.open("w") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
