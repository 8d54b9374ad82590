"""A process of a pool: it forks a worker, which answers requests, and replaces one that died.

Requests arrive on stdin and answers leave on stdout. A request is a length, its processor time in
seconds and its bytes; an answer is a length, a kind and its bytes. The worker reads and writes both
itself, so it keeps what it has read for the next request. If it goes over a limit, the kernel ends
it, and this process answers with the reason.
"""

from __future__ import annotations

import gc
import mmap
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable
from typing import NoReturn

HEAD = struct.Struct(">Qd")
TAIL = struct.Struct(">Qc")
DONE, FORGOTTEN, TIME, MEMORY, SIZE = b"d", b"f", b"t", b"m", b"s"
LARGEST = 64 * 1024 * 1024
"""Maximum answer, in bytes."""
RETIRES = 256 * 1024 * 1024
"""Peak memory in bytes after which a worker is replaced, with everything that it keeps."""
NICE = 2
"""A little less important than the server, whose threads wait for the answer."""
RETIRED = 3
"""Exit code of a worker after which another one is forked."""


class Forgotten(Exception):
    """The request needs what an earlier worker kept."""


def serve(answer: Callable[[bytes], bytes], *, memory: int, once: bool = False) -> None:
    """Answer one request after the other until stdin ends.

    `memory`: address space of a worker in bytes. With `once`, each request has a worker of its own,
    which can open no file and no socket.
    """
    gc.collect()
    gc.freeze()  # The forks share these pages.
    has_request = mmap.mmap(-1, 1)  # Shared with the workers.
    while True:
        has_request[0] = 0
        child = os.fork()
        if child == 0:
            _work(answer, memory, once, has_request)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
            return
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
            return  # From outside, and perhaps in the middle of a request or an answer.
        if has_request[0]:
            is_late = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF
            _write(_framed(TIME if is_late else MEMORY, b""))


def _work(
    answer: Callable[[bytes], bytes], memory: int, once: bool, has_request: mmap.mmap
) -> NoReturn:
    code = 1
    try:
        os.nice(NICE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        if once:
            resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
        gc.disable()  # A worker whose memory has grown is replaced.
        code = _answer_all(answer, once, has_request)
    finally:
        os._exit(code)


def _answer_all(answer: Callable[[bytes], bytes], once: bool, has_request: mmap.mmap) -> int:
    """The exit code: 0 when stdin has ended."""
    while head := _read(HEAD.size):
        length, seconds = HEAD.unpack(head)
        request = _read(length)
        has_request[0] = 1
        try:
            # Its signal ends the process, also within a library. Only work counts, not waiting.
            signal.setitimer(signal.ITIMER_PROF, seconds)
            kind, made = DONE, answer(request)
        except Forgotten:
            kind, made = FORGOTTEN, b""
        except MemoryError:
            kind, made = MEMORY, b""
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        del request
        _write(_framed(*((kind, made) if len(made) <= LARGEST else (SIZE, b""))))
        has_request[0] = 0
        if once or kind == MEMORY or _peak() > RETIRES:
            return RETIRED
    return 0


def _peak() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _read(length: int) -> bytes:
    """Bytes of stdin; fewer when it has ended. Unbuffered, so that the next worker misses none."""
    parts = bytearray()
    while len(parts) < length:
        part = os.read(0, min(length - len(parts), 1 << 20))
        if not part:
            return b""
        parts += part
    return bytes(parts)


def _framed(kind: bytes, made: bytes) -> memoryview:
    return memoryview(TAIL.pack(len(made), kind) + made)


def _write(whole: memoryview) -> None:
    while whole:
        whole = whole[os.write(1, whole) :]
