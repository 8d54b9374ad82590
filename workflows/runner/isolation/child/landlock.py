"""Landlock: a process gives up access to files, for itself and everything that it starts.

Source: https://docs.kernel.org/userspace-api/landlock.html. A rule allows a whole hierarchy, so a
hidden folder is one that no rule contains: rules name its siblings at every level above it. A
folder that contains a hidden one can be traversed but not listed.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import suppress

from workflows.runner.isolation.child import system
from workflows.runner.isolation.child.spec import DEVICES, Spec

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
"""The rights that a rule on a file may have."""
SCOPE_ABSTRACT_SOCKETS, SCOPE_SIGNALS = 1, 2
RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""Number of rights on files by version of the interface."""


def version() -> int:
    """The version of the interface; 0 if the kernel has none."""
    try:
        return system.call(CREATE_RULESET, None, 0, 1)
    except OSError:
        return 0


def restrict(spec: Spec) -> None:
    """Restrict this process to the view. Requires PR_SET_NO_NEW_PRIVS. Raises OSError."""
    supported = version()
    rights = (1 << RIGHTS[min(supported, 5)]) - 1 if supported else 0
    scopes = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS if supported >= 6 else 0
    size = 24 if supported >= 6 else 16 if supported >= 4 else 8
    attributes = struct.pack("=QQQ", rights, 0, scopes)[:size]
    ruleset = system.call(CREATE_RULESET, ctypes.create_string_buffer(attributes, size), size, 0)
    try:
        for path, writable in _allowed(spec):
            _allow(ruleset, path, rights if writable else READ & rights)
        for name in DEVICES:
            _allow(
                ruleset, f"/dev/{name}", (READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV) & rights
            )
        system.call(RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):
            rights &= OF_FILES
        attribute = ctypes.create_string_buffer(struct.pack("=Qi", rights, handle), 12)
        system.call(ADD_RULE, ruleset, 1, attribute, 0)
    finally:
        os.close(handle)


def _allowed(spec: Spec) -> Iterator[tuple[str, bool]]:
    """The hierarchies that may be used, and whether they may be written."""
    states: dict[str, str] = {"/dev": "hidden"}
    states |= dict.fromkeys((*spec.hidden, *spec.scratch), "hidden")
    states |= dict.fromkeys(spec.readable, "readable")
    states |= dict.fromkeys(spec.writable, "writable")
    yield from _walk("/", "readable", states)


def _walk(path: str, state: str, states: dict[str, str]) -> Iterator[tuple[str, bool]]:
    state = states.get(path, state)
    prefix = path.rstrip("/") + "/"
    if not any(other != path and other.startswith(prefix) for other in states):
        if state != "hidden":
            yield path, state == "writable"
        return
    if state == "hidden":
        below = (other[len(prefix) :] for other in states if other.startswith(prefix))
        children = sorted({prefix + rest.split("/")[0] for rest in below if rest})
    else:
        children = []
        with suppress(OSError):
            children = [prefix + name for name in sorted(os.listdir(path))]
    for child in children:
        if not os.path.islink(child):
            yield from _walk(child, state, states)
