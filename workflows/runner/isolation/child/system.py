"""System calls of Linux that Python's `os` lacks. Each raises OSError with the call's name."""

from __future__ import annotations

import ctypes
import os
import signal
import struct

CLONE_NEWNS, CLONE_NEWIPC = 0x0002_0000, 0x0800_0000
CLONE_NEWUSER, CLONE_NEWPID = 0x1000_0000, 0x2000_0000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 2, 4, 8, 16384, 1 << 18
AT_FDCWD, AT_EMPTY_PATH, AT_RECURSIVE = -100, 0x1000, 0x8000
OPEN_TREE_CLONE, OPEN_TREE_CLOEXEC, MOVE_MOUNT_F_EMPTY_PATH = 1, os.O_CLOEXEC, 4
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID = 1, 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP = 1, 4, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442
"""Numbers of system calls newer than Linux 5.1; they are the same on all architectures."""
LAST_CAPABILITY = 63

_libc = ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """A system call by its number. Integers are passed as long."""
    passed = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    return _checked(_libc.syscall(ctypes.c_long(number), *passed), f"system call {number}")


def unshare(flags: int) -> None:
    _checked(_libc.unshare(flags), "unshare")


def prctl(option: int, value: int) -> None:
    _checked(_libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0), f"prctl {option}")


def mount(kind: str | None, target: str, flags: int, data: str = "") -> None:
    name = kind.encode() if kind else None
    done = _libc.mount(name, os.fsencode(target), name, ctypes.c_ulong(flags), data.encode())
    _checked(done, f"mount {target}")


def clone_tree(path: str) -> int:
    """A detached copy of the mounts at this path, as an open file."""
    flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE
    return call(OPEN_TREE, AT_FDCWD, os.fsencode(path), flags)


def attach_tree(tree: int, path: str) -> None:
    """Mount a detached copy at this path, and close it."""
    call(MOVE_MOUNT, tree, b"", AT_FDCWD, os.fsencode(path), MOVE_MOUNT_F_EMPTY_PATH)
    os.close(tree)


def make_read_only(tree: int, path: str = "", *, recursive: bool = True) -> None:
    """Make a detached copy, or the mounts at a path (`tree` is AT_FDCWD), read-only."""
    flags = (0 if path else AT_EMPTY_PATH) | (AT_RECURSIVE if recursive else 0)
    attributes = struct.pack("=QQQQ", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, 0, 0, 0)
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    call(MOUNT_SETATTR, tree, os.fsencode(path), flags, buffer, len(attributes))


def die_with_parent() -> None:
    """Kill this process when its parent ends."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def drop_rights() -> None:
    """Give up every capability, also those that a program could get when it is executed."""
    for capability in range(LAST_CAPABILITY + 1):
        if _libc.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0):
            break
    header = struct.pack("=Ii", 0x2008_0522, 0)
    _libc.capset(ctypes.create_string_buffer(header), ctypes.create_string_buffer(bytes(24)))
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def kernel_is(major: int, minor: int) -> bool:
    """Return True if the kernel is of this release or a newer one."""
    numbers = os.uname().release.replace("-", ".").split(".")[:2]
    return tuple(int(part) if part.isdecimal() else 0 for part in numbers) >= (major, minor)


def _checked(result: int, name: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result
