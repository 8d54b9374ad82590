"""`signalbox serve` in a process of its own, and a client of a signed-in user."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from http.cookiejar import CookieJar
from io import BytesIO
from pathlib import Path
from typing import Any, TextIO
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

from tests.support.first_database import copy_first_database
from tests.support.fork_server import ForkedServer, fork_server

SIGNALBOX = (sys.executable, "-m", "signalbox")
ROOT = Path(__file__).resolve().parents[2]


def use_link(browser: OpenerDirector, link: str) -> None:
    """Open a one-time link and send the form of its page."""
    page = browser.open(link).read().decode()
    fields = dict(re.findall(r'name="(csrfmiddlewaretoken|token)" value="([^"]+)"', page))
    browser.open(link.split("?")[0], urlencode(fields).encode()).close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(data: Path, **more: str) -> dict[str, str]:
    """Start it on SQLite in this folder, for any database of the tests, unless `more` names
    another."""
    alone = {"SIGNALBOX_DATABASE": "", "SIGNALBOX_REDIS": "", "PYTHONUNBUFFERED": "1"}
    return {**os.environ, **alone, "SIGNALBOX_DATA": str(data), **more}


class LiveServer:
    """A server on this folder, which can be started, killed and started again. It is forked from a
    process with all imports, in a small part of the time of a start."""

    def __init__(
        self,
        data: Path,
        *,
        host: str = "127.0.0.1",
        program: Path | None = None,
        **settings: str,
    ) -> None:
        """`data` may hold the database of an earlier server. `program` is the folder of a checkout
        whose `signalbox` a new interpreter starts instead, as a user does."""
        self.data = data
        self.host = host
        self.program = program
        self.settings = settings
        self.port = free_port()
        self.process: subprocess.Popen[str] | ForkedServer | None = None
        self.cookies = CookieJar()
        self.link = ""
        if not settings.get("SIGNALBOX_DATABASE"):
            copy_first_database(data)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def env(self) -> dict[str, str]:
        return environment(self.data, **self.settings)

    @property
    def arguments(self) -> tuple[str, ...]:
        return ("serve", "--host", self.host, "--port", str(self.port))

    def start(self) -> None:
        """Wait until it accepts connections."""
        with (self.data / "server.log").open("a") as log:
            self.process = self.launched(log)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if match := re.search(r"http://\S+/sign-in/\S+", line):
                self.link = match.group()
                return
        self.end(signal.SIGKILL)
        raise AssertionError(self.log)

    def launched(self, log: TextIO) -> subprocess.Popen[str] | ForkedServer:
        """Its process, which writes its problems to the log."""
        if self.program is None and sys.platform == "linux":
            return fork_server().start(self.arguments, self.env, log)
        return self.interpreter(log, [sys.executable, "-m", "signalbox"], self.program or ROOT)

    def interpreter(self, log: TextIO, command: list[str], folder: Path) -> subprocess.Popen[str]:
        """Start a command in this folder with the arguments of the server."""
        return subprocess.Popen(
            [*command, *self.arguments],
            cwd=folder,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )

    def end(self, how: signal.Signals) -> int:
        """Send a signal, wait until the process has ended, and return its exit code."""
        assert self.process is not None
        self.process.send_signal(how)
        code = self.process.wait(120)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process = None
        return code

    def stop(self) -> None:
        """Stop it like Ctrl+C does, and assert that it logged no problem."""
        self.end(signal.SIGTERM)
        assert not self.complaints(), self.log

    @property
    def log(self) -> str:
        return (self.data / "server.log").read_text()

    def complaints(self) -> list[str]:
        """Problems in its output."""
        return [line for line in self.log.splitlines() if "Traceback" in line or "Unclosed" in line]

    def browser(self) -> OpenerDirector:
        """A client with this person's cookies. It reconnects for each request, because servers
        restart."""
        return build_opener(HTTPCookieProcessor(self.cookies))

    def sign_in(self) -> None:
        use_link(self.browser(), self.link)
        assert self.cookie("sessionid")

    def cookie(self, name: str) -> str:
        """The value of a cookie, whose name has the port of this server."""
        named = f"{name}_{self.port}"
        return next((one.value or "" for one in self.cookies if one.name == named), "")

    def get(self, path: str) -> Any:
        return self._answer(Request(f"{self.url}/api/v1/{path}"))

    def post(self, path: str, body: Any) -> Any:
        headers = {"Content-Type": "application/json", "X-CSRFToken": self.cookie("csrftoken")}
        data = json.dumps(body).encode()
        request = Request(f"{self.url}/api/v1/{path}", data=data, headers=headers)
        return self._answer(request)

    def delete(self, path: str) -> None:
        headers = {"X-CSRFToken": self.cookie("csrftoken")}
        request = Request(f"{self.url}/api/v1/{path}", headers=headers, method="DELETE")
        self.browser().open(request).close()

    def _answer(self, request: Request) -> Any:
        try:
            return json.loads(self.browser().open(request).read())
        except HTTPError as error:
            body = error.read()
            readable = HTTPError(error.url, error.code, error.msg, error.headers, BytesIO(body))
            readable.add_note(f"{body[:2000]!r}\n{self.log[-2000:]}")
            raise readable from None
