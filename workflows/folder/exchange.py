"""Two facilities of Linux that protect a file which other programs write: the exchange of two
files in one step, and the question whether a file is open for writing."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import sys
from functools import cache
from pathlib import Path
from typing import Any

AT_FDCWD = -100
RENAME_EXCHANGE = 2
F_SETSIG = 10
UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM}


def exchange(one: Path, other: Path) -> bool:
    """Exchange two files atomically. False if the system or the file system cannot do it.

    Raises FileNotFoundError if one of them is gone, and OSError.
    """
    rename = _renameat2()
    if rename is None:
        return False
    if not rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE):
        return True
    code = ctypes.get_errno()
    if code in UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), str(one), None, str(other))


@cache
def _renameat2() -> Any:
    """The function of the C library; None where it has none."""
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)


def has_writer(place: Path) -> bool:
    """Return True if a process has the file open for writing. False also if that is unknown.

    The kernel grants a read lease only while no process has the file open for writing
    (fcntl(2), F_SETLEASE).
    """
    if not sys.platform.startswith("linux"):
        return False
    import fcntl

    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        # A process that opens the file now breaks the lease. Its signal must not end this process.
        fcntl.fcntl(handle, F_SETSIG, signal.SIGURG)
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    finally:
        os.close(handle)
    return False
