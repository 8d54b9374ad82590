"""A view of the file system for one command, in namespaces of its own.

The machine's files are read-only. Folders of the server and of its users are empty, except for
those that the command may use. Devices, temporary folders and processes are the command's own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from workflows.runner.isolation.child import system
from workflows.runner.isolation.child.spec import DEVICES, Spec

SCRATCH_SIZE = "size=256m,mode=1777"
EMPTY_SIZE = "size=1m,mode=755"
PROCESSES_SPARE = 700
"""Process numbers besides those of the limit: the first 300 are never used again."""


def enter() -> None:
    """Put this process into its own user, mount and IPC namespaces, and its children into a new
    process namespace. Raises OSError."""
    user, group = os.getuid(), os.getgid()
    flags = system.CLONE_NEWUSER | system.CLONE_NEWNS | system.CLONE_NEWPID | system.CLONE_NEWIPC
    system.unshare(flags)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def build_view(spec: Spec) -> None:
    """Mount the view. Called in the first process of the new process namespace. Raises OSError."""
    system.mount(None, "/", system.MS_REC | system.MS_PRIVATE)
    layers = list(_layers(spec))
    devices = {name: system.clone_tree(f"/dev/{name}") for name in _devices()}
    system.mount("proc", "/proc", system.MS_NOSUID | system.MS_NODEV | system.MS_NOEXEC)
    _limit_processes(spec.limits.processes)
    system.make_read_only(system.AT_FDCWD, "/")
    _mount_devices(devices)
    emptied: list[str] = []
    for layer in layers:
        if layer.kind == "empty" and _cover(layer):
            emptied.append(layer.path)
        elif layer.kind == "scratch" and os.path.isdir(layer.path):
            system.mount("tmpfs", layer.path, system.MS_NOSUID | system.MS_NODEV, SCRATCH_SIZE)
        elif layer.kind == "tree":
            _make_mount_point(layer)
            system.attach_tree(layer.tree, layer.path)
    for path in emptied:
        with suppress(FileNotFoundError):
            system.make_read_only(system.AT_FDCWD, path, recursive=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layer:
    """One mount. `tree`: the detached copy to mount there."""

    path: str
    kind: Literal["empty", "scratch", "tree"]
    folder: bool = True
    tree: int = -1


def _layers(spec: Spec) -> Iterator[_Layer]:
    """The mounts, parents before children; at one path the more permissive one is last."""
    layers: list[tuple[str, int, _Layer]] = []
    for path in spec.hidden:
        if os.path.isdir(path):
            layers.append((path, 0, _Layer(path=path, kind="empty")))
        elif os.path.exists(path):
            cover = system.clone_tree("/dev/null")
            layers.append((path, 0, _Layer(path=path, kind="tree", folder=False, tree=cover)))
    layers += [(path, 1, _Layer(path=path, kind="scratch")) for path in spec.scratch]
    for order, paths in ((2, spec.readable), (3, spec.writable)):
        for path in paths:
            if os.path.exists(path):
                tree = system.clone_tree(path)
                if order == 2:
                    system.make_read_only(tree)
                folder = os.path.isdir(path)
                layers.append(
                    (path, order, _Layer(path=path, kind="tree", folder=folder, tree=tree))
                )
    for _, _, layer in sorted(layers, key=lambda one: (one[0].count("/"), one[0], one[1])):
        yield layer


def _cover(layer: _Layer) -> bool:
    """Mount an empty folder, if the path is still visible."""
    if not os.path.isdir(layer.path):
        return False
    system.mount("tmpfs", layer.path, system.MS_NOSUID | system.MS_NODEV, EMPTY_SIZE)
    return True


def _make_mount_point(layer: _Layer) -> None:
    if os.path.lexists(layer.path):
        return
    if layer.folder:
        os.makedirs(layer.path, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(layer.path), exist_ok=True)
        os.close(os.open(layer.path, os.O_CREAT | os.O_WRONLY, 0o600))


def _devices() -> list[str]:
    return [name for name in DEVICES if os.path.exists(f"/dev/{name}")]


def _mount_devices(trees: dict[str, int]) -> None:
    system.mount("tmpfs", "/dev", system.MS_NOSUID, "size=1m,mode=755")
    for name, tree in trees.items():
        os.close(os.open(f"/dev/{name}", os.O_CREAT | os.O_WRONLY, 0o666))
        system.attach_tree(tree, f"/dev/{name}")
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{target}", f"/dev/{name}")
    os.mkdir("/dev/shm")
    system.mount("tmpfs", "/dev/shm", system.MS_NOSUID | system.MS_NODEV, SCRATCH_SIZE)
    system.make_read_only(system.AT_FDCWD, "/dev", recursive=False)


def _limit_processes(most: int) -> None:
    """Since Linux 6.14 the highest process number belongs to the namespace. Before, it is the whole
    machine's and must not be touched."""
    if system.kernel_is(6, 14):
        with suppress(OSError):
            _write("/proc/sys/kernel/pid_max", str(max(most, 1) + PROCESSES_SPARE))


def _write(path: str, text: str) -> None:
    handle = os.open(path, os.O_WRONLY)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)
