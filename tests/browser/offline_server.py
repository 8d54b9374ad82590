"""`signalbox` without a network: outgoing connections are refused and recorded.

`python -m tests.browser.offline_server NOTES serve …` writes a line to the file NOTES for each
attempt to open a socket to another host. Incoming connections are allowed.
"""

from __future__ import annotations

import sys
from ipaddress import ip_address
from pathlib import Path
from typing import Any

CONNECTS = ("socket.connect", "socket.sendto", "socket.sendmsg")
LOOKS_UP = ("socket.getaddrinfo", "socket.gethostbyname")


def disconnect(notes: Path) -> None:
    """Block all outgoing connections of this process. It cannot be undone."""

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if event in CONNECTS or (event in LOOKS_UP and is_name(arguments[0])):
            with notes.open("a") as file:
                file.write(f"{event} {arguments!r}\n")
            raise OSError("The network is unplugged.")

    sys.addaudithook(hear)
    # uvloop opens sockets below Python, where no hook can intercept them.
    sys.modules["uvloop"] = None  # type: ignore[assignment]


def is_name(host: Any) -> bool:
    """Return True if this host name needs a lookup; addresses do not."""
    try:
        ip_address(host.decode() if isinstance(host, bytes) else host)
    except ValueError:
        return host not in (None, "")
    return False


if __name__ == "__main__":
    disconnect(Path(sys.argv[1]))
    from signalbox.cli import main

    sys.exit(main(sys.argv[2:]))
