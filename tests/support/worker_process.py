"""A process of a pool for tests: each request is the name of what it does."""

from __future__ import annotations

import os
import re
import time

from roles.processes.worker import Forgotten, serve

MEGABYTE = 1024 * 1024
GROWTH = 300 * MEGABYTE
kept: set[str] = set()


def main() -> None:
    serve(_answer, memory=800 * MEGABYTE)


def _answer(request: bytes) -> bytes:
    name, _, argument = request.decode().partition(" ")
    match name:
        case "pid":
            return str(os.getpid()).encode()
        case "endless":
            while True:
                if argument:
                    re.match(r"(a+)+$", "a" * 40 + "b")
        case "large":
            return bytes(2_000 * MEGABYTE)
        case "grow":
            del [bytearray(b"x" * GROWTH)][:]
            return b"grown"
        case "wait":
            time.sleep(float(argument))
            return b"waited"
        case "keep":
            kept.add("a")
            return b"a"
        case "kept":
            if not kept:
                raise Forgotten
            return b"a"
        case "long":
            return b"x" * int(argument)
    raise AssertionError(name)
