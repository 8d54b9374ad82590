"""Supervision of one command: its limits, and the end of everything that it started."""

from __future__ import annotations

import os
import resource
import select
import signal
import time
from collections.abc import Iterator
from contextlib import suppress

from workflows.runner.isolation.child import landlock, system
from workflows.runner.isolation.child.spec import Spec, write_report

CHECK_INTERVAL = 100
"""Milliseconds between checks of the limits."""
MEMORY_STEP = 16 * 1024**2
"""Bytes by which the memory of a command changes between two reports of it."""
KILLED = 137
PAGE = os.sysconf("SC_PAGE_SIZE")


def supervise(spec: Spec, server: int) -> int:
    """Run the command until it ends, reaches a limit, or the server closes `server`, the pipe of
    reports. Nothing of it is alive afterwards. Returns an exit code for this process."""
    wake, woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signals: list[int] = []
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda number, _: signals.append(number))
    if not spec.alone:
        system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
    child = _start(spec, server)
    if child is None:
        return 127
    # From here on only the command uses them, so that its reader sees their end.
    for stream in (0, 1, 2):
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    disk = _DiskUse(spec)
    memory = _MemoryUse(spec, server)
    poll = select.poll()
    poll.register(wake, select.POLLIN)
    poll.register(server, 0)
    code: int | None = None
    while code is None:
        for handle, _ in poll.poll(CHECK_INTERVAL):
            if handle == server:
                signals.append(signal.SIGTERM)
            else:
                os.read(wake, 512)
        code = _reap(child)
        if code is None and signals:
            code = -signal.SIGKILL
        elif code is None and (reached := memory.reached() or disk.reached()):
            with suppress(OSError):
                write_report(server, {"stopped": reached})
            code = -signal.SIGKILL
    end_all(alone=spec.alone)
    with suppress(OSError):
        write_report(server, {"ended": code})
    return code if code >= 0 else KILLED


def end_all(*, alone: bool) -> None:
    """Kill every process that the command left. Orphans become children of this process, so there
    are none left when it has no child."""
    while True:
        if alone:
            with suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
        else:
            for pid in _descendants():
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _start(spec: Spec, server: int) -> int | None:
    """The command's process; None if it cannot be started, which is reported."""
    read, write = os.pipe2(os.O_CLOEXEC)
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            _become(spec)
        except BaseException as failure:
            os.write(write, _reason(failure, spec).encode()[:4096])
        os._exit(127)
    os.close(write)
    with os.fdopen(read, "rb") as report:
        error = report.read().decode("utf-8", "replace")
    with suppress(OSError):  # A server that is gone already is noticed by `supervise`.
        write_report(server, {"error": error} if error else {"started": True})
    if not error:
        return child
    os.waitpid(child, 0)
    return None


def _become(spec: Spec) -> None:
    """Replace this process by the command."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    os.chdir(spec.folder)
    if spec.mask >= 0:
        os.umask(spec.mask)
    limits = spec.limits
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_DATA, limits.memory)
    _limit(resource.RLIMIT_FSIZE, limits.disk)
    if spec.drop_rights:
        system.drop_rights()
    if spec.mechanism == "landlock":
        landlock.restrict(spec)
    os.execvpe(spec.command[0], list(spec.command), spec.environment)


def _limit(which: int, value: int) -> None:
    hard = resource.getrlimit(which)[1]
    most = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (most, most))


def _reason(error: BaseException, spec: Spec) -> str:
    if isinstance(error, FileNotFoundError) and not os.path.isdir(spec.folder):
        return f"there is no folder {spec.folder}"
    if isinstance(error, OSError) and error.errno is not None:
        return f"{error.strerror}: {spec.command[0]!r}"
    return f"{type(error).__name__}: {error}"


def _reap(child: int) -> int | None:
    """The exit code of the command if it has ended. Ended orphans are removed."""
    code: int | None = None
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                break
            if pid == child:
                code = os.waitstatus_to_exitcode(status)
    return code


class _MemoryUse:
    """The processes of a command with their memory, which is reported to the server."""

    def __init__(self, spec: Spec, server: int) -> None:
        self._limits, self._alone, self._server = spec.limits, spec.alone, server
        self._reported = 0

    def reached(self) -> str:
        """The limit that the command and its children have reached together, "" for none."""
        pids = list(_others() if self._alone else _descendants())
        if len(pids) > self._limits.processes:
            return f"it started more than {self._limits.processes} processes"
        memory = sum(map(_memory, pids))
        if memory > self._limits.memory:
            return f"it used more than {self._limits.memory // 1024**2:,} MiB of memory"
        if abs(memory - self._reported) > MEMORY_STEP:
            self._reported = memory
            with suppress(OSError):
                write_report(self._server, {"memory": memory})
        return ""


def _others() -> Iterator[int]:
    """All processes of this process namespace but this one."""
    own = os.getpid()
    for name in os.listdir("/proc"):
        if name.isdecimal() and int(name) != own:
            yield int(name)


def _descendants() -> Iterator[int]:
    """The children of this process, and theirs."""
    waiting = [os.getpid()]
    while waiting:
        for child in _children(waiting.pop()):
            waiting.append(child)
            yield child


def _children(pid: int) -> list[int]:
    pids: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                pids += map(int, file.read().split())
    return pids


def _memory(pid: int) -> int:
    """Bytes of memory that the process shares with no file."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            _, resident, shared, *_ = map(int, file.read().split())
    except (OSError, ValueError):
        return 0
    return max(0, resident - shared) * PAGE


class _DiskUse:
    """Bytes that a command wrote to its folders. They are counted only after the disk lost that
    much, because the count reads every folder."""

    def __init__(self, spec: Spec) -> None:
        self._folders = [path for path in spec.writable if os.path.isdir(path)] or [spec.folder]
        self._limit = spec.limits.disk
        self._since = time.time() - 1
        self._free = self._available()

    def reached(self) -> str:
        """The name of this limit, "" if it is not reached."""
        if self._free - self._available() < self._limit:
            return ""
        used = 0
        for folder in self._folders:
            for place, _, names in os.walk(folder):
                for name in names:
                    with suppress(OSError):
                        status = os.lstat(os.path.join(place, name))
                        used += status.st_blocks * 512 if status.st_ctime >= self._since else 0
                        if used > self._limit:
                            return f"it wrote more than {self._limit // 1024**2:,} MiB"
        self._free = self._available() + used
        return ""

    def _available(self) -> int:
        try:
            status = os.statvfs(self._folders[0])
        except OSError:
            return 0
        return status.f_bavail * status.f_frsize
