"""The processes of one installation, each of which may be killed and comes back at once."""

from __future__ import annotations

import random
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.live_server import ROOT, SIGNALBOX, environment, free_port


@dataclass
class ManagedProcess:
    """A `signalbox` command. `up` is set from its ready message until it is killed."""

    name: str
    command: tuple[str, ...]
    ready: str
    log: Path
    env: dict[str, str]
    kills: int = 0
    said: str = ""
    up: threading.Event = field(default_factory=threading.Event)
    process: subprocess.Popen[str] | None = None
    broke: str = ""

    def start(self) -> None:
        """Begins; a thread waits for its word."""
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [*SIGNALBOX, *self.command],
                cwd=ROOT,
                env=self.env,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        threading.Thread(target=self._listen, args=(self.process,), daemon=True).start()

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(self.ready):
                self.said = line.removeprefix(self.ready).strip()
                self.up.set()
        if self.process is process:
            self.broke = f"{self.name} ended by itself"

    def kill(self) -> None:
        """`kill -9`, and the next one begins."""
        self.end()
        self.kills += 1
        self.start()

    def end(self) -> None:
        process, self.process = self.process, None
        self.up.clear()
        if process is not None:
            process.kill()
            process.wait()


@dataclass
class ProcessGroup:
    server: ManagedProcess
    workers: list[ManagedProcess]
    url: str

    @property
    def members(self) -> list[ManagedProcess]:
        return [self.server, *self.workers]

    def kill_one(self, chance: random.Random) -> str:
        """Any that is up, by chance. Answers its name, "" where none is up just now."""
        alive = [member for member in self.members if member.up.is_set()]
        if not alive:
            return ""
        victim = chance.choice(alive)
        victim.kill()
        return victim.name

    @property
    def troubles(self) -> list[str]:
        """Unexpected lines on standard error, and processes that ended by themselves."""
        broke = [member.broke for member in self.members if member.broke]
        logs = {member.name: member.log.read_text() for member in self.members}
        return broke + [f"{name}: {log[-3_000:]}" for name, log in logs.items() if "Trace" in log]


@contextmanager
def process_group(
    folder: Path, *, workers: int, settings: dict[str, str]
) -> Iterator[ProcessGroup]:
    """A server and a number of workers, until the end of the block."""
    port, env = free_port(), environment(folder, **settings)

    def member(name: str, ready: str, *command: str) -> ManagedProcess:
        log = folder / f"{name}.log"
        return ManagedProcess(name=name, command=command, ready=ready, log=log, env=env)

    ours = ProcessGroup(
        server=member("server", "Sign in: ", "serve", "--port", str(port)),
        workers=[member(f"worker-{n}", "Ready for runs.", "worker") for n in range(1, workers + 1)],
        url=f"http://127.0.0.1:{port}",
    )
    try:
        for one in ours.members:
            one.start()
        yield ours
    finally:
        for one in ours.members:
            one.end()
