"""WebKitGTK over WebDriver, through the driver that Debian packages with it."""

from __future__ import annotations

import json
import os
import subprocess
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.browser.engines.person import PageLeft, wait_while_alive
from tests.browser.page_actions import PATIENCE
from tests.support.live_server import free_port

PROGRAM = "WebKitWebDriver"
DISPLAY = "Xvfb"


class WebKit:
    """A browser with one page, on a display of its own. Raises RuntimeError with the driver's
    words if it refuses a command."""

    def __init__(self, folder: Path) -> None:
        """`folder` becomes its home."""
        reading, writing = os.pipe()
        self._display = subprocess.Popen(
            [DISPLAY, "-displayfd", str(writing), "-screen", "0", "1440x1000x24", "-noreset"],
            pass_fds=[writing],
            stderr=subprocess.DEVNULL,
        )
        os.close(writing)
        with os.fdopen(reading) as number:
            display = f":{number.readline().strip()}"
        port = free_port()
        self._address = f"http://127.0.0.1:{port}"
        self._driver = subprocess.Popen(
            [PROGRAM, f"--port={port}"],
            stderr=subprocess.DEVNULL,
            env={
                "PATH": "/usr/bin:/bin",
                "HOME": str(folder),
                "DISPLAY": display,
                "LANG": "C.UTF-8",
                # A container has no namespaces for the browser's own sandbox.
                "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
            },
        )
        self._session = ""
        try:
            made = self._call("POST", "", {"capabilities": {"alwaysMatch": self._wishes()}})
        except BaseException:
            self._end()
            raise
        self._session = f"/{made['sessionId']}"
        self._call("POST", "/timeouts", {"script": PATIENCE, "pageLoad": PATIENCE})
        self._call("POST", "/window/rect", {"x": 0, "y": 0, "width": 1440, "height": 1000})

    @staticmethod
    def _wishes() -> dict[str, Any]:
        (program, *_) = sorted(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
        return {"webkitgtk:browserOptions": {"binary": str(program), "args": ["--automation"]}}

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(
            f"{self._address}/session{self._session}{path}", data=data, method=method
        )
        for _ in range(PATIENCE // 50):
            try:
                with urllib.request.urlopen(request, timeout=PATIENCE / 1_000) as answer:
                    return json.load(answer)["value"]
            except urllib.error.HTTPError as refused:
                problem = json.load(refused)["value"]
                kind = PageLeft if problem["error"] == "no such frame" else RuntimeError
                raise kind(f"{problem['error']}: {problem['message']}") from None
            except urllib.error.URLError:  # The driver has only been started.
                wait_while_alive(self._driver)
        raise RuntimeError(f"{PROGRAM} does not accept connections.")

    def open(self, url: str) -> None:
        self._call("POST", "/url", {"url": url})

    def value(self, expression: str) -> Any:
        """The JSON value of an expression; of a promise, what it becomes."""
        script = f"""const done = arguments[0];
            (async () => ({expression}))().then(
                value => done([true, value ?? null]), error => done([false, String(error)]))"""
        went, value = self._call("POST", "/execute/async", {"script": script, "args": []})
        if not went:
            raise RuntimeError(value)
        return value

    def perform(self, actions: Sequence[dict[str, Any]]) -> None:
        """Move, press and type, as the WebDriver standard writes it."""
        self._call("POST", "/actions", {"actions": list(actions)})

    def picture(self) -> str:
        """A PNG of the window, in base64."""
        return str(self._call("GET", "/screenshot"))

    def close(self) -> None:
        try:
            self._call("DELETE", "")
        finally:
            self._end()

    def _end(self) -> None:
        for process in (self._driver, self._display):
            process.kill()
            process.wait()
