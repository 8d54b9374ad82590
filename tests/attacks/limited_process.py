"""A function of a test module in a process of its own, with limits on memory and time."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MEMORY = 1_500 * 1024 * 1024
CPU = 60
PROGRAM = """
import resource, os, sys, json, time
from importlib import import_module
module, name, memory, cpu, calls = sys.argv[1:]
work = getattr(import_module(module), name)
for arguments in json.loads(calls):
    if child := os.fork():
        if status := os.waitpid(child, 0)[1]:
            sys.exit(f"{arguments}: {status}")
        continue
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    resource.setrlimit(resource.RLIMIT_CPU, (int(cpu), int(cpu)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    begun = time.process_time()
    answer = work(*arguments)
    seconds = time.process_time() - begun
    # VmHWM begins at the start of this program. ru_maxrss begins with the peak of the parent.
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    peak = int(status["VmHWM"].split()[0]) // 1024
    print(json.dumps({"answer": answer, "seconds": seconds, "megabytes": peak}), flush=True)
    os._exit(0)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The result of a function, its processor seconds, and the peak of the process in MB."""

    answer: Any
    seconds: float
    megabytes: int


def limited(module: str, name: str, *arguments: str, memory: int = MEMORY, cpu: int = CPU) -> Ended:
    """Call `name(*arguments)` of a module, whose result is JSON. Fails if it goes over a limit."""
    return limited_each(module, name, [arguments], memory=memory, cpu=cpu)[0]


def limited_each(
    module: str,
    name: str,
    calls: list[tuple[str, ...]],
    *,
    memory: int = MEMORY,
    cpu: int = CPU,
) -> list[Ended]:
    """Call `name` with each of these arguments, one after another, each in a process with the
    limits. They are forked from one that has imported the module."""
    command = [sys.executable, "-c", PROGRAM, module, name]
    command += [str(memory), str(cpu), json.dumps(calls)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=4 * cpu * len(calls)
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return [Ended(**json.loads(line)) for line in done.stdout.splitlines()[-len(calls) :]]
