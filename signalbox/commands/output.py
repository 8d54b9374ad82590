"""Writing files into a folder, all or none."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path


def write_files(root: Path, changes: Mapping[str, bytes | None]) -> None:
    """Write all new files next to their targets first, then rename every one. None removes a
    file. Raises OSError, without a change if a folder or the disk takes no new file."""
    ready: list[tuple[str, Path]] = []
    try:
        for path, data in changes.items():
            target = root / path
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
            if data is None:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
            ready.append((name, target))
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
            Path(name).chmod(mode)
        for name, target in ready:
            Path(name).replace(target)
    finally:
        for name, _ in ready:
            Path(name).unlink(missing_ok=True)
    for path, data in changes.items():
        if data is None:
            (root / path).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
