"""Process that works on packs, and keeps the newest ones parsed.

It is started with an empty environment. A request and its answer are pickled; only the server
writes the one and reads the other.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict

from roles.processes.pool import KEPT
from roles.processes.worker import Forgotten, serve
from workflows.core.dialects import dialects
from workflows.core.pack.files import Files
from workflows.core.rules.check import rules_for
from workflows.isolation.jobs import JOBS, Made, WarmPack
from workflows.isolation.limits import MEGABYTE, MEMORY

MOST_BYTES = 8 * MEGABYTE
"""Bytes of files of the packs that are kept. Parsed, they take ten times as many."""
_kept: OrderedDict[str, WarmPack] = OrderedDict()


def main() -> None:
    """Do one job after the other until stdin ends."""
    for dialect in dialects().values():
        rules_for(dialect)
        for part in ("edits", "forms", "program.program"):
            dialect.part(part)
        for files in dialect.samples().values():
            dialect.read(files)
            break
    serve(_answer, memory=MEMORY)


def _answer(request: bytes) -> bytes:
    """The pickled answer: (result, key of the pack that the job made or "", error or None)."""
    name, key, dialect, files, arguments, named = pickle.loads(request)
    try:
        result = JOBS[name](_pack(key, dialect, files), *arguments, **named)
    except (MemoryError, Forgotten):
        raise
    except Exception as error:
        return pickle.dumps((None, "", _portable(error)))
    if not isinstance(result, Made):
        return pickle.dumps((result, "", None))
    made = result.pack.files.digest(dialect)
    _keep(made, result.pack)
    return pickle.dumps((result.result, made, None))


def _pack(key: str, dialect: str, files: Files | None) -> WarmPack:
    pack = _kept.get(key)
    if pack is None:
        if files is None:
            raise Forgotten
        pack = WarmPack.read(dialect, files)
    _keep(key, pack)
    return pack


def _keep(key: str, pack: WarmPack) -> None:
    _kept[key] = pack
    _kept.move_to_end(key)
    while len(_kept) > KEPT or sum(one.files.size for one in _kept.values()) > MOST_BYTES:
        if len(_kept) == 1:
            return
        _kept.popitem(last=False)


def _portable(error: Exception) -> Exception:
    """The error itself if it can be read back, else its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}"[:2_000])
    return error
