"""Commands on the installation of a server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.support.fork_server import fork_server
from tests.support.live_server import environment


@dataclass(frozen=True)
class Answer:
    """The end of a command: its exit code, and what it printed."""

    code: int
    out: str
    err: str


def command(data: Path, *arguments: object, **settings: str) -> Answer:
    """Run one `signalbox` command on the installation in this folder."""
    data.mkdir(exist_ok=True)
    with (data.parent / f"{data.name}.err").open("w+") as log:
        process = fork_server().start(
            [str(one) for one in arguments], environment(data, **settings), log
        )
        assert process.stdout is not None
        out = process.stdout.read()
        code = process.wait(300)
        process.stdout.close()
        log.seek(0)
        return Answer(code, out, log.read())
